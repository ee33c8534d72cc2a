#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "trace/profile_table.h"
#include "trace/slices.h"

namespace normbench {
namespace {

using testing::ElementsAre;

/// "name place calls self/total" of each row.
std::vector<std::string> lines(const std::vector<ProfileRow>& rows) {
  std::vector<std::string> result;
  for (const ProfileRow& row : rows) {
    std::string line = row.name;
    line.append(" ").append(row.place).append(" ").append(std::to_string(row.calls));
    line.append(" ").append(std::to_string(row.self_cpu_ns));
    line.append("/").append(std::to_string(row.cpu_ns));
    result.push_back(line);
  }
  return result;
}

TEST(ProfileRows, SelfTimeIsWhatNoChildCovers) {
  const ThreadLog thread{.tid = 1,
                         .name = "main",
                         .slices = {slice(10, 15, "constants", RangeKind::Part, 3),
                                    slice(10, 40, "sub", RangeKind::Stage, 2),
                                    slice(40, 80, "div", RangeKind::Stage, 2),
                                    slice(0, 100, "ProfilerStep#0", RangeKind::Step, 1),
                                    slice(110, 140, "sub", RangeKind::Stage, 2),
                                    slice(100, 150, "ProfilerStep#1", RangeKind::Step, 1),
                                    slice(0, 150, "A2", RangeKind::Variant, 0)}};
  EXPECT_THAT(lines(profile_rows(std::span(&thread, 1))),
              ElementsAre("ProfilerStep* cpu 2 50/150", "sub cpu 2 55/60", "constants cpu 1 5/5",
                          "div cpu 1 40/40"));
}

TEST(ProfileRows, ThreadsNestOnTheirOwn) {
  const std::vector<ThreadLog> threads{
      {.tid = 1, .name = "a", .slices = {slice(0, 100, "load")}},
      {.tid = 2, .name = "b", .slices = {slice(10, 60, "decode")}}};
  EXPECT_THAT(lines(profile_rows(threads)),
              ElementsAre("load cpu 1 100/100", "decode cpu 1 50/50"));
}

TEST(ProfileRows, OfEqualSlicesTheShallowerIsTheParent) {
  const ThreadLog thread{.tid = 1,
                         .name = "main",
                         .slices = {slice(0, 10, "inner", RangeKind::Part, 1),
                                    slice(0, 10, "outer", RangeKind::Stage, 0)}};
  EXPECT_THAT(lines(profile_rows(std::span(&thread, 1))),
              ElementsAre("outer cpu 1 0/10", "inner cpu 1 10/10"));
}

TEST(ProfileRows, ASliceThatSticksOutIsNoChild) {
  const ThreadLog thread{
      .tid = 1, .name = "main", .slices = {slice(0, 10, "a"), slice(5, 15, "b"), slice(6, 9, "c")}};
  EXPECT_THAT(lines(profile_rows(std::span(&thread, 1))),
              ElementsAre("a cpu 1 10/10", "b cpu 1 7/10", "c cpu 1 3/3"));
}

/// Records a random tree of ranges below `depth` and returns when it ends.
std::int64_t record(std::mt19937& random, std::int64_t now, std::uint32_t depth,
                    std::vector<Slice>& slices) {
  const std::int64_t start = now;
  now += random() % 5;
  for (auto children = depth < 5 ? random() % 4 : 0; children > 0; --children)
    now = record(random, now + random() % 3, depth + 1, slices);
  now += random() % 5;
  static constexpr std::array<std::string_view, 4> names{"ProfilerStep#1", "sub", "div", "part"};
  slices.push_back(slice(start, now, names[random() % 4],
                         depth == 0 ? RangeKind::Step : RangeKind::Stage, depth));
  return now;
}

TEST(ProfileRows, SelfTimesSumToTheTotalOfTheTopLevelRanges) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<ThreadLog> threads(1 + random() % 3);
    std::int64_t top_level = 0;
    for (ThreadLog& thread : threads)
      for (std::int64_t now = 0; now < 100; ++now) {
        const std::int64_t end = record(random, now, 0, thread.slices);
        top_level += end - now;
        now = end;
      }
    std::int64_t self = 0;
    for (const ProfileRow& row : profile_rows(threads)) {
      EXPECT_GE(row.self_cpu_ns, 0);
      EXPECT_LE(row.self_cpu_ns, row.cpu_ns);
      self += row.self_cpu_ns;
    }
    EXPECT_EQ(self, top_level);
  }
}

}  // namespace
}  // namespace normbench
