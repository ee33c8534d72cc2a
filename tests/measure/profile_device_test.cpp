// Tests of profiles of cases that use a device, with device times from marks (CUDA events).
#include "measure/profile_fixture.h"

namespace normbench::profile_device_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(DeviceProfileTest, MarksGiveTheDevicesTimesOnTheHostsClock) {
  const CaseProfile profile = profiled(send_and_cast());
  EXPECT_THAT(slices(traces.at(0)), ElementsAre("h2d 0 12000 240 #3", "cast 12000 24000 600 #4",
                                                "ProfilerStep#2 0 611000 0 #0",  //
                                                "h2d 0 12000 240 #5", "cast 12000 24000 600 #6",
                                                "ProfilerStep#3 0 611000 0 #0"));
  EXPECT_THAT(records(traces.at(0)),
              ElementsAre("stage h2d 500 311000 240 #3 link", "stage cast 311000 611000 600 #4",
                          "stage h2d 500 311000 240 #5 link", "stage cast 311000 611000 600 #6"));
  ASSERT_EQ(traces[0].devices.size(), 1u);
  EXPECT_EQ(traces[0].devices[0].source, "CUDA events");
  for (const DeviceRecord& record : traces[0].devices[0].records) {
    EXPECT_EQ(record.device, 3);
    EXPECT_EQ(record.stream, 1);
  }
  EXPECT_EQ(profile.steps, 2);
  EXPECT_EQ(profile.discarded, 1);
  EXPECT_EQ(profile.device_times, DeviceTimes::CudaEvents);
  EXPECT_EQ(profile.clock_error_ns, 500);  // half of the 1 us in which a mark is made and reached
}

TEST_F(DeviceProfileTest, EveryCycleHasATraceOfItsOwnAndNumbersGoOn) {
  plan.profile.repeat = 2;
  profiled(make_case("send", {on_device(H2d{}, 0)}));
  EXPECT_EQ(traces.at(0).devices.size(), 2u);
  EXPECT_THAT(records(traces[0]),
              ElementsAre("stage h2d 500 311000 240 #2 link", "stage h2d 500 311000 240 #3 link",
                          "stage h2d 500 311000 240 #5 link", "stage h2d 500 311000 240 #6 link"));
}

TEST_F(DeviceProfileTest, AGraphIsOneRecordAndIsCapturedBefore) {
  device->graph_ns = 5'000'000;
  profiled(graph_case());
  EXPECT_THAT(slices(traces.at(0)),
              ElementsAre("graph (h2d, cast) 0 12000 840 #2", "ProfilerStep#2 0 611000 0 #0",
                          "graph (h2d, cast) 0 12000 840 #3", "ProfilerStep#3 0 611000 0 #0"));
  EXPECT_THAT(records(traces[0]), ElementsAre("stage graph (h2d, cast) 500 611000 840 #2",
                                              "stage graph (h2d, cast) 500 611000 840 #3"));
  EXPECT_EQ(traces[0].shapes.at("graph (h2d, cast)"), "[[2, 3, 4, 5]]");
}

TEST_F(DeviceProfileTest, WithoutADeviceThereAreNoDeviceTimes) {
  const CaseProfile profile = profiled(cast_case("on the CPU", 0));
  EXPECT_EQ(traces.at(0).threads.size(), 1u);
  EXPECT_THAT(traces[0].devices, IsEmpty());
  EXPECT_EQ(profile.clock_error_ns, 0);
  EXPECT_EQ(profile.device_times, std::nullopt);
}

TEST_F(DeviceProfileTest, ACaseThatFailsInAStepLeavesNothingOn) {
  device->rows[1].then = [&](const FakeCall&) {
    if (recorder.enabled()) throw std::runtime_error("an illegal address");
  };
  add_group({send_and_cast("breaks"), make_case("send", {on_device(H2d{}, 0)})});
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(group.cases[0].notes, ElementsAre("not profiled: an illegal address"));
  ASSERT_EQ(group.profile.size(), 1u);
  EXPECT_EQ(group.profile[0].variant, "send");
  EXPECT_FALSE(recorder.enabled());
}

}  // namespace
}  // namespace normbench::profile_device_test
