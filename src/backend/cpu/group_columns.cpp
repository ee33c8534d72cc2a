#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/group_columns_simd.h"
#include "backend/cpu/group_norm.h"
#include "backend/cpu/moment_sums.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

// A row (ImageRows) and a slab (groups_of_slab()) have at least this many columns. This many
// columns fill whole vectors.
constexpr std::int64_t kFewestColumns = 32;
// The number of elements in a block of rows. Sums within a block are float32.
constexpr std::int64_t kSummedElements = 8192;
constexpr std::int64_t kSampledRows = 16;
constexpr std::int64_t kBehindTable = 64;

/// An image in nhwc as a matrix. A row holds one pixel, or several pixels if they have few
/// channels.
struct ImageRows {
  explicit ImageRows(const TensorDesc& x)
      : channels(x.shape.c), pixels(x.shape.h * x.shape.w), size(size_of(x.dtype)) {
    const std::int64_t wanted = std::lcm(channels, kFewestColumns);
    columns = channels < 2 * kFewestColumns ? wanted : channels;
    rows = pixels / (columns / channels);
    rest = pixels * channels - rows * columns;
  }

  /// Returns the number of rows, including a shorter last row.
  std::int64_t all_rows() const { return rows + (rest > 0 ? 1 : 0); }
  std::int64_t block_rows() const { return std::max<std::int64_t>(1, kSummedElements / columns); }
  std::int64_t bytes() const { return pixels * channels * size; }

  std::int64_t channels, pixels, size;
  std::int64_t columns, rows, rest;  // `rest`: columns of a shorter last row, or 0
};

/// A slab consists of neighbouring groups of one image. A thread works on a whole slab at once.
/// Returns the number of groups in a slab: all groups, or fewer if there are fewer images than
/// threads. Every sum has the same bits, whatever this number is.
std::int64_t groups_of_slab(const ImageRows& image, std::int64_t images, std::int64_t groups,
                            int threads) {
  if (images >= threads || image.columns != image.channels) return groups;
  const std::int64_t channels = image.channels / groups;
  for (std::int64_t some = 1; some < groups; ++some)
    if (groups % some == 0 && some * channels % kFewestColumns == 0) return some;
  return groups;
}

/// The tables that are needed to normalise a slab. Each table has a value for each column.
struct SlabTables {
  explicit SlabTables(std::int64_t columns)
      : mean(static_cast<std::size_t>(columns + kBehindTable)),
        scale(mean.size()),
        shift(mean.size()),
        slope(mean.size()) {}
  ColumnTables pointers() const {
    return {
        .mean = mean.data(), .scale = scale.data(), .shift = shift.data(), .slope = slope.data()};
  }
  std::vector<float> mean, scale, shift, slope;
};

/// Sums and normalises the slabs of one thread. A slab is summed while the slab before it is
/// normalised: the thread normalises a block of rows of the previous slab, then sums the same rows
/// of the current slab, and goes on with the next block. Slabs are numbered over all images.
class ColumnWork {
 public:
  ColumnWork(const GroupTensors& tensors, const ImageRows& image, std::int64_t groups_of_slab,
             Stores stores)
      : tensors_(tensors),
        image_(image),
        functions_(tensors.forward() ? forward_columns(tensors.desc.dtype)
                                     : backward_columns(tensors.desc.dtype)),
        groups_(groups_of_slab),
        slabs_(tensors.groups / groups_of_slab),
        channels_(image.channels / tensors.groups),
        width_(image.columns / slabs_),
        stores_(stores),
        tables_(width_),
        centre_(static_cast<std::size_t>(width_ + kBehindTable)),
        first_(static_cast<std::size_t>(width_)),
        second_(first_.size()) {}

  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t slab = begin; slab <= end; ++slab) {
      const bool normalises = tensors_.normalises() && slab > begin;
      const bool sums = tensors_.sums() && slab < end;
      if (sums) start(slab);
      for (std::int64_t row = 0; row < image_.all_rows(); row += image_.block_rows()) {
        const std::int64_t stop = std::min(image_.all_rows(), row + image_.block_rows());
        if (normalises) normalise(slab - 1, row, stop);
        if (sums) sum(slab, row, stop);
      }
      if (slab < end) finish(slab);
    }
  }

 private:
  /// Returns the group of a column, counted within the slab.
  std::int64_t group_of(std::int64_t column) const {
    return column % (groups_ * channels_) / channels_;
  }
  std::int64_t first_group(std::int64_t slab) const { return slab * groups_; }
  std::int64_t first_channel(std::int64_t slab) const {
    return slab % slabs_ * groups_ * channels_;
  }

  /// Calls `f` with rows [begin, end). A shorter last row gets a call of its own.
  template <class Function>
  void parts(std::int64_t slab, std::int64_t begin, std::int64_t end, const Function& f) const {
    const std::int64_t whole = std::min(end, image_.rows);
    if (begin < whole) f(rows_at(slab, begin, whole - begin, width_));
    if (end > image_.rows) f(rows_at(slab, image_.rows, 1, image_.rest));
  }

  ColumnRows rows_at(std::int64_t slab, std::int64_t row, std::int64_t rows,
                     std::int64_t columns) const {
    const std::int64_t offset =
        slab / slabs_ * image_.bytes() + (row * image_.columns + first_channel(slab)) * image_.size;
    const auto at = [&](auto* data) { return data ? data + offset : nullptr; };
    ColumnRows all{.rows = rows, .columns = columns, .stride = image_.columns};
    all.in[0] = at(tensors_.forward() ? tensors_.x : tensors_.dy);
    if (!tensors_.forward()) all.in[1] = at(tensors_.x), all.in[2] = at(tensors_.old_dx);
    all.out = at(tensors_.out);
    return all;
  }

  void sum(std::int64_t slab, std::int64_t begin, std::int64_t end) {
    parts(slab, begin, end, [&](const ColumnRows& rows) {
      functions_.sums(rows, centre_.data(), first_.data(), second_.data());
    });
  }

  void normalise(std::int64_t slab, std::int64_t begin, std::int64_t end) const {
    parts(slab, begin, end, [&](const ColumnRows& rows) {
      constexpr std::uintptr_t line = 64;
      const auto address = reinterpret_cast<std::uintptr_t>(rows.out);
      const auto stride = static_cast<std::uintptr_t>(rows.stride * image_.size);
      const bool in_lines = address % line == 0 && stride % line == 0;
      functions_.map(rows, tables_.pointers(), in_lines ? stores_ : Stores::Normal);
    });
  }

  void start(std::int64_t slab) {
    if (tensors_.forward()) {
      sample(slab);
    } else if (tensors_.mean) {
      const float* mean = tensors_.mean + first_group(slab);
      for (std::int64_t column = 0; column < width_; ++column)
        centre_[static_cast<std::size_t>(column)] = mean[group_of(column)];
    }
    clear_sums();
  }

  void clear_sums() {
    std::ranges::fill(first_, 0.0);
    std::ranges::fill(second_, 0.0);
  }

  /// Sets the centre of each column to the mean of its first kSampledRows rows. This centre is so
  /// near the mean of the whole column that squared distances from it lose little precision.
  void sample(std::int64_t slab) {
    std::ranges::fill(centre_, 0.0F);
    clear_sums();
    const std::int64_t rows = std::min(kSampledRows, image_.all_rows());
    sum(slab, 0, rows);
    for (std::size_t column = 0; column < first_.size(); ++column)
      if (const double count = count_of(column, rows); count > 0)
        centre_[column] = static_cast<float>(first_[column] / count);
  }

  /// Returns the number of elements of a column in the first `rows` rows.
  double count_of(std::size_t column, std::int64_t rows) const {
    const bool reaches = rows <= image_.rows || static_cast<std::int64_t>(column) < image_.rest;
    return static_cast<double>(std::min(rows, image_.rows) + (rows > image_.rows && reaches));
  }

  void finish(std::int64_t slab) {
    if (!tensors_.forward())
      finish_backward(slab);
    else if (tensors_.sums())
      finish_forward(slab);
    else
      take_statistics(slab);
  }

  void finish_forward(std::int64_t slab) {
    std::vector<MomentSums> moments(static_cast<std::size_t>(groups_));
    for (std::size_t column = 0; column < first_.size(); ++column) {
      const double count = count_of(column, image_.all_rows()), sum = first_[column];
      if (count == 0) continue;
      moments[index_of_group(column)].add(
          {.count = count,
           .mean = static_cast<double>(centre_[column]) + sum / count,
           // std::max() returns its first argument if that is NaN, so NaN is kept.
           .squares = std::max(second_[column] - sum / count * sum, 0.0)});
    }
    for (std::size_t group = 0; group < moments.size(); ++group) {
      const std::size_t at = static_cast<std::size_t>(first_group(slab)) + group;
      tensors_.found_mean[at] = static_cast<float>(moments[group].mean);
      tensors_.found_rstd[at] = static_cast<float>(moments[group].rstd(tensors_.eps));
    }
    for (std::size_t column = 0; column < first_.size(); ++column) {
      const MomentSums& all = moments[index_of_group(column)];
      set_tables(slab, column, static_cast<float>(all.mean), all.rstd(tensors_.eps),
                 all.left_of_mean());
    }
  }

  void take_statistics(std::int64_t slab) {
    for (std::size_t column = 0; column < first_.size(); ++column) {
      const std::size_t group =
          static_cast<std::size_t>(first_group(slab)) + index_of_group(column);
      set_tables(slab, column, tensors_.mean[group], tensors_.rstd[group], 0);
    }
  }

  void set_tables(std::int64_t slab, std::size_t column, float mean, double rstd, double left) {
    const std::size_t channel = index_of_channel(slab, column);
    const double scale = rstd * (tensors_.gamma ? tensors_.gamma[channel] : 1.0F);
    tables_.mean[column] = mean;
    tables_.scale[column] = static_cast<float>(scale);
    tables_.shift[column] =
        static_cast<float>(left * scale + (tensors_.beta ? tensors_.beta[channel] : 0.0F));
  }

  void finish_backward(std::int64_t slab) {
    const auto rstd_of = [&](std::size_t group) -> double {
      return tensors_.rstd ? tensors_.rstd[static_cast<std::size_t>(first_group(slab)) + group]
                           : 1.0F;
    };
    const auto channels = static_cast<std::size_t>(groups_ * channels_);
    std::vector<Gradients> own(channels), all(static_cast<std::size_t>(groups_));
    for (std::size_t column = 0; column < first_.size(); ++column) {
      Gradients& of_channel = own[column % channels];
      of_channel.beta += first_[column];
      of_channel.gamma += second_[column] * rstd_of(index_of_group(column));
    }
    const auto gamma_of = [&](std::size_t column) -> double {
      return tensors_.gamma ? tensors_.gamma[index_of_channel(slab, column)] : 1.0F;
    };
    for (std::size_t channel = 0; channel < channels; ++channel) {
      Gradients& of_group = all[index_of_group(channel)];
      of_group.gamma += gamma_of(channel) * own[channel].gamma;
      of_group.beta += gamma_of(channel) * own[channel].beta;
    }
    if (tensors_.gradients)
      std::ranges::copy(own,
                        tensors_.gradients + slab / slabs_ * image_.channels + first_channel(slab));
    const auto count = static_cast<double>(channels_ * image_.pixels);
    for (std::size_t column = 0; column < first_.size(); ++column) {
      const std::size_t group = index_of_group(column);
      const double rstd = rstd_of(group);
      tables_.mean[column] = centre_[column];
      tables_.scale[column] = static_cast<float>(rstd * gamma_of(column));
      tables_.slope[column] = static_cast<float>(-rstd * rstd * all[group].gamma / count);
      tables_.shift[column] = static_cast<float>(-rstd * all[group].beta / count);
    }
  }

  std::size_t index_of_group(std::size_t column) const {
    return static_cast<std::size_t>(group_of(static_cast<std::int64_t>(column)));
  }
  /// Returns the channel of a column, counted within the image.
  std::size_t index_of_channel(std::int64_t slab, std::size_t column) const {
    return static_cast<std::size_t>(first_channel(slab)) +
           column % static_cast<std::size_t>(groups_ * channels_);
  }

  const GroupTensors& tensors_;
  const ImageRows& image_;
  const ColumnFunctions functions_;
  const std::int64_t groups_, slabs_;    // groups of a slab; slabs of an image
  const std::int64_t channels_, width_;  // channels of a group; columns of a slab
  const Stores stores_;
  SlabTables tables_;
  std::vector<float> centre_;
  std::vector<double> first_, second_;
};

}  // namespace

void normalise_columns(const GroupTensors& tensors, const Queue& queue, Stores stores) {
  const ImageRows image(tensors.desc);
  const std::int64_t images = tensors.desc.shape.n;
  const std::int64_t groups = groups_of_slab(image, images, tensors.groups, queue.threads);
  split(queue, images * (tensors.groups / groups), 1, [&](std::int64_t begin, std::int64_t end) {
    ColumnWork(tensors, image, groups, stores).run(begin, end);
  });
}

}  // namespace normbench
