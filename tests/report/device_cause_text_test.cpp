#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "example_results.h"
#include "report/cause_text.h"

namespace normbench::device_cause_text_test {
namespace {

/// A group with two cases, each of two small stages on the GPU. In "waits" the host waits after
/// every iteration, in "runs" it does not. An iteration takes 20 us in "waits" and 12 us in "runs".
/// In both cases, submitting takes 10 us, and the GPU works for 4 us according to CUPTI.
class SmallGpuWork : public testing::Test {
 protected:
  SmallGpuWork() : results_(examples::make_results("small", {GroupResult{}})) {
    group().cases = {on_gpu("waits", 0.020, {"sub", "div"}), on_gpu("runs", 0.012, {"sub", "div"})};
    group().cases[0].wait = Wait::Iteration;
    group().cases[1].wait = Wait::Turn;
    group().baseline = "waits";
    for (const CaseResult& result : group().cases)
      group().profile.push_back({.variant = result.variant,
                                 .steps = 10,
                                 .device_times = DeviceTimes::Cupti,
                                 .times = {.busy_ns = 40'000},
                                 .rows = {}});
  }

  static CaseResult on_gpu(const std::string& name, double ms,
                           const std::vector<std::string>& ops) {
    examples::CaseSpec spec{name, ms, DType::Float32, {}};
    for (const std::string& op : ops) spec.stages.push_back({op});
    CaseResult result = examples::make_case(spec);
    result.source->memory = Memory::Device;
    for (StageResult& stage : result.stages) {
      stage.place = Place::Cuda;
      stage.out.memory = Memory::Device;
      stage.rounds_ns.assign(examples::rounds, 2'000);
      stage.calls_ns.assign(examples::rounds, 5'000);
    }
    return result;
  }

  GroupResult& group() { return results_.groups[0]; }
  std::string of(Cause (*cause)(const Subject&), int index) {
    const CaseAnalysis analysis = analyse_case({group(), results_}, index);
    return cause_text(cause({group(), analysis, index, results_})).sentence();
  }
  Cause explained(int index) {
    const CaseAnalysis analysis = analyse_case({group(), results_}, index);
    return explain(group(), analysis, index, results_);
  }

  Results results_;
};

TEST_F(SmallGpuWork, WaitingIsWhatTheCaseWithoutSaves) {
  EXPECT_EQ(of(sync_cause, 0),
            "waiting. The host waits for the GPU after every batch: 40 % of its time; without, the "
            "same stages take 0.0120 ms.");
  EXPECT_EQ(of(sync_cause, 1), "");
}

TEST_F(SmallGpuWork, WaitingThatCostsNothingIsNoCause) {
  group().cases[0].rounds = group().cases[1].rounds;
  EXPECT_EQ(of(sync_cause, 0), "");
}

TEST_F(SmallGpuWork, WaitingIsPricedByEmptyLaunches) {
  group().cases.pop_back();
  EXPECT_EQ(of(sync_cause, 0), "");
  group().limits = {on_gpu("launch", 0.002, {"launch"}),
                    on_gpu("launch + sync", 0.012, {"launch", "sync"})};
  EXPECT_EQ(
      of(sync_cause, 0),
      "waiting. 1.0 a batch for the GPU at 10 us, no more than after empty launches, = 50 % of "
      "its time.");
  group().cases[0].wait = Wait::Stage;
  EXPECT_EQ(of(sync_cause, 0),
            "waiting. 2.0 a batch for the GPU at 10 us, no more than after empty launches, = 100 % "
            "of its time.");
  group().cases[0].wait = Wait::Turn;
  EXPECT_EQ(of(sync_cause, 0), "");
}

TEST_F(SmallGpuWork, CallsBoundAnIdleGpu) {
  EXPECT_EQ(of(launch_cause, 0), "");  // submitting takes 10 of 20 us: too little
  EXPECT_EQ(of(launch_cause, 1),
            "launches. Submitting takes 83 % of its time, the GPU works for 33 % of it.");
  EXPECT_EQ(cause_text(explained(0)).name, "sync");
  EXPECT_EQ(cause_text(explained(1)).name, "launch");
}

TEST_F(SmallGpuWork, ABusyGpuIsNotBoundByCalls) {
  group().profile[1].times.busy_ns = 110'000;
  EXPECT_EQ(of(launch_cause, 1), "");
}

/// SmallGpuWork without a profile, so that only marks (CUDA events) tell how long the GPU works.
struct GpuDayLaunches : SmallGpuWork {
  GpuDayLaunches() { group().profile.clear(); }
};

TEST_F(GpuDayLaunches, MarksOfManyShortStagesAreNoSureTime) {
  CaseResult& runs = group().cases[1] = on_gpu("runs", 0.030, {"sub", "div", "sub", "div"});
  for (StageResult& stage : runs.stages) stage.rounds_ns.assign(examples::rounds, 6'000);
  const auto busy = [&] {
    const CaseAnalysis analysis = analyse_case({group(), results_}, 1);
    return busy_ns({group(), analysis, 1, results_});
  };
  EXPECT_EQ(busy(), std::nullopt);  // the marks may take most of the 24 us
  runs.bracket_ns = 5'000;
  EXPECT_EQ(busy(), 4'000);
  for (StageResult& stage : runs.stages) stage.rounds_ns.assign(examples::rounds, 20'000);
  EXPECT_EQ(busy(), 80'000);
}

TEST_F(GpuDayLaunches, AreNeverBlamedWhereOnlyMarksTimedAShortWork) {
  EXPECT_EQ(of(launch_cause, 1), "");
  group().profile = {{.variant = "runs",
                      .steps = 10,
                      .device_times = DeviceTimes::CudaEvents,
                      .times = {.busy_ns = 40'000},
                      .rows = {}}};
  EXPECT_EQ(of(launch_cause, 1), "");
  for (StageResult& stage : group().cases[1].stages) stage.calls_ns.clear();
  group().limits = {on_gpu("launch", 0.005, {"launch"})};
  EXPECT_EQ(of(launch_cause, 1), "");
}

TEST_F(GpuDayLaunches, AreBlamedByWhatCuptiSaw) {
  group().profile = {{.variant = "runs",
                      .steps = 10,
                      .device_times = DeviceTimes::Cupti,
                      .times = {.busy_ns = 24'000},
                      .rows = {}}};
  EXPECT_EQ(of(launch_cause, 1),
            "launches. Submitting takes 83 % of its time, the GPU works for 20 % of it.");
}

TEST_F(GpuDayLaunches, AreBlamedByTheMarksLessTheirOwnCost) {
  group().cases[1].bracket_ns = 1'500;  // time of the marks around each of the two stages
  EXPECT_EQ(of(launch_cause, 1),
            "launches. Submitting takes 83 % of its time, the GPU works for 8.3 % of it.");
  for (StageResult& stage : group().cases[1].stages)
    stage.rounds_ns.assign(examples::rounds, 5'500);
  EXPECT_EQ(of(launch_cause, 1), "");  // the GPU works for 8 of 12 us: too long
}

TEST_F(GpuDayLaunches, OfLongWorkNeedNoMore) {
  group().cases[1] = on_gpu("runs", 0.200, {"sub", "div"});
  for (StageResult& stage : group().cases[1].stages) {
    stage.rounds_ns.assign(examples::rounds, 20'000);
    stage.calls_ns.assign(examples::rounds, 90'000);
  }
  EXPECT_EQ(of(launch_cause, 1),
            "launches. Submitting takes 90 % of its time, the GPU works for 20 % of it.");
}

TEST_F(GpuDayLaunches, AreNoLimitWhereOnlyMarksTimedAShortWork) {
  const auto set_times = [](CaseResult& result, std::int64_t device_ns, std::int64_t calls_ns) {
    for (StageResult& stage : result.stages) {
      stage.rounds_ns.assign(examples::rounds, device_ns);
      stage.calls_ns.assign(examples::rounds, calls_ns);
    }
  };
  group().limits = {on_gpu("stream", 0.001, {"stream"}), on_gpu("launch", 0.0049, {"launch"})};
  set_times(group().limits[0], 1'000, 1'000);
  set_times(group().limits[1], 4'900, 4'900);
  // An empty launch takes 4.9 us. The first of these cases takes about as long as one launch, and
  // the second about as long as the launches of its two stages. `bracket_ns` is the time between
  // two marks without work. While it is unknown, the marks do not tell how long the GPU works, so
  // launches are not named as the cause.
  for (const auto& [ms, ops] : {std::pair(0.005, std::vector<std::string>{"normalize"}),
                                std::pair(0.010, std::vector<std::string>{"sub", "div"})}) {
    CaseResult& runs = group().cases[1] = on_gpu("runs", ms, ops);
    runs.wait = Wait::Turn;
    set_times(runs, 3'000, 1'000);
    EXPECT_NE(cause_text(explained(1)).name, "launch") << ms;
    runs.bracket_ns = 1'500;
    EXPECT_EQ(cause_text(explained(1)).name, "launch") << ms;
  }
}

TEST_F(SmallGpuWork, CallsThatDoTheWorkThemselvesAreNoLaunches) {
  for (StageResult& stage : group().cases[1].stages) stage.op = "pin";
  EXPECT_EQ(of(launch_cause, 1), "");
}

TEST_F(SmallGpuWork, LaunchesArePricedByEmptyOnes) {
  for (StageResult& stage : group().cases[1].stages) stage.calls_ns.clear();
  EXPECT_EQ(of(launch_cause, 1), "");
  group().limits = {on_gpu("launch", 0.005, {"launch"})};
  EXPECT_EQ(of(launch_cause, 1),
            "launches. 2 at 5.0 us, no more than an empty one takes, = 83 % of its time.");
  group().limits = {on_gpu("launch", 0.009, {"launch"})};
  EXPECT_EQ(of(launch_cause, 1),
            "launches. 2 at 6.0 us, no more than an empty one takes, = 100 % of its time.");
  group().cases[1].graph = true;
  EXPECT_EQ(of(launch_cause, 1), "");
}

}  // namespace
}  // namespace normbench::device_cause_text_test
