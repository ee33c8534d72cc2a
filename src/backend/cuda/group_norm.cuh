/// Group normalization and its gradients. plan_groups() decides how many blocks work on a group:
/// - One block: a single launch sums and normalises. The block keeps as many vectors of the group
///   as fit in shared memory. It reads the other vectors a second time, from the L2 cache if they
///   are still there.
/// - Several blocks, if there are few groups and they are large: a first launch sums. A second
///   launch reads all elements again and normalises.
///
/// Sums are added in the same order on every device and without atomics, so that results have the
/// same bits everywhere.
///
/// The table has a row for each inner loop, with the instructions that one warp executes in one
/// iteration on sm_90. "104 of 120" means at most 104 instructions, where
/// tests/backend/issue_budget.py allows 120. "two bytes" are float16 and bfloat16. "bytes" is how
/// much the warp reads or writes in the iteration.
///                        float32     two bytes   bytes
///   forward, sums        104 of 120  201 of 220  2,048 read
///   forward, normalised  119 of 130  215 of 220  2,048 written
///   backward, sums        83 of  90  152 of 170  2,048 read
///   backward, gradients   98 of 110  209 of 220  1,024 written
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "backend/cuda/grid.h"
#include "backend/cuda/group_lines.cuh"

namespace normbench::cuda {

/// The sums of x - centre and of (x - centre)^2 over `count` elements. With a centre near the mean,
/// a large mean causes no loss of digits.
struct CentredSums {
  float count = 0, centre = 0, sum = 0, squares = 0;

  __host__ __device__ void add(float x) {
    const float distance = x - centre;
    sum += distance;
    squares = fmaf(distance, distance, squares);
  }
  /// Returns the sums of the same elements about the centre `to`.
  __host__ __device__ CentredSums moved(float to) const {
    const float by = centre - to;
    return {count, to, fmaf(count, by, sum), fmaf(count * by, by, fmaf(2 * by, sum, squares))};
  }
};

/// Replaces the sums of each lane, which are over its own elements, by the sums over the elements
/// of all lanes, about a centre near the mean of these elements. If any lane has elements, lane 0
/// must have some.
__host__ __device__ inline void join(const Warp& warp, PerLane<CentredSums>& sums) {
  PerLane<float> count, centre, total, squares;
  warp.each([&](unsigned lane) { centre[lane] = lane == 0 ? sums[lane].centre : 0; });
  warp.sum(centre);  // gives all lanes the centre of lane 0; sums about 0 instead could overflow
  warp.each([&](unsigned lane) {
    const CentredSums& own = sums[lane];
    count[lane] = own.count;
    total[lane] = own.count > 0 ? fmaf(own.count, own.centre - centre[lane], own.sum) : 0;
  });
  warp.sum(count);
  warp.sum(total);
  warp.each([&](unsigned lane) {
    CentredSums& own = sums[lane];
    const float to = centre[lane] + total[lane] / fmaxf(count[lane], 1);
    own = own.count > 0 ? own.moved(to) : CentredSums{0, to, 0, 0};
    total[lane] = own.sum;
    squares[lane] = own.squares;
  });
  warp.sum(total);
  warp.sum(squares);
  warp.each([&](unsigned lane) {
    sums[lane] = {count[lane], sums[lane].centre, total[lane], squares[lane]};
  });
}

/// The part of the work that one launch does.
enum class GroupStep {
  Whole,  // sums, then computes the output
  Sum,    // only sums; a block sums one part of a group
  Finish  // computes the output from stored sums or given statistics
};

/// Computes y = (x - mean) * rstd * gamma + beta. If `mean` and `rstd` are null, computes them
/// first. A vector has `Count` elements, which belong to `Channels` channels (1 or `Count`).
template <class T, int Count, int Channels, bool Aligned>
struct GroupForward {
  Blocks blocks;
  GroupLines lines;
  GroupStep step;
  unsigned held;   // number of vectors kept in shared memory, behind the sums of the warps
  float elements;  // of a group
  float eps;
  const T* x;
  const float *gamma, *beta, *mean, *rstd;  // if null: 1, 0, computed, computed
  T* out;                                   // if null: only the moments are computed
  float *found_mean, *found_rstd;
  CentredSums* of_parts;  // sums of each part of each group, for the second launch

  __host__ __device__ void operator()(const Block& block) const {
    if (step != GroupStep::Finish) {
      block.each_warp([&](const Warp& warp) { sum(block, warp); });
      block.sync();
    }
    block.each_warp([&](const Warp& warp) {
      if (step != GroupStep::Sum)
        finish(block, warp);
      else if (warp.index == 0)
        keep(block, warp);
    });
  }

 private:
  using Vector = Elements<T, Count, Aligned>;
  static constexpr int depth = Aligned ? 4 : 2;  // loads in flight; registers limit it

  __host__ __device__ CentredSums* sums(const Block& block) const {
    return reinterpret_cast<CentredSums*>(block.shared);
  }
  __host__ __device__ std::byte* held_at(const Block& block) const {
    return block.shared + block.warps * sizeof(CentredSums);
  }

  __host__ __device__ void sum(const Block& block, const Warp& warp) const {
    const T* const from = x + lines.first(block);
    PerLane<CentredSums> own;
    warp.each([&](unsigned lane) { own[lane] = {}; });
    each_piece(lines, block, warp, [&](unsigned first_line, unsigned piece) {
      warp.each([&](unsigned lane) {
        const LaneShare share = share_of(lines, first_line, piece, lane);
        if (share.is_empty()) return;
        CentredSums now = own[lane];
        if (now.count == 0) now.centre = to_float(from[lines.at(share.line, share.begin)]);
        walk_share<depth>(
            share, [&](unsigned i) { return Vector::load(from + lines.at(share.line, i)); },
            [&](unsigned i, const Vector& loaded) {
              unrolled<Count>([&](int j) { now.add(loaded.get(j)); });
              const unsigned number = lines.number(share.line, i);
              if (number < held) loaded.hold(held_at(block), number);
            });
        now.count += static_cast<float>((share.end - share.begin + share.step - 1) / share.step *
                                        static_cast<unsigned>(Count));
        own[lane] = now;
      });
    });
    join(warp, own);
    warp.each([&](unsigned lane) {
      if (lane == 0) sums(block)[warp.index] = own[lane];
    });
  }

  /// Stores the joined sums of the block's part of a group, for the second launch.
  __host__ __device__ void keep(const Block& block, const Warp& warp) const {
    PerLane<CentredSums> all = joined(warp, sums(block), block.warps);
    warp.each([&](unsigned lane) {
      if (lane == 0) of_parts[block.index] = all[lane];
    });
  }

  static __host__ __device__ PerLane<CentredSums> joined(const Warp& warp, const CentredSums* from,
                                                         unsigned count) {
    PerLane<CentredSums> all;
    warp.each([&](unsigned lane) { all[lane] = lane < count ? from[lane] : CentredSums{}; });
    join(warp, all);
    return all;
  }

  /// The numbers that normalise a group: (x - centre + shift) * rstd.
  struct Statistics {
    float centre, rstd, shift;
  };

  __host__ __device__ Statistics statistics(const CentredSums& all) const {
    const float past = all.sum / elements;
    const float squares = fmaf(-past, all.sum, all.squares);
    const float variance = (squares < 0 ? 0 : squares) / elements;  // fmaxf() would lose a NaN
    return {all.centre, 1 / sqrtf(variance + eps), -past};
  }

  __host__ __device__ void finish(const Block& block, const Warp& warp) const {
    const unsigned group = lines.group_of(block);
    PerLane<CentredSums> all;
    if (mean == nullptr)
      all = step == GroupStep::Finish ? joined(warp, of_parts + group * lines.parts, lines.parts)
                                      : joined(warp, sums(block), block.warps);
    warp.each([&](unsigned lane) {
      Statistics known;
      if (mean != nullptr) {
        known = {mean[group], rstd[group], 0};
      } else {
        known = statistics(all[lane]);
        if (block.index % lines.parts == 0 && warp.index == 0 && lane == 0) {
          found_mean[group] = known.centre - known.shift;
          found_rstd[group] = known.rstd;
        }
      }
      if (out == nullptr) return;
      each_piece(lines, block, warp, [&](unsigned first_line, unsigned piece) {
        normalise(block, share_of(lines, first_line, piece, lane), known);
      });
    });
  }

  __host__ __device__ void normalise(const Block& block, const LaneShare& share,
                                     const Statistics& known) const {
    if (share.is_empty()) return;
    const std::int64_t first = lines.first(block);
    const std::int64_t channel = lines.channel(block) + share.line * Channels;
    PerChannel<Channels> scale = channels_from<Channels>(gamma, channel, 1);
    PerChannel<Channels> shift = channels_from<Channels>(beta, channel, 0);
    unrolled<Channels>([&](int i) {
      scale.of[i] *= known.rstd;
      shift.of[i] = fmaf(known.shift, scale.of[i], shift.of[i]);
    });
    walk_share<depth>(
        share,
        [&](unsigned i) {
          const unsigned number = lines.number(share.line, i);
          return number < held ? Vector::held(held_at(block), number)
                               : Vector::load(x + first + lines.at(share.line, i));
        },
        [&](unsigned i, const Vector& loaded) {
          Vector::store(out + first + lines.at(share.line, i), [&](int j) {
            return fmaf(loaded.get(j) - known.centre, scale.at(j), shift.at(j));
          });
        });
  }
};

__host__ __device__ inline void add(GroupSums& to, const GroupSums& other) {
  to.products += other.products;
  to.plain += other.plain;
}

/// Computes dx = dy * gamma * rstd + (x - mean) * slope + constant, plus `old` if it is not null.
/// Slope and constant are computed from sums over the group. Also stores the sums of each channel
/// in `sums`.
template <class T, int Count, int Channels, bool Aligned>
struct GroupBackward {
  Blocks blocks;
  GroupLines lines;
  GroupStep step;
  unsigned held;                     // vectors of dy in shared memory; as many of x lie behind them
  float elements;                    // of a group
  const T *dy, *x, *old;             // x and old may be null
  const float *gamma, *mean, *rstd;  // values if null: 1, 0, 1
  T* out;
  GroupSums* sums;  // for each piece of each channel: [N, groups, pieces, C / groups]

  __host__ __device__ void operator()(const Block& block) const {
    if (step != GroupStep::Finish) block.each_warp([&](const Warp& warp) { sum(block, warp); });
    if (step == GroupStep::Whole) block.sync();
    if (step != GroupStep::Sum) block.each_warp([&](const Warp& warp) { finish(block, warp); });
  }

 private:
  using Vector = Elements<T, Count, Aligned>;
  static constexpr int depth = Channels > 4 ? 1 : 2;  // loads in flight; registers limit it
  struct Loaded {
    Vector dy, x, old;  // zeros if the tensor is null
  };

  __host__ __device__ float mean_of(const Block& block) const {
    return mean ? mean[lines.group_of(block)] : 0;
  }
  __host__ __device__ float rstd_of(const Block& block) const {
    return rstd ? rstd[lines.group_of(block)] : 1;
  }
  __host__ __device__ GroupSums* sums_of(const Block& block) const {
    return sums + std::int64_t{lines.group_of(block)} * lines.pieces * lines.channels;
  }

  __host__ __device__ Loaded load(std::int64_t at) const {
    return {Vector::load(dy + at), x ? Vector::load(x + at) : Vector{}, {}};
  }

  __host__ __device__ void sum(const Block& block, const Warp& warp) const {
    const std::int64_t first = lines.first(block);
    const float centre = mean_of(block);
    each_piece(lines, block, warp, [&](unsigned first_line, unsigned piece) {
      PerLane<float> products[Channels], plain[Channels];
      warp.each([&](unsigned lane) {
        float of_products[Channels] = {}, of_dy[Channels] = {};
        const LaneShare share = share_of(lines, first_line, piece, lane);
        walk_share<depth>(
            share, [&](unsigned i) { return load(first + lines.at(share.line, i)); },
            [&](unsigned i, const Loaded& loaded) {
              unrolled<Count>([&](int j) {
                constexpr bool one = Channels == 1;
                const float gradient = loaded.dy.get(j);
                of_dy[one ? 0 : j] += gradient;
                of_products[one ? 0 : j] =
                    fmaf(gradient, loaded.x.get(j) - centre, of_products[one ? 0 : j]);
              });
              const unsigned number = lines.number(share.line, i);
              if (number >= held) return;
              loaded.dy.hold(block.shared, number);
              loaded.x.hold(block.shared, held + number);
            });
        unrolled<Channels>([&](int i) {
          products[i][lane] = of_products[i];
          plain[i][lane] = of_dy[i];
        });
      });
      for (int i = 0; i < Channels; ++i) {
        warp.sum(products[i], lines.abreast);
        warp.sum(plain[i], lines.abreast);
      }
      warp.each([&](unsigned lane) {
        if (lane >= lines.abreast || first_line + lane >= lines.lines) return;
        GroupSums* const to =
            sums_of(block) + piece * lines.channels + (first_line + lane) * Channels;
        unrolled<Channels>([&](int i) {
          to[i] = {products[i][lane] * rstd_of(block), plain[i][lane]};
        });
      });
    });
  }

  __host__ __device__ void finish(const Block& block, const Warp& warp) const {
    const std::int64_t channel = lines.channel(block);
    const GroupSums* const of_pieces = sums_of(block);
    PerLane<float> products, plain;
    warp.each([&](unsigned lane) {
      products[lane] = plain[lane] = 0;
      for (unsigned c = lane; c < lines.channels; c += warp_lanes) {
        GroupSums all;
        for (unsigned piece = 0; piece < lines.pieces; ++piece)
          add(all, of_pieces[piece * lines.channels + c]);
        const float weight = gamma ? gamma[channel + c] : 1;
        products[lane] = fmaf(weight, all.products, products[lane]);
        plain[lane] = fmaf(weight, all.plain, plain[lane]);
      }
    });
    warp.sum(products);
    warp.sum(plain);
    warp.each([&](unsigned lane) {
      const float scale = rstd_of(block);
      const float slope = -scale * scale * products[lane] / elements;
      const float constant = -scale * plain[lane] / elements;
      each_piece(lines, block, warp, [&](unsigned first_line, unsigned piece) {
        differentiate(block, share_of(lines, first_line, piece, lane), channel, slope, constant);
      });
    });
  }

  __host__ __device__ void differentiate(const Block& block, const LaneShare& share,
                                         std::int64_t channel, float slope, float constant) const {
    if (share.is_empty()) return;
    const std::int64_t first = lines.first(block);
    const float centre = mean_of(block);
    auto scale = channels_from<Channels>(gamma, channel + share.line * Channels, 1);
    unrolled<Channels>([&](int i) { scale.of[i] *= rstd_of(block); });
    walk_share<depth>(
        share,
        [&](unsigned i) {
          const unsigned number = lines.number(share.line, i);
          const std::int64_t at = first + lines.at(share.line, i);
          Loaded all = number < held ? Loaded{Vector::held(block.shared, number),
                                              Vector::held(block.shared, held + number),
                                              {}}
                                     : load(at);
          if (old) all.old = Vector::load(old + at);
          return all;
        },
        [&](unsigned i, const Loaded& loaded) {
          Vector::store(out + first + lines.at(share.line, i), [&](int j) {
            const float of_x = fmaf(loaded.x.get(j) - centre, slope, constant);
            return fmaf(loaded.dy.get(j), scale.at(j), of_x) + loaded.old.get(j);
          });
        });
  }
};

/// Adds up the sums that GroupBackward has stored for each channel, over all images and over all
/// pieces of lines (group_lines.cuh). A block works on 32 channels.
struct ChannelSums {
  Blocks blocks;
  std::int64_t images;
  unsigned groups, channels, pieces;      // per image, per group, per line
  const GroupSums* sums;                  // [N, groups, pieces, channels]
  const float *old_products, *old_plain;  // added to the results if not null
  float *products, *plain;                // [groups * channels]; one may be null

  __host__ __device__ void operator()(const Block& block) const {
    auto* const of_warps = reinterpret_cast<GroupSums*>(block.shared);
    block.each_warp([&](const Warp& warp) {
      warp.each([&](unsigned lane) {
        const unsigned channel = block.index * warp_lanes + lane;
        GroupSums all;
        if (channel < groups * channels)
          for (std::int64_t n = warp.index; n < images; n += block.warps)
            add(all, of_image(n, channel));
        of_warps[warp.index * warp_lanes + lane] = all;
      });
    });
    block.sync();
    block.each_warp([&](const Warp& warp) {
      if (warp.index > 0) return;
      warp.each([&](unsigned lane) {
        const unsigned channel = block.index * warp_lanes + lane;
        if (channel >= groups * channels) return;
        GroupSums all;
        for (unsigned i = 0; i < block.warps; ++i) add(all, of_warps[i * warp_lanes + lane]);
        if (products) products[channel] = all.products + (old_products ? old_products[channel] : 0);
        if (plain) plain[channel] = all.plain + (old_plain ? old_plain[channel] : 0);
      });
    });
  }

 private:
  __host__ __device__ GroupSums of_image(std::int64_t image, unsigned channel) const {
    const GroupSums* first =
        sums + (image * groups + channel / channels) * pieces * channels + channel % channels;
    GroupSums all;
    for (unsigned piece = 0; piece < pieces; ++piece, first += channels) add(all, *first);
    return all;
  }
};

/// Calls `use.operator()<T, Count, Channels, Aligned>()` for the arguments' dtype, layout and
/// addresses. Returns the result of `use`.
template <class Use>
auto with_group_vectors(const GroupArguments& a, Use use) {
  const auto aligned = [](auto... tensors) { return (is_aligned(tensors, 16) && ...); };
  return with_float_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    constexpr int wide = 16 / static_cast<int>(sizeof(T));
    const std::int64_t line = a.columns ? a.channels / a.groups : a.pixels;
    if (line % wide != 0) return use.template operator()<T, 1, 1, true>();
    return with_bool(aligned(a.x, a.dy, a.old, a.out), [&]<bool A>(std::bool_constant<A>) {
      return a.columns ? use.template operator()<T, wide, wide, A>()
                       : use.template operator()<T, wide, 1, A>();
    });
  });
}

/// Returns how many vectors of a group, of `bytes` bytes each, fit in `shared_bytes` bytes of
/// shared memory.
inline unsigned held_vectors(const GroupLines& lines, std::size_t shared_bytes, std::size_t bytes) {
  return static_cast<unsigned>(
      std::min<std::size_t>(lines.lines * lines.length, shared_bytes / bytes));
}

inline unsigned blocks_of(const GroupArguments& a) {
  return static_cast<unsigned>(a.images * a.groups * a.plan.parts);
}

/// Calls `use` with the GroupForward that does `step`. Returns the result of `use`.
template <class Use>
auto with_forward_body(const GroupArguments& a, GroupStep step, Use use) {
  return with_group_vectors(a, [&]<class T, int Count, int Channels, bool Aligned>() {
    const GroupLines lines = lines_of(a, Count);
    const std::size_t sums = a.plan.warps * sizeof(CentredSums), bytes = Count * sizeof(T);
    const bool holds = step == GroupStep::Whole && a.out != nullptr && a.shared_bytes > sums;
    const unsigned held = holds ? held_vectors(lines, a.shared_bytes - sums, bytes) : 0;
    return use(GroupForward<T, Count, Channels, Aligned>{
        .blocks = {.count = blocks_of(a),
                   .warps = a.plan.warps,
                   .shared_bytes = sums + held * bytes,
                   .most_shared_bytes = a.shared_bytes},
        .lines = lines,
        .step = step,
        .held = held,
        .elements = static_cast<float>(a.channels / a.groups * a.pixels),
        .eps = a.eps,
        .x = static_cast<const T*>(a.x),
        .gamma = a.gamma,
        .beta = a.beta,
        .mean = a.mean,
        .rstd = a.rstd,
        .out = static_cast<T*>(a.out),
        .found_mean = a.found_mean,
        .found_rstd = a.found_rstd,
        .of_parts = static_cast<CentredSums*>(a.of_parts)});
  });
}

template <class Use>
auto with_backward_body(const GroupArguments& a, GroupStep step, Use use) {
  return with_group_vectors(a, [&]<class T, int Count, int Channels, bool Aligned>() {
    const GroupLines lines = lines_of(a, Count);
    constexpr std::size_t bytes = 2 * Count * sizeof(T);
    const unsigned held = step == GroupStep::Whole ? held_vectors(lines, a.shared_bytes, bytes) : 0;
    return use(GroupBackward<T, Count, Channels, Aligned>{
        .blocks = {.count = blocks_of(a),
                   .warps = a.plan.warps,
                   .shared_bytes = held * bytes,
                   .most_shared_bytes = a.shared_bytes},
        .lines = lines,
        .step = step,
        .held = held,
        .elements = static_cast<float>(a.channels / a.groups * a.pixels),
        .dy = static_cast<const T*>(a.dy),
        .x = static_cast<const T*>(a.x),
        .old = static_cast<const T*>(a.old),
        .gamma = a.gamma,
        .mean = a.mean,
        .rstd = a.rstd,
        .out = static_cast<T*>(a.out),
        .sums = a.sums});
  });
}

/// Returns the ChannelSums that adds up the sums that GroupBackward has stored.
inline ChannelSums channel_sums_body(const GroupArguments& a) {
  constexpr unsigned warps = 8;
  return {.blocks = {.count = static_cast<unsigned>((a.channels + warp_lanes - 1) / warp_lanes),
                     .warps = warps,
                     .shared_bytes = warps * warp_lanes * sizeof(GroupSums)},
          .images = a.images,
          .groups = static_cast<unsigned>(a.groups),
          .channels = static_cast<unsigned>(a.channels / a.groups),
          .pieces = a.plan.pieces,
          .sums = a.sums,
          .old_products = a.old_dgamma,
          .old_plain = a.old_dbeta,
          .products = a.dgamma,
          .plain = a.dbeta};
}

}  // namespace normbench::cuda
