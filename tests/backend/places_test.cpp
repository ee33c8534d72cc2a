/// Kernels that work in several places at once, wherever tensors lie in their pages.
#include <gmock/gmock.h>

#include "backend/cpu/fetch.h"
#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::places_test {
namespace {

constexpr std::int64_t page = kPrefetchReach;

TEST(Places, AreUpToFourWholePagesApart) {
  EXPECT_EQ(place_bytes(page - 1, false), 0);
  EXPECT_EQ(place_bytes(2 * page + 1, false), 2 * page);
  EXPECT_EQ(place_bytes(100 * page, false), 4 * page);
}

TEST(Places, AreAnOddNumberOfHalfPagesApartWhereTensorsLieAlike) {
  EXPECT_EQ(place_bytes(page / 2 - 1, true), 0);
  EXPECT_EQ(place_bytes(page / 2, true), page / 2);
  EXPECT_EQ(place_bytes(2 * page, true), 3 * page / 2);
  EXPECT_EQ(place_bytes(100 * page, true), 9 * page / 2);
}

TEST(Places, LieAlikeWhereALoadIsNearAStoreInTheirPages) {
  alignas(page) static std::byte bytes[4 * page];
  const std::byte* out = bytes + page + 1000;
  for (const std::int64_t apart : {0L, 63L, -256L, page, 63 - page, 2 * page - 256})
    EXPECT_TRUE(lie_alike(out + apart, out)) << apart;
  for (const std::int64_t apart : {64L, -257L, 2048L, page + 64, page - 257})
    EXPECT_FALSE(lie_alike(out + apart, out)) << apart;
}

/// Bytes at a distance from the start of a page, with room behind them.
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

class RowsInPlaces : public testing::TestWithParam<std::string> {
 protected:
  /// Expects the row to give what it is given, where tensors start at these distances.
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

TEST_P(RowsInPlaces, WriteEveryElementWhereverTensorsLieInTheirPages) {
  for (const std::int64_t at : {0L, 4L, 64L, 960L, 2048L, page - 64}) {
    expect_copy("nt", Stream{}, at, 0);
    expect_copy("fused_nt", Normalize{.mean = {0}, .std = {1}}, at, 0);
    expect_copy("fused_nt", Normalize{.mean = {0}, .std = {1}}, at, 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, RowsInPlaces, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace normbench::places_test
