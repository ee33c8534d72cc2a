#include <chrono>
#include <future>

#include "measure/profile_fixture.h"
#include "measure/profile_pass.h"

namespace normbench::profile_capture_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Tests of the calls that start and stop the recording of an attached profiling tool.
struct CaptureTest : DeviceProfileTest {
  CaptureTest() { start_profiler = true; }
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    for (const std::string& line : fake->log)
      if (line.ends_with(" capture") && (line.starts_with("start") || line.starts_with("stop")))
        lines.push_back(line);
    return lines;
  }
};

TEST_F(CaptureTest, ProfilersAreStartedAroundTheProfilePassOfAllGroups) {
  // When the capture starts and when it stops, `told_before` gets the number of starts and ends of
  // groups so far. It must be 4: both groups have ended. At each profile, `told_before` gets the
  // number of starts and stops of the capture so far. It must be 1: the capture has only started.
  std::vector<std::size_t> told_before;
  device->on_capture = [&] { told_before.push_back(observer.told.size()); };
  on_profile = [&](const ProfileTrace&, CaseProfile&) { told_before.push_back(told().size()); };
  add_group({send_and_cast()});
  add_group({send_and_cast()});
  run_plan();
  EXPECT_THAT(told(), ElementsAre("start capture", "stop capture"));
  EXPECT_THAT(told_before, ElementsAre(4, 1, 1, 4));
}

TEST_F(CaptureTest, OnlyWhenAskedFor) {
  start_profiler = false;
  profiled(send_and_cast());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(CaptureTest, OneThatCannotBeStartedCostsNoResult) {
  device->on_capture = [] { throw std::runtime_error("cudaProfilerStart failed"); };
  EXPECT_EQ(profiled(send_and_cast()).steps, 2);
  EXPECT_EQ(uncaptured, "cudaProfilerStart failed");
}

/// A profiling tool whose stop call does not return until the run has given up waiting for the
/// call.
struct StuckToolTest : CaptureTest {
  StuckToolTest() {
    plan.measure.turn_timeout_seconds = 0;
    on_stuck = [this] { left.set_value(); };
    device->on_capture = [this] {
      if (fake->log.back() == "stop capture")
        in_time = left.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    };
    add_group({send_and_cast()});
  }

  std::promise<void> left;
  bool in_time = false;
};

TEST_F(StuckToolTest, IsLeft) {
  run_plan();
  EXPECT_TRUE(in_time);
}

TEST_F(StuckToolTest, IsLeftWhereTheRunIsEndedByAFailureToo) {
  observer.on_step = [](const GroupStep& step) {
    if (step.kind == GroupStep::Kind::Profiled) throw std::runtime_error("no space");
  };
  EXPECT_THROW(run_plan(), std::runtime_error);
  EXPECT_TRUE(in_time);
}

}  // namespace
}  // namespace normbench::profile_capture_test
