// Tests of profiles of cases that use a device, with device times from a tracer (like CUPTI)
// instead of CUDA events.
#include "measure/device_tracing.h"
#include "measure/fake_tracer.h"
#include "measure/profile_fixture.h"

namespace normbench::profile_tracer_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A DeviceProfileTest with a fake tracer that writes to the device's log.
struct TracerTest : DeviceProfileTest {
  TracerTest() { tracer = &fake_tracer; }

  /// Returns the log lines of the tracer's calls and of the device's launches and marks, from the
  /// first start of the tracer on.
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    for (const std::string& line : fake->log) {
      if (lines.empty() && line != "tracer: start") continue;
      if (line.starts_with("tracer: ") || line.starts_with("launch ") || line.starts_with("mark "))
        lines.push_back(line);
    }
    return lines;
  }
  std::int64_t told_of(const std::string& what) const {
    return std::ranges::count(fake->log, "tracer: " + what);
  }

  FakeTracer fake_tracer{fake->log};
};

TEST_F(TracerTest, EachStretchIsStartedAndStoppedAndEachSubmissionNumbered) {
  const CaseProfile profile = profiled(send_and_cast());
  EXPECT_THAT(told(), ElementsAre("tracer: start",                              // warm-up steps
                                  "tracer: push 1", "launch 0", "tracer: pop",  //
                                  "tracer: push 2", "launch 1", "tracer: pop",  //
                                  "tracer: stop",
                                  "tracer: start",                              // kept steps
                                  "tracer: push 3", "launch 0", "tracer: pop",  //
                                  "tracer: push 4", "launch 1", "tracer: pop",  //
                                  "tracer: push 5", "launch 0", "tracer: pop",  //
                                  "tracer: push 6", "launch 1", "tracer: pop",  //
                                  "tracer: stop"));
  EXPECT_THAT(slices(traces.at(0)), ElementsAre("h2d 0 10000 240 #3", "cast 10000 20000 600 #4",
                                                "ProfilerStep#2 0 610000 0 #0",  //
                                                "h2d 0 10000 240 #5", "cast 10000 20000 600 #6",
                                                "ProfilerStep#3 0 610000 0 #0"));
  ASSERT_EQ(traces[0].devices.size(), 1u);
  EXPECT_EQ(traces[0].devices[0].source, "CUPTI");
  EXPECT_EQ(traces[0].devices[0].records.at(0).name, "kernel 1");  // warm-up had kernel 0
  EXPECT_EQ(profile.device_times, DeviceTimes::Cupti);
  EXPECT_EQ(profile.clock_error_ns, 40);
  EXPECT_EQ(untraced, "");
}

TEST_F(TracerTest, AGraphIsOneSubmissionAndIsCapturedBeforeTracing) {
  plan.measure.cache = Cache::Cold;  // so that each set of buffers has its own graph
  profiled(graph_case());
  std::vector<std::string> recorded, between;
  bool records = false;
  for (const std::string& line : told()) {
    records |= line == "tracer: start";
    (records ? recorded : between).push_back(line);
    records &= line != "tracer: stop";
  }
  EXPECT_EQ(std::ranges::count(between, "launch graph of 2"), 2);  // once for each graph
  EXPECT_THAT(recorded,
              ElementsAre("tracer: start", "tracer: push 1", "launch graph of 2", "tracer: pop",
                          "tracer: stop",  //
                          "tracer: start", "tracer: push 2", "launch graph of 2", "tracer: pop",
                          "tracer: push 3", "launch graph of 2", "tracer: pop", "tracer: stop"));
  bool traced = false;
  for (const std::string& line : fake->log) {
    traced = line == "tracer: start" || (traced && line != "tracer: stop");
    if (traced) {
      EXPECT_THAT(line, Not(StartsWith("capture")));
    }
  }
}

TEST_F(TracerTest, IsAttachedOnceAtTheFirstDeviceCaseOfTheProfilePass) {
  std::vector<std::string> told_before;
  fake_tracer.on_attach = [&] { told_before = observer.told; };
  add_group({cast_case("on the CPU", 0), send_and_cast()});
  add_group({send_and_cast()});
  run_plan();
  EXPECT_THAT(told_before, ElementsAre("start 0", "finish 0", "start 1", "finish 1"));
  EXPECT_EQ(told_of("attach"), 1);
  EXPECT_EQ(told_of("start"), 2 * 2);
}

TEST_F(TracerTest, CasesWithoutADeviceDoNotAskForIt) {
  const CaseProfile profile = profiled(cast_case("on the CPU", 0));
  EXPECT_EQ(told_of("attach"), 0);
  EXPECT_EQ(profile.device_times, std::nullopt);
}

TEST_F(TracerTest, OneThatCannotAttachIsReplacedByMarks) {
  fake_tracer.cannot_attach = "CUPTI is in use by Nsight Systems";
  add_group({send_and_cast("a"), send_and_cast("b")});
  const GroupResult group = run_plan().groups[0];
  for (const CaseProfile& profile : group.profile) {
    EXPECT_EQ(profile.device_times, DeviceTimes::CudaEvents);
    EXPECT_EQ(profile.steps, 2);
  }
  EXPECT_THAT(group.cases[0].notes, IsEmpty());
  EXPECT_EQ(untraced, "CUPTI is in use by Nsight Systems");
  EXPECT_EQ(told_of("attach"), 1);
  EXPECT_EQ(told_of("start"), 0);
  EXPECT_EQ(records(traces.at(0)).size(), 4u);
}

TEST_F(TracerTest, WhatACaseThrowsEndsItsStretchAndNotTheTracer) {
  device->rows[1].then = [&](const FakeCall&) {
    if (recorder.enabled()) throw std::runtime_error("an illegal address");
  };
  add_group({send_and_cast("breaks"), make_case("send", {on_device(H2d{}, 0)})});
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(group.cases[0].notes, ElementsAre("not profiled: an illegal address"));
  EXPECT_EQ(told_of("start"), told_of("stop"));
  EXPECT_EQ(told_of("start"), 1 + 2);
  EXPECT_EQ(group.profile.at(0).device_times, DeviceTimes::Cupti);
}

/// The parameter is the call of the tracer that throws. "push 1" is in a warm-up step, "push 4" in
/// a kept step, and the other calls are in both.
class FailingTracerTest : public TracerTest, public testing::WithParamInterface<std::string> {};

TEST_P(FailingTracerTest, TheCaseIsProfiledAgainWithMarksAndSaysSo) {
  fake_tracer.throws_at = GetParam();
  add_group({send_and_cast("a"), send_and_cast("b")});
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(group.cases[0].notes,
              ElementsAre("profiled again with CUDA events, because the tracer failed: " +
                          GetParam() + " is broken"));
  EXPECT_THAT(group.cases[1].notes, IsEmpty());
  ASSERT_EQ(group.profile.size(), 2u);
  for (const CaseProfile& profile : group.profile) {
    EXPECT_EQ(profile.device_times, DeviceTimes::CudaEvents);
    EXPECT_EQ(profile.steps, 2);
    EXPECT_EQ(profile.discarded, 1);
  }
  EXPECT_EQ(traces.size(), 2u);
  EXPECT_THAT(slices(traces[0]), Contains("ProfilerStep#2 0 611000 0 #0"));
  EXPECT_EQ(untraced, GetParam() + " is broken");
}

INSTANTIATE_TEST_SUITE_P(All, FailingTracerTest,
                         testing::Values("start", "push 1", "push 4", "pop", "stop"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_F(TracerTest, OneThatCannotAttachForAnErrorIsOneThatCannot) {
  fake_tracer.throws_at = "attach";
  const CaseProfile profile = profiled(send_and_cast());
  EXPECT_EQ(profile.device_times, DeviceTimes::CudaEvents);
  EXPECT_EQ(untraced, "attach is broken");
}

TEST_F(TracerTest, OneThatGivesUpInTheMiddleHasFailedToo) {
  fake_tracer.on_attach = [&] { fake_tracer.gave_up = "CUPTI keeps its records"; };
  add_group({send_and_cast()});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.profile.at(0).device_times, DeviceTimes::CudaEvents);
  EXPECT_THAT(
      group.cases[0].notes,
      ElementsAre(
          "profiled again with CUDA events, because the tracer failed: CUPTI keeps its records"));
}

}  // namespace
}  // namespace normbench::profile_tracer_test
