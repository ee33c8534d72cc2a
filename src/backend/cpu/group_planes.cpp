#include <algorithm>

#include "backend/cpu/group_norm.h"
#include "backend/cpu/group_planes_simd.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kSmallPlane = 64;  // elements; a larger one has rows of its own
constexpr std::int64_t kSmallRow = 1024;
constexpr std::int64_t kLargestRow = 4096;
constexpr std::int64_t kBlockOfRows = 8192;
constexpr std::int64_t kRowUnit = 64;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Groups of planes in memory, all images' one after the other.
struct Groups {
  Groups(const TensorDesc& x, std::int64_t groups_of_image)
      : images(x.shape.n),
        channels(x.shape.c),
        of_image(groups_of_image),
        rows(channels / groups_of_image, x.shape.h * x.shape.w),
        bytes(rows.elements() * size_of(x.dtype)) {}

  std::int64_t count() const { return images * of_image; }
  /// The first channel of a group.
  std::int64_t channel(std::int64_t group) const { return group % of_image * rows.planes; }
  /// Of its first plane, among those of all images.
  std::int64_t plane(std::int64_t group) const { return group * rows.planes; }

  std::int64_t images, channels, of_image;
  PlaneRows rows;
  std::int64_t bytes;  // of a group
};

/// A thread's groups [begin, end): the first is summed, then each is normalised while the next one
/// is summed.
template <class Work>
void sum_and_normalise(const PlaneRows& rows, GroupFunction function, Work& work,
                       std::int64_t begin, std::int64_t end) {
  const std::int64_t block = rows.block_rows();
  for (std::int64_t group = begin; group <= end; ++group) {
    const Normalised* normalised = group > begin ? &work.normalised() : nullptr;
    const Summed* summed = group < end ? &work.summed(group) : nullptr;
    for (std::int64_t row = 0; row < rows.rows(); row += block) {
      function(rows, row, std::min(rows.rows(), row + block), normalised, summed);
      if (summed) work.add_block();
    }
    if (summed) work.finish(group);
  }
}

/// What a thread keeps of the group that it sums and the one that it normalises.
class ForwardWork {
 public:
  ForwardWork(const GroupNorm& op, const Groups& groups, std::span<const View> in,
              std::span<const View> out)
      : groups_(groups),
        eps_(op.eps),
        x_(data_of(in, op.inputs().x)),
        gamma_(floats_of(in, op.inputs().gamma)),
        beta_(floats_of(in, op.inputs().beta)),
        y_(out[0].data),
        mean_(floats_of(out[1])),
        rstd_(floats_of(out[2])),
        scale_(static_cast<std::size_t>(groups.rows.planes)),
        shift_(scale_.size()) {
    summed_.moments = &block_;
    normalised_.scale = scale_.data(), normalised_.shift = shift_.data();
  }
  ForwardWork(const ForwardWork&) = delete;
  ForwardWork& operator=(const ForwardWork&) = delete;

  const Summed& summed(std::int64_t group) {
    all_ = {};
    summed_.in[0] = x_ + group * groups_.bytes;
    return summed_;
  }
  void add_block() { all_.add(block_); }
  void finish(std::int64_t group) {
    const double rstd = all_.rstd(eps_);
    mean_[group] = normalised_.mean = static_cast<float>(all_.mean);
    rstd_[group] = static_cast<float>(rstd);
    normalised_.in[0] = summed_.in[0];
    normalised_.out = y_ + group * groups_.bytes;
    const std::int64_t channel = groups_.channel(group);
    for (std::size_t plane = 0; plane < scale_.size(); ++plane) {
      const auto c = static_cast<std::size_t>(channel) + plane;
      const double scale = gamma_ ? rstd * gamma_[c] : rstd;
      scale_[plane] = static_cast<float>(scale);
      shift_[plane] = static_cast<float>(all_.left_of_mean() * scale + (beta_ ? beta_[c] : 0.0F));
    }
  }
  const Normalised& normalised() const { return normalised_; }

 private:
  const Groups& groups_;
  const double eps_;
  const std::byte* const x_;
  const float *const gamma_, *const beta_;
  std::byte* const y_;
  float *const mean_, *const rstd_;
  std::vector<float> scale_, shift_;  // of each plane
  MomentSums block_, all_;
  Summed summed_;
  Normalised normalised_;
};

class BackwardWork {
 public:
  BackwardWork(const GroupNorm& op, const Groups& groups, std::span<const View> in,
               std::span<const View> out, Gradients* gradients)
      : groups_(groups),
        dy_(data_of(in, op.inputs().dy)),
        x_(data_of(in, op.inputs().x)),
        old_dx_(data_of(in, op.inputs().old_dx)),
        gamma_(floats_of(in, op.inputs().gamma)),
        mean_(floats_of(in, op.inputs().mean)),
        rstd_(floats_of(in, op.inputs().rstd)),
        dx_(out[0].data),
        gradients_(gradients),
        scale_(static_cast<std::size_t>(groups.rows.planes)),
        first_(static_cast<std::size_t>(groups.rows.sums())),
        second_(first_.size()) {
    summed_.first = first_.data(), summed_.second = second_.data();
    normalised_.scale = normalised_.shift = scale_.data();
  }
  BackwardWork(const BackwardWork&) = delete;
  BackwardWork& operator=(const BackwardWork&) = delete;

  const Summed& summed(std::int64_t group) {
    summed_.in[0] = dy_ + group * groups_.bytes;
    summed_.in[1] = x_ + group * groups_.bytes;
    summed_.centre = mean_[group];
    return summed_;
  }
  void add_block() {}
  void finish(std::int64_t group) {
    const double rstd = rstd_[group];
    const auto channel = static_cast<std::size_t>(groups_.channel(group));
    Gradients all;
    for (std::size_t plane = 0; plane < scale_.size(); ++plane) {
      const Gradients own = sums_of_plane(plane, rstd);
      const double gamma = gamma_ ? gamma_[channel + plane] : 1.0F;
      all.gamma += gamma * own.gamma, all.beta += gamma * own.beta;
      scale_[plane] = static_cast<float>(rstd * gamma);
      if (gradients_) gradients_[static_cast<std::size_t>(groups_.plane(group)) + plane] = own;
    }
    const auto count = static_cast<double>(groups_.rows.elements());
    normalised_.in[0] = summed_.in[0], normalised_.in[1] = summed_.in[1];
    normalised_.in[2] = old_dx_ ? old_dx_ + group * groups_.bytes : nullptr;
    normalised_.out = dx_ + group * groups_.bytes;
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

  const Groups& groups_;
  const std::byte *const dy_, *const x_, *const old_dx_;
  const float *const gamma_, *const mean_, *const rstd_;
  std::byte* const dx_;
  Gradients* const gradients_;  // of each plane; may be null
  std::vector<float> scale_;    // of each plane
  std::vector<float> first_, second_;
  Summed summed_;
  Normalised normalised_;
};

}  // namespace

PlaneRows::PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane)
    : planes(planes_of_group), pixels(pixels_of_plane) {
  if (pixels < kSmallPlane) {
    row = std::max<std::int64_t>(1, kSmallRow / pixels) * pixels;
    pieces = 0;
    return;
  }
  pieces = divided_up(pixels, kLargestRow);
  if (planes * pieces % 2 != 0 && pixels >= 2 * kRowUnit) ++pieces;  // rows go in pairs
  row = divided_up(divided_up(pixels, pieces), kRowUnit) * kRowUnit;
  if (pieces == 1) row = pixels;
  pieces = divided_up(pixels, row);
}

std::int64_t PlaneRows::block_rows() const {
  return std::max<std::int64_t>(1, kBlockOfRows / row / 2) * 2;
}

void normalise_planes(const GroupNorm& op, const Queue& queue, Stores stores,
                      std::span<const View> in, std::span<const View> out, Gradients* gradients) {
  const TensorDesc& x = in[static_cast<std::size_t>(op.inputs().x)].desc;
  const Groups groups(x, op.groups);
  const bool forward = op.direction == Direction::Forward;
  const GroupFunction function =
      forward ? forward_function(x.dtype, stores) : backward_function(x.dtype, stores);
  split(queue, groups.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    if (forward) {
      ForwardWork work(op, groups, in, out);
      sum_and_normalise(groups.rows, function, work, begin, end);
    } else {
      BackwardWork work(op, groups, in, out, gradients);
      sum_and_normalise(groups.rows, function, work, begin, end);
    }
  });
}

}  // namespace normbench
