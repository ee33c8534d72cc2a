// Tests the profile pass (the recorded steps of each case after its measured rounds) with the CUDA
// backend on the fake runtime. Some tests use a fake tracer.
#include <algorithm>

#include "cuda/cuda_measure.h"
#include "measure/fake_tracer.h"

namespace normbench::profile_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CudaProfileTest : public CudaMeasureTest {
 protected:
  CudaProfileTest() {
    on_profile = [this](ProfileTrace trace, CaseProfile&) { traces.push_back(std::move(trace)); };
  }
  Plan small_plan(const std::string& variant) {
    Plan plan = plan_of(R"({"schema": 1, "name": "small",
      "measure": {"max_seconds_per_group": 0.1, "cache": "hot"},
      "profile": {"wait": 1, "warmup": 1, "active": 2},
      "experiments": [{"name": "e", "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
                       "variants": {"v": )" +
                        variant + "}}]}");
    plan.profile.enabled = true;
    return plan;
  }
  static std::string stages() {
    return R"(["h2d", {"op": "normalize", "mean": [1, 2, 3], "std": [4, 5, 6]}])";
  }
  /// Returns the calls of the runtime and the tracer between the tracer's last start and its stop.
  Calls last_stretch() const {
    const auto start = std::find(cuda.log.rbegin(), cuda.log.rend(), "tracer: start").base();
    return {start, std::find(start, cuda.log.end(), "tracer: stop")};
  }

  std::vector<ProfileTrace> traces;
  FakeTracer fake_tracer{cuda.log};
};

TEST_F(CudaProfileTest, EventsGiveTheTimesOfStagesWithoutATracer) {
  const Results results = run_plan(small_plan(stages()));
  const CaseProfile& profile = results.groups.at(0).profile.at(0);
  EXPECT_EQ(profile.device_times, DeviceTimes::CudaEvents);
  EXPECT_GT(profile.clock_error_ns, 0);
  std::vector<std::string> found;
  for (const DeviceRecord& record : traces.at(0).devices.at(0).records)
    found.push_back(fmt::format("{} {} ns #{}", record.name, record.end_ns - record.start_ns,
                                record.external_id));
  EXPECT_THAT(found, ElementsAre("h2d 7500 ns #3", "normalize 3500 ns #4",  //
                                 "h2d 7500 ns #5", "normalize 3500 ns #6"));
}

TEST_F(CudaProfileTest, WithATracerNoEventLiesBetweenTheStages) {
  tracer = &fake_tracer;
  const Results results = run_plan(small_plan(stages()));
  EXPECT_EQ(results.groups.at(0).profile.at(0).device_times, DeviceTimes::Cupti);
  const Calls calls = last_stretch();
  EXPECT_THAT(calls, Each(Not(HasSubstr("cudaEvent"))));
  EXPECT_EQ(std::ranges::count(calls, "tracer: pop"), 4);
  EXPECT_EQ(calls.at(0), "tracer: push 3");
  EXPECT_THAT(calls.at(1), HasSubstr("cudaMemcpyAsync 96 pinned->device"));
  EXPECT_EQ(calls.at(2), "tracer: pop");
  EXPECT_EQ(calls.at(3), "tracer: push 4");
  EXPECT_THAT(calls.at(4), HasSubstr("cudaLaunchKernel"));
  EXPECT_EQ(calls.at(5), "tracer: pop");
}

TEST_F(CudaProfileTest, NothingIsCapturedWhileItIsTraced) {
  tracer = &fake_tracer;
  run_plan(small_plan(R"({"graph": true, "stages": )" + stages() + "}"));
  const Calls calls = last_stretch();
  EXPECT_THAT(calls, Each(AllOf(Not(HasSubstr("Capture")), Not(HasSubstr("cudaLaunchKernel")))));
  EXPECT_EQ(std::ranges::count_if(
                calls, [](const std::string& call) { return call.starts_with("cudaGraphLaunch"); }),
            2);
}

TEST_F(CudaProfileTest, AProfilerRecordsTheProfilePassAndNothingElse) {
  start_profiler = true;
  const Plan plan = small_plan(stages());
  const Calls calls = calls_of([&] { run_plan(plan); });
  const auto first = std::ranges::find(calls, "cudaProfilerStart");
  const auto last = std::ranges::find(calls, "cudaProfilerStop");
  ASSERT_LT(first, last);
  ASSERT_NE(last, calls.end());
  EXPECT_EQ(std::ranges::count(calls, "cudaProfilerStart"), 1);
  EXPECT_THAT(Calls(last + 1, calls.end()), IsEmpty());
  // The measured rounds launch kernels before the profiler starts. Between its start and its stop,
  // only the profiled steps launch kernels.
  const auto is_launch = [](const std::string& call) {
    return call.starts_with("cudaLaunchKernel");
  };
  EXPECT_GT(std::count_if(calls.begin(), first, is_launch), 12);
  EXPECT_GE(std::count_if(first, last, is_launch), 4);
}

TEST_F(CudaProfileTest, AnErrorOfTheDeviceIsANoteOfTheCase) {
  tracer = &fake_tracer;
  Plan plan = small_plan(stages());
  fake_tracer.on_attach = [&] {
    cuda.failures = {{.function = "cudaMemcpyAsync", .code = cudaErrorLaunchFailure, .nth = 3}};
  };
  const Results results = run_plan(plan);
  EXPECT_TRUE(results.groups.at(0).profile.empty());
  EXPECT_THAT(results.groups[0].cases.at(0).notes,
              ElementsAre(HasSubstr("not profiled: cudaMemcpyAsync(96 B) failed")));
  EXPECT_FALSE(results.groups[0].cases[0].rounds.empty());
  EXPECT_EQ(std::ranges::count(cuda.log, "tracer: start"), 1);
  EXPECT_EQ(std::ranges::count(cuda.log, "tracer: stop"), 1);
}

}  // namespace
}  // namespace normbench::profile_test
