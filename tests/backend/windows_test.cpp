/// Compares one `normalize` that has several crop windows with three ops that give the same result:
/// `crop`, `concat` and `normalize`.
#include <gtest/gtest.h>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::windows_test {
namespace {

/// Returns the first `count` of four overlapping windows. In memory, the fourth one starts before
/// the third one.
std::vector<Window> windows(std::size_t count) {
  const auto at = [](std::int64_t top, std::int64_t left) {
    return Window{.height = 16, .width = 76, .top = top, .left = left};
  };
  const std::vector all{at(0, 0), at(9, 5), at(12, 61), at(11, 30)};
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Runs a CPU kernel once on `threads` threads and returns its only output.
Guarded run(const Kernel& kernel, const Op& op, std::vector<View> in, int threads) {
  Signature s{.in = {}, .out = {}};
  for (const View& view : in) s.in.push_back(view.desc);
  s.out = infer(op, s.in);
  Guarded out(s.out[0]);
  const View to = out.view();
  EXPECT_TRUE(kernel.accepts(op, s));
  const auto queue = make_cpu_backend()->make_queue(threads, nullptr);
  kernel.prepare(op, s)(*queue, in, std::span(&to, 1), {});
  EXPECT_TRUE(out.guards_intact());
  return out;
}

class Windows : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  ForcedSimd forced_{std::get<0>(GetParam())};
};

TEST_P(Windows, EndLikeCropsThatAreConcatenatedAndNormalized) {
  const Kernel row = cpu_row("normalize", std::get<1>(GetParam()));
  for (const std::int64_t images : {1, 2})
    for (const std::size_t count : {2, 4})
      for (const Layout from : {Layout::Nchw, Layout::Nhwc})
        for (const Layout to : {Layout::Nchw, Layout::Nhwc})
          for (const Flip flip : {Flip::None, Flip::Horizontal}) {
            Guarded in(dense(DType::UInt8, from, {images, 3, 28, 139}, Memory::Pageable));
            fill(in.view());
            std::vector<Guarded> crops;
            for (const Window& window : windows(count))
              crops.push_back(run(cpu_row("crop", "blocked"), Crop{window}, {in.view()}, 1));
            std::vector<View> cut;
            for (Guarded& crop : crops) cut.push_back(crop.view());
            Guarded batch = run(cpu_row("concat", "blocked"), Concat{}, cut, 3);
            Normalize op{.mean = {1, 2, 3}, .std = {4, 5, 6}, .layout = to, .flip = flip};
            const Guarded in_steps = run(row, op, {batch.view()}, 1);
            op.crop = windows(count);
            ASSERT_EQ(run(row, op, {in.view()}, 3).payload(), in_steps.payload())
                << images << " images, " << count << " windows, " << name_of(from) << " to "
                << name_of(to);
          }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Windows,
                         testing::Combine(testing::ValuesIn(simd_targets()),
                                          testing::Values("reference", "fused", "fused_nt", "lut")),
                         [](const auto& info) {
                           return std::get<1>(info.param) + "_" + std::get<0>(info.param);
                         });

TEST(Portions, WindowsOfOneImageThatAreEquallyFarApartAreOne) {
  const auto portions = [](std::int64_t images, std::vector<Window> crop) {
    const Normalize op{.mean = {1}, .std = {1}, .crop = std::move(crop)};
    std::vector<std::byte> memory(1 << 15);
    const View in{memory.data(),
                  dense(DType::UInt8, Layout::Nhwc, {images, 3, 28, 139}, Memory::Device)};
    return portions_of(op, std::span(&in, 1), {nullptr, op.infer(std::span(&in.desc, 1))[0]});
  };
  EXPECT_EQ(portions(1, windows(2)).size(), 1u);
  EXPECT_EQ(portions(1, windows(2))[0].in.desc.strides.n, 3 * (9 * 139 + 5));
  EXPECT_EQ(portions(1, {windows(2)[1], windows(2)[0]}).size(), 2u);
  EXPECT_EQ(portions(1, windows(4)).size(), 4u);
  EXPECT_EQ(portions(2, windows(2)).size(), 2u);
  EXPECT_EQ(portions(2, windows(1)).size(), 1u);
}

}  // namespace
}  // namespace normbench::windows_test
