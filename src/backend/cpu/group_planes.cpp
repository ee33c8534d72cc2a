#include <hwy/base.h>

#include <algorithm>

#include "backend/cpu/group_norm.h"
#include "backend/cpu/group_planes_simd.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kSmallPlane = 64;  // elements; planes with fewer elements share a row
constexpr std::int64_t kLargestRow = 2048;
constexpr std::int64_t kBlockOfRows = 8192;
constexpr std::int64_t kRowUnit = 32;
constexpr std::int64_t kSideBySide = 4;  // rows that the forward pass works on at once

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The groups of planes of all images, one after the other in memory.
struct Groups {
  Groups(const TensorDesc& x, std::int64_t groups_of_image)
      : images(x.shape.n),
        channels(x.shape.c),
        of_image(groups_of_image),
        rows(channels / groups_of_image, x.shape.h * x.shape.w),
        bytes(rows.elements() * size_of(x.dtype)) {}

  std::int64_t count() const { return images * of_image; }
  /// Returns the first channel of a group.
  std::int64_t channel(std::int64_t group) const { return group % of_image * rows.planes; }
  /// Returns the first plane of a group, counted over all images.
  std::int64_t plane(std::int64_t group) const { return group * rows.planes; }

  std::int64_t images, channels, of_image;
  PlaneRows rows;
  std::int64_t bytes;  // bytes of a group
};

/// The state of a thread that sums one group and normalises another one, in a forward pass.
class ForwardWork {
 public:
  ForwardWork(const GroupTensors& tensors, const Groups& groups)
      : tensors_(tensors),
        groups_(groups),
        scale_(static_cast<std::size_t>(groups.rows.planes)),
        shift_(scale_.size()) {
    summed_.moments = &block_;
    normalised_.scale = scale_.data(), normalised_.shift = shift_.data();
  }
  ForwardWork(const ForwardWork&) = delete;
  ForwardWork& operator=(const ForwardWork&) = delete;

  const Summed& summed(std::int64_t group) {
    all_ = {};
    summed_.in[0] = tensors_.x + group * groups_.bytes;
    return summed_;
  }
  void add_block() { all_.add(block_); }

  /// Completes the statistics of a group, and prepares to normalise the group.
  void finish(std::int64_t group) {
    double rstd = 0, left = 0;
    if (tensors_.sums()) {
      rstd = all_.rstd(tensors_.eps), left = all_.left_of_mean();
      tensors_.found_mean[group] = normalised_.mean = static_cast<float>(all_.mean);
      tensors_.found_rstd[group] = static_cast<float>(rstd);
    } else {
      normalised_.mean = tensors_.mean[group], rstd = tensors_.rstd[group];
    }
    if (!tensors_.normalises()) return;
    normalised_.in[0] = tensors_.x + group * groups_.bytes;
    normalised_.out = tensors_.out + group * groups_.bytes;
    const auto channel = static_cast<std::size_t>(groups_.channel(group));
    for (std::size_t plane = 0; plane < scale_.size(); ++plane) {
      const double scale = tensors_.gamma ? rstd * tensors_.gamma[channel + plane] : rstd;
      const float beta = tensors_.beta ? tensors_.beta[channel + plane] : 0;
      scale_[plane] = static_cast<float>(scale);
      shift_[plane] = static_cast<float>(left * scale + beta);
    }
  }
  const Normalised& normalised() const { return normalised_; }

 private:
  const GroupTensors& tensors_;
  const Groups& groups_;
  std::vector<float> scale_, shift_;  // for each plane
  MomentSums block_, all_;
  Summed summed_;
  Normalised normalised_;
};

class BackwardWork {
 public:
  BackwardWork(const GroupTensors& tensors, const Groups& groups)
      : tensors_(tensors),
        groups_(groups),
        scale_(static_cast<std::size_t>(groups.rows.planes)),
        first_(static_cast<std::size_t>(groups.rows.sums())),
        second_(first_.size()) {
    summed_.first = first_.data(), summed_.second = second_.data();
    normalised_.scale = normalised_.shift = scale_.data();
  }
  BackwardWork(const BackwardWork&) = delete;
  BackwardWork& operator=(const BackwardWork&) = delete;

  const Summed& summed(std::int64_t group) {
    summed_.in[0] = tensors_.dy + group * groups_.bytes;
    summed_.in[1] = tensors_.x + group * groups_.bytes;
    summed_.centre = tensors_.mean ? tensors_.mean[group] : 0;
    return summed_;
  }
  void add_block() {}
  void finish(std::int64_t group) {
    const double rstd = tensors_.rstd ? tensors_.rstd[group] : 1.0F;
    const auto channel = static_cast<std::size_t>(groups_.channel(group));
    Gradients all;
    for (std::size_t plane = 0; plane < scale_.size(); ++plane) {
      const Gradients own = sums_of_plane(plane, rstd);
      const double gamma = tensors_.gamma ? tensors_.gamma[channel + plane] : 1.0F;
      all.gamma += gamma * own.gamma, all.beta += gamma * own.beta;
      scale_[plane] = static_cast<float>(rstd * gamma);
      if (tensors_.gradients)
        tensors_.gradients[static_cast<std::size_t>(groups_.plane(group)) + plane] = own;
    }
    if (!tensors_.normalises()) return;
    const auto count = static_cast<double>(groups_.rows.elements());
    normalised_.in[0] = summed_.in[0], normalised_.in[1] = summed_.in[1];
    normalised_.in[2] = tensors_.old_dx ? tensors_.old_dx + group * groups_.bytes : nullptr;
    normalised_.out = tensors_.out + group * groups_.bytes;
    normalised_.mean = summed_.centre;
    normalised_.slope = static_cast<float>(-rstd * rstd * all.gamma / count);
    normalised_.constant = static_cast<float>(-rstd * all.beta / count);
  }
  const Normalised& normalised() const { return normalised_; }

 private:
  Gradients sums_of_plane(std::size_t plane, double rstd) const {
    const std::size_t pieces = first_.size() / scale_.size();
    Gradients sums;
    for (std::size_t i = plane * pieces; i < (plane + 1) * pieces; ++i) {
      sums.beta += static_cast<double>(first_[i]);
      sums.gamma += static_cast<double>(second_[i]);
    }
    sums.gamma *= rstd;
    return sums;
  }

  const GroupTensors& tensors_;
  const Groups& groups_;
  std::vector<float> scale_;  // for each plane
  std::vector<float> first_, second_;
  Summed summed_;
  Normalised normalised_;
};

/// Processes the groups [begin, end) of a thread. It sums the first group, then normalises each
/// group while it sums the next one.
template <class Work>
void sum_and_normalise(const GroupTensors& tensors, const Groups& groups, GroupFunction function,
                       std::int64_t begin, std::int64_t end) {
  Work work(tensors, groups);
  const std::int64_t rows = groups.rows.rows(), block = groups.rows.block_rows();
  for (std::int64_t group = begin; group <= end; ++group) {
    const bool sums = tensors.sums() && group < end;
    const Normalised* normalised =
        tensors.normalises() && group > begin ? &work.normalised() : nullptr;
    const Summed* summed = sums ? &work.summed(group) : nullptr;
    for (std::int64_t row = 0; (normalised || summed) && row < rows; row += block) {
      function(groups.rows, row, std::min(rows, row + block), normalised, summed);
      if (summed) work.add_block();
    }
    if (group < end) work.finish(group);
  }
}

GroupFunction group_function(DType dtype, Pass pass, Stores stores) {
  switch (dtype) {
    case DType::Float32:
      return group_function_float32(pass, stores);
    case DType::Float16:
      return group_function_float16(pass, stores);
    case DType::BFloat16:
      return group_function_bfloat16(pass, stores);
    case DType::UInt8:
      break;
  }
  HWY_ABORT("no group norm of uint8");
}

}  // namespace

PlaneRows::PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane)
    : planes(planes_of_group), pixels(pixels_of_plane) {
  if (pixels < kSmallPlane) {
    row = std::max<std::int64_t>(1, small_row / pixels) * pixels;
    pieces = 0;
    return;
  }
  pieces = divided_up(pixels, kLargestRow);
  while (planes * pieces % kSideBySide != 0 && pixels > pieces * 2 * kRowUnit) ++pieces;
  row = divided_up(divided_up(pixels, pieces), kRowUnit) * kRowUnit;
  if (pieces == 1) row = pixels;
  pieces = divided_up(pixels, row);
}

std::int64_t PlaneRows::block_rows() const {
  return std::max<std::int64_t>(1, kBlockOfRows / row / kSideBySide) * kSideBySide;
}

void normalise_planes(const GroupTensors& tensors, const Queue& queue, Stores stores) {
  const Groups groups(tensors.desc, tensors.groups);
  const bool forward = tensors.forward();
  const GroupFunction function =
      group_function(tensors.desc.dtype, forward ? Pass::Forward : Pass::Backward, stores);
  const auto work = forward ? sum_and_normalise<ForwardWork> : sum_and_normalise<BackwardWork>;
  split(queue, groups.count(), 1,
        [&](std::int64_t begin, std::int64_t end) { work(tensors, groups, function, begin, end); });
}

}  // namespace normbench
