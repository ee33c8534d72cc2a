#include <gmock/gmock.h>

#include "report/profile_fixture.h"
#include "report/table_formats.h"

namespace normbench::profile_footers_test {
namespace {

using testing::ElementsAre;

TEST(ProfileFooters, SayWhatTheRowsAddUpTo) {
  EXPECT_THAT(
      profile_footers(gpu_profile()),
      ElementsAre("Wall time of 10 steps: 5.610ms", "GPU busy 97 %: 5.464ms, over all streams",
                  "Overlap: 100.000us with two pieces of device work or more at once",
                  "Exposed transfers: 4.912ms of 5.012ms, with no kernel beside them",
                  "Gaps: 10 between pieces of device work, together 46.000us",
                  "2 steps discarded for warm-up", "Profiled steps took 1.03x the measured time",
                  "Kernel times: CUPTI, on the host's clock to within 0.40 us"));
}

TEST(ProfileFooters, AreNotThereForWhatThereIsNot) {
  EXPECT_THAT(profile_footers({.variant = "", .rows = {}}), ElementsAre());
  EXPECT_THAT(profile_footers({.variant = "",
                               .steps = 1,
                               .discarded = 1,
                               .overhead = 0.987,
                               .times = {.wall_ns = 1'500'000},
                               .rows = {}}),
              ElementsAre("Wall time of 1 step: 1.500ms", "1 step discarded for warm-up",
                          "Profiled steps took 0.99x the measured time"));
}

TEST(ProfileFooters, OfAForeignTraceHaveNoSteps) {
  EXPECT_THAT(profile_footers({.variant = "", .times = {.wall_ns = 1'500'000}, .rows = {}}),
              ElementsAre("Wall time: 1.500ms"));
}

TEST(DeviceTimesText, NamesTheSource) {
  CaseProfile profile{.variant = "", .rows = {}};
  EXPECT_EQ(device_times_text(profile), "");
  profile.device_times = DeviceTimes::CudaEvents;
  EXPECT_EQ(device_times_text(profile), "device times: CUDA events");
  profile.clock_error_ns = 1'234;
  EXPECT_EQ(device_times_text(profile), "device times: CUDA events, to within 1.2 us");
  profile.device_times = DeviceTimes::Cupti;
  EXPECT_EQ(device_times_text(profile), "kernel times: CUPTI");
}

TEST(DeviceTimesText, OfOlderDocumentsAreByEvents) {
  EXPECT_EQ(device_times_text({.variant = "", .clock_error_ns = 500, .rows = {}}),
            "device times: CUDA events, to within 0.50 us");
}

TEST(BusyText, IsAShareOfTheWallTime) {
  CaseProfile profile = gpu_profile();
  EXPECT_EQ(busy_text(profile), "GPU busy 97 %");
  profile.times.wall_ns = 0;
  EXPECT_EQ(busy_text(profile), "");
  profile.times = {.wall_ns = 10};
  EXPECT_EQ(busy_text(profile), "");
}

TEST(LossesText, IsInPlainWords) {
  EXPECT_EQ(losses_text({}), "");
  EXPECT_EQ(losses_text({.launches = 40, .launched = 40}), "");
  EXPECT_EQ(losses_text({.dropped = 1, .without_times = 2, .launches = 40, .launched = 38}),
            "1 record had no room; 2 records had no times; 2 of 40 launches have no work in the "
            "profile");
  EXPECT_EQ(losses_text({.dropped = 2, .lost_buffers = 1}),
            "2 records had no room; 1 buffer of records had no room");
  EXPECT_EQ(losses_text({.lost_buffers = 3}), "3 buffers of records had no room");
  EXPECT_EQ(losses_text({.without_launch = 1, .before_launch = 1, .most_skew_ns = 3'200}),
            "1 piece of device work has no launch in the profile; 1 piece of device work seemed to "
            "begin before the launch, by 3.200us at most, and was moved to it");
  EXPECT_EQ(losses_text({.without_launch = 3, .before_launch = 1'200, .most_skew_ns = 3'200}),
            "3 pieces of device work have no launch in the profile; 1,200 pieces of device work "
            "seemed to begin before the launch, by 3.200us at most, and were moved to it");
}

TEST(ProfileFooters, EndWithWhatWasLost) {
  CaseProfile profile = gpu_profile();
  profile.losses = {.launches = 20, .launched = 19};
  EXPECT_EQ(profile_footers(profile).back(), "Lost: 1 of 20 launches have no work in the profile");
}

}  // namespace
}  // namespace normbench::profile_footers_test
