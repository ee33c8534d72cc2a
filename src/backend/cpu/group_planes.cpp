#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "backend/cpu/group_norm.h"
#include "backend/cpu/group_planes_simd.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kSmallPlane = 64;    // elements; a larger one has rows of its own
constexpr std::int64_t kLargestRow = 1024;  // elements, few enough for one float32 sum on a lane
constexpr std::int64_t kBlock = 16384, kLeastAhead = 12288;  // elements
constexpr std::int64_t kRowUnit = 32;
/// Bytes of a group. Several larger ones, and the next ones, would not stay in a core's cache.
constexpr std::int64_t kSmallGroup = 64 << 10;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Groups of planes in memory, all images' one after the other.
struct Groups {
  explicit Groups(const GroupTensors& tensors)
      : images(tensors.desc.shape.n),
        channels(tensors.desc.shape.c),
        of_image(tensors.groups),
        bytes(tensors.desc.shape.h * tensors.desc.shape.w * channels / of_image *
              size_of(tensors.desc.dtype)),
        rows(channels / of_image, tensors.desc.shape.h * tensors.desc.shape.w,
             tensors.forward() && bytes <= kSmallGroup ? kSideBySide : 1) {}

  std::int64_t count() const { return images * of_image; }
  /// The first channel of a group.
  std::int64_t channel(std::int64_t group) const { return group % of_image * rows.planes; }
  /// Of its first plane, among those of all images.
  std::int64_t plane(std::int64_t group) const { return group * rows.planes; }

  std::int64_t images, channels, of_image;
  std::int64_t bytes;  // of a group
  PlaneRows rows;
};

/// What a thread keeps of a group that it sums and of one that it normalises.
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

  /// Statistics are known: what the group is normalised by.
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
  std::vector<float> scale_, shift_;  // of each plane
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
  std::vector<float> scale_;  // of each plane
  std::vector<float> first_, second_;
  Summed summed_;
  Normalised normalised_;
};

/// A thread's groups [begin, end), some at once: the first are summed, then they are normalised
/// while the next ones are summed.
template <class Work>
class PlanesWork {
 public:
  PlanesWork(const GroupTensors& tensors, const Groups& groups, GroupFunction function)
      : tensors_(tensors),
        groups_(groups),
        function_(function),
        ahead_(groups.rows.ahead() * size_of(tensors.desc.dtype)) {
    for (std::int64_t i = 0; i < groups.rows.groups_at_once; ++i)
      works_.emplace_back(tensors, groups);
  }

  void run(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t first = begin;
      begin += std::min(groups_.rows.groups_at_once, end - begin);
      if (tensors_.sums())
        for (std::int64_t group = first; group < begin; ++group)
          summed_.push_back(work(group - first).summed(group));
      blocks(begin < end || !tensors_.sums());
      normalised_.clear(), summed_.clear();
      for (std::int64_t group = first; group < begin; ++group) {
        work(group - first).finish(group);
        if (tensors_.normalises()) normalised_.push_back(work(group - first).normalised());
      }
    }
    blocks(false);
  }

 private:
  Work& work(std::int64_t i) { return works_[static_cast<std::size_t>(i)]; }

  void blocks(bool groups_follow) {
    if (normalised_.empty() && summed_.empty()) return;
    const std::int64_t rows = groups_.rows.rows(), block = groups_.rows.block_rows();
    for (std::int64_t row = 0; row < rows; row += block) {
      const std::int64_t end = std::min(rows, row + block);
      run_block(row, end, groups_follow || end < rows ? ahead_ : 0);
      for (std::size_t i = 0; i < summed_.size(); ++i) works_[i].add_block();
    }
  }

  /// Together where as many are normalised as are summed, or none of either.
  void run_block(std::int64_t begin, std::int64_t end, std::int64_t ahead) const {
    const PlaneRows& rows = groups_.rows;
    const auto whole = [&](std::size_t size) {
      return size == 0 || size == static_cast<std::size_t>(rows.groups_at_once);
    };
    const std::span<const Normalised> normalised = normalised_;
    const std::span<const Summed> summed = summed_;
    const bool all_normalised = whole(normalised.size()), all_summed = whole(summed.size());
    if (all_normalised && all_summed) return function_(rows, begin, end, normalised, summed, ahead);
    for (std::size_t i = 0, at_once = all_normalised ? normalised.size() : 1; i < normalised.size();
         i += at_once)
      function_(rows, begin, end, normalised.subspan(i, at_once), {}, 0);
    for (std::size_t i = 0, at_once = all_summed ? summed.size() : 1; i < summed.size();
         i += at_once)
      function_(rows, begin, end, {}, summed.subspan(i, at_once), ahead);
  }

  const GroupTensors& tensors_;
  const Groups& groups_;
  const GroupFunction function_;
  const std::int64_t ahead_;  // bytes
  std::deque<Work> works_;    // which cannot be moved
  std::vector<Normalised> normalised_;
  std::vector<Summed> summed_;
};

}  // namespace

PlaneRows::PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane,
                     std::int64_t at_once)
    : planes(planes_of_group), pixels(pixels_of_plane), groups_at_once(at_once) {
  if (pixels < kSmallPlane) {
    row = std::max<std::int64_t>(1, small_row / pixels) * pixels;
    pieces = 0;
    return;
  }
  pieces = divided_up(pixels, kLargestRow);
  while (groups_at_once == 1 && planes * pieces % kSideBySide != 0 &&
         pixels > pieces * 2 * kRowUnit)
    ++pieces;
  row = pieces == 1 ? pixels : divided_up(divided_up(pixels, pieces), kRowUnit) * kRowUnit;
  pieces = divided_up(pixels, row);
}

std::int64_t PlaneRows::block_rows() const {
  if (groups_at_once > 1) return rows();
  return std::max<std::int64_t>(1, kBlock / row / kSideBySide) * kSideBySide;
}

std::int64_t PlaneRows::ahead() const {
  const std::int64_t step = groups_at_once * std::min(elements(), block_rows() * row);
  return divided_up(kLeastAhead, step) * step;
}

void normalise_planes(const GroupTensors& tensors, const Queue& queue, Stores stores) {
  const Groups groups(tensors);
  const DType dtype = tensors.desc.dtype;
  split(queue, groups.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    if (tensors.forward())
      PlanesWork<ForwardWork>(tensors, groups, forward_function(dtype, stores)).run(begin, end);
    else
      PlanesWork<BackwardWork>(tensors, groups, backward_function(dtype, stores)).run(begin, end);
  });
}

}  // namespace normbench
