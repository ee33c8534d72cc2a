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

/// What a device did, as events tell.
Slice device_slice(std::int64_t start_ns, std::int64_t end_ns, std::string_view name) {
  Slice made = slice(start_ns, end_ns, name);
  made.place = Place::Cuda;
  return made;
}

TEST(ProfileRows, DeviceTimeGoesToTheStageAndItsStep) {
  const std::vector<ThreadLog> threads{
      {.tid = 1,
       .name = "main",
       .slices = {slice(0, 2, "h2d"), slice(2, 4, "cast"),
                  slice(0, 100, "ProfilerStep#0", RangeKind::Step), slice(110, 112, "h2d"),
                  slice(112, 114, "cast"), slice(110, 190, "ProfilerStep#1", RangeKind::Step)}},
      // The clocks differ: the first slice of the second step starts before the step.
      {.tid = 2,
       .name = "CUDA stream, times from events",
       .slices = {device_slice(1, 31, "h2d"), device_slice(31, 91, "cast"),
                  device_slice(109, 149, "h2d"), device_slice(149, 188, "cast")}}};
  const std::vector<ProfileRow> expected{{.name = "ProfilerStep*",
                                          .place = "cpu",
                                          .shapes = "",
                                          .calls = 2,
                                          .self_cpu_ns = 172,
                                          .cpu_ns = 180,
                                          .self_device_ns = 0,
                                          .device_ns = 169},
                                         {.name = "h2d",
                                          .place = "cpu",
                                          .shapes = "",
                                          .calls = 2,
                                          .self_cpu_ns = 4,
                                          .cpu_ns = 4,
                                          .self_device_ns = 70,
                                          .device_ns = 70},
                                         {.name = "cast",
                                          .place = "cpu",
                                          .shapes = "",
                                          .calls = 2,
                                          .self_cpu_ns = 4,
                                          .cpu_ns = 4,
                                          .self_device_ns = 99,
                                          .device_ns = 99}};
  EXPECT_EQ(profile_rows(threads), expected);
  EXPECT_EQ(profile_totals(expected),
            "Self CPU time total: 0.180us\nSelf CUDA time total: 0.169us\n");
}

TEST(ProfileRows, DeviceTimeOutsideOfStepsIsTheStagesAlone) {
  const ThreadLog lane{.tid = 2, .name = "stream", .slices = {device_slice(0, 10, "cast")}};
  const std::vector<ProfileRow> rows = profile_rows(std::span(&lane, 1));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 0);
  EXPECT_EQ(rows[0].device_ns, 10);
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
