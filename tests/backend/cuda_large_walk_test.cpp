#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backend/cuda/patterns.cuh"
#include "backend/cuda/walk.h"
#include "core/tensor.h"

namespace normbench::cuda::cuda_large_walk_test {
namespace {

constexpr std::int64_t kMostBlocks = 2147483647, kThreadsPerBlock = 256;

TensorDesc tensor(Layout layout, const Shape& shape) {
  return dense(DType::UInt8, layout, shape, Memory::Device);
}

/// The arguments of make_walk() for tensors of more than 2^31 elements. The tests compute only
/// which input element moves to which output element, and touch no memory of tensors. If `alike`,
/// all channels are treated in the same way, so the walk need not tell them apart.
struct Large {
  TensorDesc in, out;
  bool alike;
};

/// Returns the index of the input element that moves to output element `element`. Computes it from
/// the coordinates of `element`.
std::int64_t source_of(const Large& large, std::int64_t element) {
  const Shape& s = large.out.shape;
  const Strides& strides = large.in.strides;
  const bool planes = large.out.layout == Layout::Nchw;
  const std::int64_t outer = planes ? element / s.w : element / s.c;
  const std::int64_t w = planes ? element % s.w : outer % s.w;
  const std::int64_t c = planes ? outer / s.h % s.c : element % s.c;
  const std::int64_t h = planes ? outer % s.h : outer / s.w % s.h;
  const std::int64_t n = element / (s.c * s.h * s.w);
  return n * strides.n + c * strides.c + h * strides.h + w * strides.w;
}

/// A function that returns the index of the input element for element `i` of run `run` of a Walk. A
/// run is a contiguous part of the output.
using Source = std::function<std::int64_t(const Walk&, std::int64_t run, std::int64_t i)>;

std::int64_t source_by_walk(const Walk& walk, std::int64_t run, std::int64_t i) {
  return walk.start(run).in + Spot::at(walk, i, 0).source(walk);
}

/// Checks the input element of each output element that thread `thread` computes. Returns the first
/// error, or nothing.
std::optional<std::string> wrong_source(const Large& large, const Walk& walk, const Slots& slots,
                                        std::int64_t thread, const Source& source) {
  const Share share = slots.share(thread);
  const RunStart start = walk.start(share.run);
  for (std::int64_t u = 0; u < slots.depth; ++u)
    for (std::int64_t i = 4 * (share.first + u * share.step);
         i < 4 * (share.first + u * share.step + 1); ++i) {
      if (i >= walk.elements) continue;
      const std::int64_t element = share.run * walk.elements + i;
      if (start.out + i != element)
        return "element " + std::to_string(element) + " goes to " + std::to_string(start.out + i);
      if (source(walk, share.run, i) != source_of(large, element))
        return "wrong source of element " + std::to_string(element);
    }
  return std::nullopt;
}

std::vector<std::int64_t> threads_to_try(std::int64_t threads) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(threads, 100); ++i)
    all.insert(all.end(), {i, threads - 1 - i, threads / 2 + i % (threads - threads / 2)});
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i)
    all.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(threads)));
  return all;
}

std::optional<std::string> fault_of(const Large& large, const Source& source = source_by_walk) {
  const Walk walk = make_walk(large.in, large.out, large.alike);
  if (walk.runs * walk.elements != large.out.elements()) return "elements are lost";
  const Slots slots = Slots::of(walk, 0, 4, 4, 1 << 18);
  if (slots.threads > kMostBlocks * kThreadsPerBlock) return "too many blocks";
  for (const std::int64_t thread : threads_to_try(slots.threads))
    if (const auto wrong = wrong_source(large, walk, slots, thread, source)) return wrong;
  return std::nullopt;
}

std::vector<Large> large_tensors() {
  std::vector<Large> all;
  for (const Shape& shape :
       {Shape{2, 3, 40000, 40000}, Shape{70000, 3, 200, 300},
        Shape{1, 1, 1, (std::int64_t{1} << 31) + 5}, Shape{3, 1, (std::int64_t{1} << 31) + 5, 1},
        Shape{1, 64, 50000, 1000}})
    for (const Layout from : {Layout::Nchw, Layout::Nhwc})
      for (const Layout to : {Layout::Nchw, Layout::Nhwc})
        for (const bool alike : {false, true}) {
          const View whole{nullptr, tensor(from, shape)};
          const TensorDesc out = tensor(to, shape);
          all.push_back({whole.desc, out, alike});
          all.push_back({flip_view(whole, Flip::Both).desc, out, alike});
          const View wider{nullptr, tensor(from, {shape.n, shape.c, shape.h + 3, shape.w + 5})};
          all.push_back({crop_view(wider, 1, 2, shape.h, shape.w).desc, out, alike});
        }
  return all;
}

TEST(LargeWalk, FindsEveryElementBeyondTwoToThe31) {
  for (const Large& large : large_tensors())
    EXPECT_EQ(fault_of(large), std::nullopt)
        << describe(large.in) << " -> " << describe(large.out) << (large.alike ? " alike" : "");
}

TEST(LargeWalk, TheTestSeesA32BitOverflow) {
  const Source overflows = [](const Walk& walk, std::int64_t run, std::int64_t i) {
    return walk.start(run).in + static_cast<std::int32_t>(Spot::at(walk, i, 0).source(walk));
  };
  const TensorDesc line = tensor(Layout::Nchw, {1, 1, 1, (std::int64_t{1} << 31) + 5});
  EXPECT_THAT(fault_of({line, line, false}, overflows),
              testing::Optional(testing::HasSubstr("wrong source of element 21474")));
}

}  // namespace
}  // namespace normbench::cuda::cuda_large_walk_test
