#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fake_backend.h"
#include "measure/group_memory.h"

namespace normbench::arena_test {
namespace {

using testing::ElementsAre;

struct Extent {
  std::size_t begin, end;
};

/// Returns the extents of the buffers, sorted by offset. Buffer i has sizes[i % sizes.size()]
/// bytes.
std::vector<Extent> extents(const std::vector<std::size_t>& offsets,
                            const std::vector<std::size_t>& sizes) {
  std::vector<Extent> found;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    found.push_back({offsets[i], offsets[i] + sizes[i % sizes.size()]});
  std::ranges::sort(found, {}, &Extent::begin);
  return found;
}

TEST(Placement, IsAlignedDisjointInsideAndNearlyGapless) {
  std::mt19937_64 random(1);
  const std::vector<std::size_t> sizes{1, 64, 100, 5000, 100000};
  const std::size_t capacity = placement_bytes(sizes, 7);
  for (int draw = 0; draw < 200; ++draw) {
    const auto offsets = random_placement(sizes, 7, capacity, random);
    ASSERT_EQ(offsets.size(), 35u);
    std::size_t end = 0;
    for (const Extent& extent : extents(offsets, sizes)) {
      EXPECT_EQ(extent.begin % 64, 0u);
      EXPECT_GE(extent.begin, end);
      EXPECT_LT(extent.begin, end + 64 + 4096);
      end = extent.end;
    }
    EXPECT_LE(end, capacity);
  }
}

TEST(Placement, IsFreshInOrderAndInGaps) {
  std::mt19937_64 random(1);
  const std::vector<std::size_t> sizes{4096, 4096};
  const std::size_t capacity = placement_bytes(sizes, 1);
  std::set<std::size_t> distances;
  bool first_is_first = false, first_is_second = false;
  for (int draw = 0; draw < 100; ++draw) {
    const auto offsets = random_placement(sizes, 1, capacity, random);
    (offsets[0] < offsets[1] ? first_is_first : first_is_second) = true;
    distances.insert(offsets[0] < offsets[1] ? offsets[1] - offsets[0] : offsets[0] - offsets[1]);
  }
  EXPECT_TRUE(first_is_first && first_is_second);
  EXPECT_GT(distances.size(), 30u);
  EXPECT_EQ(*distances.begin() / 64, 64u);
}

TEST(Placement, OfASmallContenderStartsAnywhereInTheArena) {
  std::mt19937_64 random(1);
  const std::vector<std::size_t> sizes{64};
  std::set<std::size_t> starts;
  for (int draw = 0; draw < 500; ++draw)
    starts.insert(random_placement(sizes, 1, 1024 + 128, random)[0]);
  EXPECT_EQ(*starts.begin(), 0u);
  EXPECT_EQ(*starts.rbegin(), 1088u);
  EXPECT_EQ(starts.size(), 18u);
}

TEST(Arena, SaysWhatItNeededWhenThereIsNone) {
  FakeClock clock;
  FakeBackend backend(clock);
  backend.on_allocate = [](Memory, std::size_t) {
    throw std::runtime_error("mmap: Cannot allocate memory");
  };
  try {
    Arena(backend, Memory::PageableHuge, 3'200'000'000);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "needs 3.20 GB of pageable_huge memory: mmap: Cannot allocate memory");
  }
}

TEST(Arena, HandsAllOfItsMemoryToTouch) {
  FakeClock clock;
  FakeBackend backend(clock);
  const std::byte* touched = nullptr;
  std::size_t bytes = 0;
  Arena arena(backend, Memory::Pageable, 3 * 4096 + 1, {},
              [&](std::byte* first, std::size_t all, const TouchPlan&) {
                touched = first;
                bytes = all;
              });
  EXPECT_EQ(touched, arena.data());
  EXPECT_EQ(bytes, arena.bytes());
  EXPECT_THAT(backend.log, ElementsAre("allocate pageable 12289"));
}

}  // namespace
}  // namespace normbench::arena_test
