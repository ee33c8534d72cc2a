#include <gtest/gtest.h>

#include <array>
#include <random>

#include "trace/profile_rows.h"
#include "trace/small_model.h"

namespace normbench::profile_times_test {
namespace {

constexpr auto kStep = TraceKind::UserAnnotation;

SmallSlice step(std::int64_t start_ns, std::int64_t end_ns) {
  return {.start_ns = start_ns, .end_ns = end_ns, .name = "ProfilerStep#1", .kind = kStep};
}
SmallSlice kernel(std::int64_t start_ns, std::int64_t end_ns, std::int64_t stream = 7) {
  return {.start_ns = start_ns,
          .end_ns = end_ns,
          .name = "k",
          .kind = TraceKind::Kernel,
          .lane = stream};
}
SmallSlice copy(std::int64_t start_ns, std::int64_t end_ns, std::int64_t stream = 8) {
  return {.start_ns = start_ns,
          .end_ns = end_ns,
          .name = "Memcpy HtoD",
          .kind = TraceKind::GpuMemcpy,
          .lane = stream,
          .over_link = true};
}

TEST(ProfileTimes, UnionsOverAllStreams) {
  EXPECT_EQ(profile_times(small_model(
                {step(0, 100), copy(10, 40), kernel(30, 60), kernel(50, 55, 9), copy(70, 75)})),
            (ProfileTimes{.wall_ns = 100,
                          .busy_ns = 55,          // 10-60, 70-75
                          .copy_ns = 35,          // 10-40, 70-75
                          .exposed_copy_ns = 25,  // 10-30, 70-75
                          .overlap_ns = 15,       // 30-40, 50-55
                          .gaps = 1,
                          .gap_ns = 10}));  // 60-70
}

TEST(ProfileTimes, StepsAddUpAndOnlyWhatIsInThemCounts) {
  EXPECT_EQ(profile_times(small_model({kernel(0, 15), step(10, 20), kernel(18, 35), step(30, 40),
                                       kernel(38, 39), kernel(100, 200)})),
            (ProfileTimes{.wall_ns = 20,
                          .busy_ns = 13,  // 10-15, 18-20, 30-35, 38-39
                          .gaps = 2,
                          .gap_ns = 6}));  // 15-18, 35-38
}

TEST(ProfileTimes, IdleTimeAcrossStepsThatTouchIsNoGap) {
  EXPECT_EQ(profile_times(small_model({step(0, 10), kernel(2, 4), step(10, 20), kernel(16, 18)})),
            (ProfileTimes{.wall_ns = 20, .busy_ns = 4}));
}

TEST(ProfileTimes, WorkThatFollowsDirectlyLeavesNoGapAndDoesNotOverlap) {
  EXPECT_EQ(profile_times(small_model({step(0, 10), kernel(2, 4), kernel(4, 6, 9)})),
            (ProfileTimes{.wall_ns = 10, .busy_ns = 4}));
}

TEST(ProfileTimes, WithoutStepsTheWholeModelCounts) {
  EXPECT_EQ(profile_times(small_model({{5, 50, "op"}, kernel(20, 80), kernel(90, 95)})),
            (ProfileTimes{.wall_ns = 90, .busy_ns = 65, .gaps = 1, .gap_ns = 10}));
}

TEST(ProfileTimes, CopiesOnTheDeviceAndAnnotationsAreNoTransfers) {
  const SmallSlice on_device{
      .start_ns = 1, .end_ns = 3, .name = "Memcpy DtoD", .kind = TraceKind::GpuMemcpy, .lane = 7};
  const SmallSlice annotation{.start_ns = 0,
                              .end_ns = 9,
                              .name = "ProfilerStep#1",
                              .kind = TraceKind::GpuUserAnnotation,
                              .lane = 7};
  EXPECT_EQ(profile_times(small_model({step(0, 10), on_device, annotation})),
            (ProfileTimes{.wall_ns = 10, .busy_ns = 2}));
}

TEST(ProfileTimes, MarksStandForWork) {
  SmallSlice h2d{.start_ns = 1,
                 .end_ns = 4,
                 .name = "h2d",
                 .kind = TraceKind::GpuUserAnnotation,
                 .lane = 7,
                 .over_link = true,
                 .from_marks = true};
  SmallSlice cast = h2d;
  cast.start_ns = 4;
  cast.end_ns = 9;
  cast.over_link = false;
  EXPECT_EQ(profile_times(small_model({step(0, 10), h2d, cast})),
            (ProfileTimes{.wall_ns = 10, .busy_ns = 8, .copy_ns = 3, .exposed_copy_ns = 3}));
}

TEST(ProfileTimes, NothingIsNothing) {
  EXPECT_EQ(profile_times(TraceModel()), ProfileTimes());
  EXPECT_EQ(profile_times(small_model({step(3, 3), kernel(3, 3)})), ProfileTimes());
}

/// Compares the times with counts that look at each nanosecond on its own.
TEST(ProfileTimes, AreWhatEachNanosecondSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    TraceModel model = small_model({step(10, 40), step(40, 60), step(70, 90)});
    std::array<int, 100> copies{}, kernels{};
    for (auto count = random() % 8; count > 0; --count) {
      const auto start = static_cast<std::int64_t>(random() % 90);
      const auto end = start + static_cast<std::int64_t>(random() % 10);
      const bool is_copy = random() % 2 == 0;
      TraceModel more = small_model({is_copy ? copy(start, end) : kernel(start, end)});
      more.lanes[0].slices[0].details = static_cast<std::int32_t>(model.details.size());
      more.lanes[0].slices[0].name = "work";  // the name must outlive `more`
      more.lanes[0].slices[0].shapes = "";
      model.details.push_back(more.details[0]);
      model.lanes.push_back(more.lanes[0]);
      for (auto ns = start; ns < end; ++ns)
        ++(is_copy ? copies : kernels)[static_cast<std::size_t>(ns)];
    }
    ProfileTimes expected;
    bool worked = false;
    std::int64_t idle = 0;
    for (std::size_t ns = 0; ns < 100; ++ns) {
      if (ns == 10 || ns == 40 || ns == 70) worked = false;
      if (!((ns >= 10 && ns < 60) || (ns >= 70 && ns < 90))) continue;
      const int work = copies[ns] + kernels[ns];
      ++expected.wall_ns;
      expected.overlap_ns += work > 1;
      expected.copy_ns += copies[ns] > 0;
      expected.exposed_copy_ns += copies[ns] > 0 && kernels[ns] == 0;
      expected.busy_ns += work > 0;
      if (work > 0) {
        if (worked && idle > 0) {
          ++expected.gaps;
          expected.gap_ns += idle;
        }
        worked = true;
        idle = 0;
      } else {
        ++idle;
      }
    }
    ASSERT_EQ(profile_times(model), expected) << "round " << round;
  }
}

TEST(ProfileTimes, StepsAreCounted) {
  EXPECT_EQ(profile_steps(small_model({step(0, 1), step(1, 2), {0, 2, "op"}})), 2);
  EXPECT_EQ(profile_steps(TraceModel()), 0);
}

TEST(ProfileLosses, AreTheModels) {
  TraceModel model;
  model.losses = {.dropped = 1,
                  .lost_buffers = 10,
                  .without_times = 2,
                  .launches = 5,
                  .launched = 4,
                  .without_launch = 3,
                  .before_launch = 6,
                  .most_skew_ns = 7,
                  .clipped = 8,
                  .cut_off = 9};
  EXPECT_EQ(profile_losses(model.losses), (ProfileLosses{.dropped = 1,
                                                         .lost_buffers = 10,
                                                         .without_times = 2,
                                                         .launches = 5,
                                                         .launched = 4,
                                                         .without_launch = 3,
                                                         .before_launch = 6,
                                                         .most_skew_ns = 7}));
}

}  // namespace
}  // namespace normbench::profile_times_test
