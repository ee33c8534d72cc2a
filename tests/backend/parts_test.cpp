/// Tests kernels that split a tensor into parts and work on them in turn, for tensors that start
/// anywhere in a page.
#include <gmock/gmock.h>

#include "backend/cpu/fetch.h"
#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::parts_test {
namespace {

constexpr std::int64_t page = kPrefetchReach;

TEST(Parts, StartAPhaseOfAPageApart) {
  EXPECT_EQ(part_bytes(3391, 3392), 0);
  EXPECT_EQ(part_bytes(3392 + page - 1, 3392), 3392);
  EXPECT_EQ(part_bytes(3392 + 10 * page, 3392), 3392 + 10 * page);
}

TEST(Parts, LieAlikeWhereALoadIsNearAStoreInTheirPages) {
  alignas(page) static std::byte bytes[4 * page];
  const std::byte* out = bytes + page + 1000;
  for (const std::int64_t apart : {0L, 63L, -256L, page, 63 - page, 2 * page - 256})
    EXPECT_TRUE(lie_alike(out + apart, out)) << apart;
  for (const std::int64_t apart : {64L, -257L, 2048L, page + 64, page - 257})
    EXPECT_FALSE(lie_alike(out + apart, out)) << apart;
}

TEST(Parts, DoNotLieLikeTheOutputOfThePartBefore) {
  alignas(page) static std::byte bytes[3 * page];
  const std::byte* out = bytes + page;
  for (std::int64_t a = 0; a < page; a += 64)
    for (std::int64_t b = 0; b < page; b += 64) {
      const std::int64_t phase = part_phase({out + a, out + b}, out);
      EXPECT_EQ(phase % 64, 0);
      EXPECT_GT(phase % page, 0);
      EXPECT_FALSE(lie_alike(out + a + phase, out)) << a << " " << b;
      EXPECT_FALSE(lie_alike(out + b + phase, out)) << a << " " << b;
    }
}

/// Bytes that start `distance` bytes past the start of a page, with space behind them.
class OnPages {
 public:
  OnPages(std::int64_t bytes, std::int64_t distance)
      : memory_(static_cast<std::size_t>(bytes + 2 * page)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    data_ = memory_.data() + (page - address % page) + distance;
  }
  std::byte* data() { return data_; }

 private:
  std::vector<std::byte> memory_;
  std::byte* data_;
};

class RowsInParts : public testing::TestWithParam<std::string> {
 protected:
  /// Expects the CPU kernel `row` to copy its input when the tensors start `in_at` and `out_at`
  /// bytes past the start of a page.
  void expect_copy(std::string_view row, const Op& op, std::int64_t in_at, std::int64_t out_at) {
    const TensorDesc desc =
        dense(DType::Float32, Layout::Nchw, {1, 1, 1, 70'016}, Memory::Pageable);
    OnPages x(desc.bytes(), in_at), y(desc.bytes(), out_at);
    fill({x.data(), desc});
    launch(cpu_row(name_of(op), row), op, {x.data(), desc}, {y.data(), desc}, 1);
    EXPECT_EQ(std::memcmp(y.data(), x.data(), static_cast<std::size_t>(desc.bytes())), 0)
        << row << " from " << in_at << " to " << out_at;
  }

 private:
  ForcedSimd forced_{GetParam()};
};

TEST_P(RowsInParts, WriteEveryElementWhereverTensorsLieInTheirPages) {
  for (const std::int64_t at : {0L, 4L, 64L, 960L, 2048L, page - 64}) {
    for (const std::string_view row : {"nt", "nt_bare", "nt_line", "nt_page"})
      expect_copy(row, Stream{}, at, 0);
    expect_copy("fused_nt", Normalize{.mean = {0}, .std = {1}}, at, 0);
    expect_copy("fused_nt", Normalize{.mean = {0}, .std = {1}}, at, 4);
  }
}

// A part may start anywhere in a plane, also within a cache line. Every element must get the
// constants of the channel of its plane.
TEST_P(RowsInParts, GiveEveryPlaneItsChannelsConstants) {
  for (const Shape& shape :
       {Shape{40, 3, 37, 41}, {9, 5, 64, 64}, {3, 7, 113, 129}, {70, 1, 25, 31}})
    for (const DType from : {DType::UInt8, DType::Float32})
      for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16})
        for (const std::int64_t shift : {0L, 1L, 3L}) {
          Normalize op{.mean = {}, .std = {}, .to = to};
          for (std::int64_t c = 0; c < shape.c; ++c) {
            op.mean.push_back(100.0 + static_cast<double>(c));
            op.std.push_back(50.0 + 3 * static_cast<double>(c));
          }
          Guarded in(dense(from, Layout::Nchw, shape, Memory::Pageable), static_cast<int>(shift));
          fill(in.view());
          const TensorDesc out = dense(to, Layout::Nchw, shape, Memory::Pageable);
          Guarded through(out, static_cast<int>(shift)), past(out, static_cast<int>(shift));
          launch(cpu_row("normalize", "fused_temporal"), op, in.view(), through.view(), 1);
          launch(cpu_row("normalize", "fused_nt"), op, in.view(), past.view(), 2);
          EXPECT_TRUE(past.guards_intact());
          EXPECT_TRUE(past.payload() == through.payload())
              << name_of(from) << " to " << name_of(to) << " " << shape.n << " from " << shift;
        }
}

INSTANTIATE_TEST_SUITE_P(Cpu, RowsInParts, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace normbench::parts_test
