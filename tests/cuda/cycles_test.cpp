/// Tests the clock rate of multiprocessors, which is computed from the clock readings of two
/// kernels.
#include "backend/cuda/clock.cuh"
#include "cuda/cuda_measure.h"
#include "measure/contender.h"

namespace normbench::cycles_test {
namespace {

/// A fake GPU whose clock readings a test sets. The kernel ReadClocks runs at two moments.
/// `moments[0]` holds the readings of its first run, and `moments[1]` those of its second run.
class CyclesTest : public CudaMeasureTest {
 protected:
  using Noted = std::map<unsigned, normbench::cuda::ClockReading>;  // key: multiprocessor

  CyclesTest() {
    cuda.runs_launch = [this](const FakeLaunch& launch) {
      if (launch.kernel.name.find("ReadClocks") == std::string::npos) return run_host_body(launch);
      const auto& body = *reinterpret_cast<const normbench::cuda::ReadClocks*>(launch.body->data());
      EXPECT_EQ(body.grid.x, 132u);
      for (const auto& [processor, reading] : moments[static_cast<std::size_t>(reads++) % 2])
        body.readings[processor] = reading;
    };
  }
  std::int64_t mhz() {
    const auto queue = backends.at(Place::Cuda)->make_queue(1, nullptr);
    queue->start_cycles();
    return queue->stop_cycles();
  }

  std::array<Noted, 2> moments = {Noted{{0, {5'000, 1'000'000}}},
                                  Noted{{0, {1'760'000, 2'000'000}}}};
  int reads = 0;
};

TEST_F(CyclesTest, AreCountedOverTheTimeOfTheGpu) { EXPECT_EQ(mhz(), 1'755); }

TEST_F(CyclesTest, OfMultiprocessorsThatBothMomentsHaveTheMedianCounts) {
  moments = {Noted{{0, {10, 100}}, {1, {10, 100}}, {2, {10, 100}}, {3, {10, 100}}},
             Noted{{1, {1'010, 1'100}}, {2, {2'010, 1'100}}, {3, {1'510, 1'100}}, {9, {7, 7}}}};
  EXPECT_EQ(mhz(), 1'500);
}

TEST_F(CyclesTest, ThatNobodyNotesAreNotKnown) {
  moments = {};
  EXPECT_EQ(mhz(), 0);
}

TEST_F(CyclesTest, AreThoseOfEveryTurnOnTheGpu) {
  const Plan plan = plan_of(R"({"schema": 1, "name": "test",
    "measure": {"cache": "hot", "max_seconds_per_group": 0.001},
    "experiments": [{"name": "e", "question": "?",
      "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
      "variants": {"v": ["h2d", {"op": "cast", "to": "float32"}],
                   "flow": {"stages": ["h2d", {"op": "cast", "to": "float32"}],
                            "in_flight": 2, "items": 3, "submit": "one"}}}]})");
  const Results results = run_plan(plan);
  for (const CaseResult& result : results.groups.at(0).cases) {
    ASSERT_FALSE(result.rounds.empty());
    for (const Round& round : result.rounds) EXPECT_EQ(round.turn_clock_mhz, 1'755);
  }
}

/// The second reading of the clocks must come before the host reads the times of stages. The GPU is
/// idle while the host reads them, and idle time would lower the measured clock rate.
TEST_F(CyclesTest, AreReadBeforeTheTimesOfStages) {
  const Plan plan = plan_of(R"({"schema": 1, "name": "test", "measure": {"cache": "hot"},
    "experiments": [{"name": "e", "question": "?",
      "source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
      "variants": {"v": ["h2d", {"op": "cast", "to": "float32"}]}}]})");
  const Case& planned = plan.groups.at(0).cases.at(0);
  const std::vector<const Case*> cases{&planned};
  GroupMemory memory(cases, plan.measure, backends, 1 << 10);
  std::mt19937_64 random(1);
  Engine engine(planned, memory, backends, recorder, clock, random);
  const Calls calls = calls_of(
      [&] { take_turn(engine, {.iterations = 3, .marks = true, .warmup_ns = 0}, random); });
  const auto is_time = [](const std::string& call) {
    return call.starts_with("cudaEventElapsedTime");
  };
  const auto first_time = std::ranges::find_if(calls, is_time);
  ASSERT_NE(first_time, calls.end());
  EXPECT_TRUE(std::none_of(first_time, calls.end(), [](const std::string& call) {
    return call.starts_with("cudaLaunchKernel");
  }));
}

TEST_F(CyclesTest, CannotBeReadWhereTheirKernelFails) {
  cuda.failures = {{.function = "cudaLaunchKernel", .code = cudaErrorLaunchFailure}};
  EXPECT_THAT(
      error_of([&] { mhz(); }),
      ::testing::StartsWith("launching a reading of clocks failed: cudaErrorLaunchFailure"));
}

}  // namespace
}  // namespace normbench::cycles_test
