#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "backend/cpu/memory.h"
#include "backend/cpu/simd_targets.h"
#include "backend/cpu/walk.h"
#include "backend/kernel_testing.h"

namespace normbench::fresh_pages_test {
namespace {

constexpr std::size_t kPage = 4096;
// walk() of backend/cpu/walk.h splits a tensor of each of these shapes into several slices. In the
// first shape, every plane starts at a cache line. In the second shape, some planes start within a
// line.
const std::vector<Shape> kShapes{{2, 3, 210, 320}, {1, 3, 301, 299}};

/// An output in pages that nothing has touched. It starts `shift` bytes past the start of the
/// second page.
class FreshOutput {
 public:
  FreshOutput(const TensorDesc& desc, std::size_t shift)
      : desc_(desc),
        start_(kPage + shift),
        pages_(map_pages(Memory::Pageable, static_cast<std::size_t>(desc.bytes()) + 4 * kPage)) {}

  View view() { return {pages_->data() + start_, desc_}; }
  std::vector<std::byte> payload() { return {view().data, view().data + desc_.bytes()}; }
  /// Returns true if all bytes around the output are still 0.
  bool is_clean() {
    const auto zero = [](std::byte b) { return b == std::byte{0}; };
    return std::all_of(pages_->data(), view().data, zero) &&
           std::all_of(view().data + desc_.bytes(), pages_->data() + pages_->bytes(), zero);
  }

 private:
  TensorDesc desc_;
  std::size_t start_;
  std::unique_ptr<Allocation> pages_;
};

bool is_mapped(std::byte* at) {
  unsigned char mapped = 0;
  std::byte* const page = at - reinterpret_cast<std::uintptr_t>(at) % kPage;
  return mincore(page, kPage, &mapped) == 0 && (mapped & 1) != 0;
}

struct Route {
  std::string_view row;  // the name of a CPU kernel that populates pages
  Op op;
  DType from;
  Layout in;
};

Normalize to(DType dtype, Layout layout) {
  return {.mean = {123.675, 116.28, 103.53},
          .std = {58.395, 57.12, 57.375},
          .to = dtype,
          .layout = layout};
}

std::vector<Route> routes() {
  return {{"fused", to(DType::Float32, Layout::Nchw), DType::UInt8, Layout::Nchw},
          {"fused", to(DType::Float32, Layout::Nchw), DType::UInt8, Layout::Nhwc},
          {"fused", to(DType::BFloat16, Layout::Nhwc), DType::UInt8, Layout::Nhwc},
          {"fused", to(DType::Float16, Layout::Nhwc), DType::Float32, Layout::Nchw},
          {"blocked", LayoutOp{Layout::Nchw}, DType::UInt8, Layout::Nhwc},
          {"blocked", FlipOp{Flip::Horizontal}, DType::Float32, Layout::Nchw},
          {"blocked", Crop{.window = {.height = 200, .width = 290}}, DType::Float16, Layout::Nhwc}};
}

/// Runs the CPU kernel of `route` on the whole tensor with a team of `threads` threads.
/// `pages_mapped` tells the kernel whether the pages of the output are mapped.
void run(const Route& route, const View& in, const View& out, bool pages_mapped, int threads) {
  const Kernel kernel = cpu_row(name_of(route.op), route.row);
  const Signature signature{.in = {in.desc}, .out = {out.desc}, .pages_mapped = pages_mapped};
  ASSERT_TRUE(kernel.accepts(route.op, signature));
  const auto queue = make_cpu_backend()->make_queue(threads, nullptr);
  kernel.prepare(route.op, signature)(*queue, std::span(&in, 1), std::span(&out, 1), {});
}

class FreshPages : public testing::TestWithParam<std::string> {};

TEST_P(FreshPages, HaveTheBitsOfMappedOnes) {
  const ForcedSimd forced(GetParam());
  for (const Shape& shape : kShapes)
    for (const Route& route : routes()) {
      Guarded in(dense(route.from, route.in, shape, Memory::Pageable));
      const View source = in.view();
      const TensorDesc desc = infer(route.op, std::span(&source.desc, 1))[0];
      SCOPED_TRACE(
          fmt::format("{} {} -> {}", name_of(route.op), describe(source.desc), describe(desc)));
      fill(source);
      Guarded mapped(desc);
      run(route, source, mapped.view(), true, 1);
      for (const int threads : {1, 3})
        for (const std::size_t shift : {std::size_t{0}, std::size_t{4}}) {
          FreshOutput fresh(desc, shift);
          run(route, source, fresh.view(), false, threads);
          ASSERT_TRUE(fresh.payload() == mapped.payload()) << threads << " threads, " << shift;
          ASSERT_TRUE(fresh.is_clean()) << threads << " threads, " << shift;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, FreshPages, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

/// Calls walk() on an image and a fresh output. Calls `seen` before each run (a contiguous piece of
/// the output) is written. `first` is true if the first page of the run is mapped, and `last` is
/// true if its last page is mapped.
void walk_fresh(const Shape& shape, Layout from, FirstTouches touches,
                const std::function<void(bool first, bool last)>& seen) {
  Guarded in(dense(DType::UInt8, from, shape, Memory::Pageable));
  FreshOutput out(dense(DType::Float32, Layout::Nchw, shape, Memory::Pageable), 0);
  const auto queue = make_cpu_backend()->make_queue(1, nullptr);
  walk(
      in.view(), out.view(), *queue,
      [&](const Run& run) {
        std::byte* const end = run.out + run.elements * 4;
        seen(is_mapped(run.out), is_mapped(end - 1));
        std::fill(run.out, end, std::byte{1});
      },
      nullptr, touches);
}

TEST(Walk, PopulatesPagesAheadOfTheStores) {
  if (!populates_pages()) GTEST_SKIP() << "this Linux has no MADV_POPULATE_WRITE";
  for (const Shape& shape : kShapes)
    for (const Layout from : {Layout::Nchw, Layout::Nhwc}) {
      int runs = 0;
      walk_fresh(shape, from, FirstTouches::Populate, [&](bool first, bool last) {
        EXPECT_TRUE(first && last) << "run " << runs;
        ++runs;
      });
      EXPECT_GE(runs, 6) << "slices";
    }
}

TEST(Walk, LeavesPagesToTheStoresUnlessAskedFor) {
  bool untouched = false;
  walk_fresh(kShapes[0], Layout::Nchw, FirstTouches::Fault,
             [&](bool, bool last) { untouched |= !last; });
  EXPECT_TRUE(untouched);
}

}  // namespace
}  // namespace normbench::fresh_pages_test
