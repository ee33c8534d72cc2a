#include <fmt/format.h>

#include <optional>

#include "cuda/cuda_measure.h"

namespace normbench::submission_test {
namespace {

using ::testing::ElementsAre;

/// Tests the runtime calls of one case, iteration by iteration. Images are 1x3x4x8 uint8, which are
/// 96 bytes.
class SubmissionTest : public CudaMeasureTest {
 protected:
  void TearDown() override {
    prepared.reset();
    memory.reset();
    CudaMeasureTest::TearDown();
  }

  /// Prepares a variant given as JSON: allocates its buffers and runs it once without graphs.
  void start(std::string_view variant, std::string_view source = R"({"memory": "pinned"})",
             std::string_view cache = "hot") {
    plan = plan_of(fmt::format(
        R"({{"schema": 1, "name": "test", "measure": {{"cache": "{}"}},
             "defaults": {{"source": {{"batch": 1, "size": [4, 8]}},
                           "normalize": {{"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}}}},
             "experiments": [{{"name": "e", "question": "?", "source": {},
                               "variants": {{"v": {}}}}}]}})",
        cache, source, variant));
    const Case& planned = plan.groups[0].cases[0];
    ASSERT_EQ(planned.skip, std::nullopt);
    cases = {&planned};
    memory.emplace(cases, plan.measure, backends, 1 << 10);
    prepared.emplace(planned, *memory, backends, recorder, clock, random);
    prepared->iterate({.graphs = false});
    prepared->drain();
  }
  Calls iteration() {
    return calls_of([&] {
      prepared->advance();
      prepared->iterate({});
    });
  }
  /// Waits for all work and forgets all marks, as a turn does. Later marks then reuse the CUDA
  /// events of earlier marks.
  void start_marks() {
    prepared->drain();
    prepared->device()->reset_marks();
  }
  void expect_right() {
    prepared->item().poison({std::byte{0xAA}});
    prepared->advance();
    prepared->iterate({.keep_outputs = true});
    prepared->drain();
    const CheckOutcome outcome =
        check_output(*cases[0], prepared->item().inputs(), prepared->item().outputs(), backends);
    EXPECT_TRUE(outcome.result.ok) << outcome.reason;
  }

  Plan plan;
  std::vector<const Case*> cases;
  std::optional<GroupMemory> memory;
  std::optional<Engine> prepared;
  std::mt19937_64 random{1};
};

const std::string send = "cudaMemcpyAsync 96 pinned->device stream 1";
const std::string planned = "cudaLaunchKernel 768 threads stream 1";
const std::string fetch = "cudaMemcpyAsync 384 device->pinned stream 1";
const std::string wait = "cudaStreamSynchronize stream 1";
const std::string stages = R"(["h2d", "normalize", {"op": "d2h", "memory": "pinned"}])";

TEST_F(SubmissionTest, NothingWaitsWithinATurn) {
  start(stages);
  EXPECT_THAT(iteration(), ElementsAre(send, planned, fetch));
  EXPECT_THAT(iteration(), ElementsAre(send, planned, fetch));
  EXPECT_THAT(calls_of([&] { prepared->drain(); }), ElementsAre(wait));
  expect_right();
}

TEST_F(SubmissionTest, EveryIterationIsWaitedFor) {
  start(R"({"stages": )" + stages + R"(, "wait": "iteration"})");
  EXPECT_THAT(iteration(), ElementsAre(send, planned, fetch, wait));
  expect_right();
}

TEST_F(SubmissionTest, EveryStageIsWaitedFor) {
  start(R"({"stages": )" + stages + R"(, "wait": "stage"})");
  EXPECT_THAT(iteration(), ElementsAre(send, wait, planned, wait, fetch, wait));
  expect_right();
}

TEST_F(SubmissionTest, AGraphIsOneLaunch) {
  start(R"({"stages": )" + stages + R"(, "graph": true})");
  EXPECT_THAT(calls_of([&] { prepared->capture(3); }),
              ElementsAre("cudaStreamBeginCapture stream 1", send, planned, fetch,
                          "cudaStreamEndCapture stream 1", "cudaGraphInstantiate graph 1",
                          "cudaGraphDestroy graph 1", "cudaGraphUpload exec 1 stream 1"));
  EXPECT_THAT(iteration(), ElementsAre("cudaGraphLaunch exec 1 stream 1"));
  EXPECT_THAT(iteration(), ElementsAre("cudaGraphLaunch exec 1 stream 1"));
  expect_right();
  EXPECT_THAT(calls_of([&] { prepared->drop_graphs(); }),
              ElementsAre("cudaGraphExecDestroy exec 1"));
}

TEST_F(SubmissionTest, PageableCopiesStayOutsideOfGraphs) {
  start(R"({"stages": ["h2d", "normalize", {"op": "d2h", "memory": "pinned"}], "graph": true})",
        R"({"memory": "pageable"})");
  prepared->capture(1);
  EXPECT_THAT(iteration(), ElementsAre("cudaMemcpyAsync 96 pageable->device stream 1",
                                       "cudaGraphLaunch exec 1 stream 1"));
  expect_right();
}

TEST_F(SubmissionTest, FreshOutputsAreAllocatedAndFreedInTheStreamsOrder) {
  start(R"([{"op": "h2d", "output": "fresh"}, {"op": "normalize", "output": "fresh"}])");
  EXPECT_THAT(iteration(), ElementsAre("cudaMallocFromPoolAsync 96 pool 1 stream 1",
                                       "cudaMemcpyAsync 96 pinned->pool stream 1",
                                       "cudaMallocFromPoolAsync 384 pool 1 stream 1", planned,
                                       "cudaFreeAsync 96 stream 1", "cudaFreeAsync 384 stream 1"));
  expect_right();
}

TEST_F(SubmissionTest, CudaMallocFreesWithItsWait) {
  start(R"(["h2d", {"op": "normalize", "output": "cuda_malloc"}])");
  EXPECT_THAT(iteration(), ElementsAre(send, "cudaMalloc 384", planned, "cudaFree device 384"));
  expect_right();
}

TEST_F(SubmissionTest, FreshHostMemoryIsFreedWhenTheDeviceIsDoneWithIt) {
  start(R"([{"op": "pin", "output": "fresh"}, "h2d", "normalize"])", R"({})");
  EXPECT_THAT(iteration(), ElementsAre("cudaHostAlloc 96 default", send, wait,
                                       "cudaFreeHost pinned 96", planned));
  expect_right();
}

TEST_F(SubmissionTest, AStageOfTheCpuWaitsForWhatItReads) {
  start(R"(["h2d", {"op": "d2h", "memory": "pinned"}, {"op": "normalize", "place": "cpu"}])");
  start_marks();
  EXPECT_THAT(iteration(), ElementsAre(send, "cudaMemcpyAsync 96 device->pinned stream 1",
                                       "cudaEventRecord 1 stream 1", "cudaEventSynchronize 1"));
  expect_right();
}

TEST_F(SubmissionTest, AStageOfTheCpuWaitsBeforeItOverwritesWhatIsStillSent) {
  start(R"([{"op": "copy", "memory": "pinned"}, "h2d", "normalize"])", R"({})");
  prepared->iterate({});
  start_marks();
  EXPECT_THAT(iteration(), ElementsAre(send, "cudaEventRecord 1 stream 1", planned));
  EXPECT_THAT(iteration(),
              ElementsAre("cudaEventSynchronize 1", send, "cudaEventRecord 2 stream 1", planned));
  expect_right();
}

TEST_F(SubmissionTest, ColdBuffersHaveAGraphEach) {
  start(R"({"stages": )" + stages + R"(, "graph": true})", R"({"memory": "pinned"})", "cold");
  const std::size_t sets = memory->most_sets();
  ASSERT_GT(sets, 1u);
  const auto captures = [&](std::int64_t iterations) {
    const Calls calls = calls_of([&] { prepared->capture(iterations); });
    return std::ranges::count(calls, "cudaStreamBeginCapture stream 1");
  };
  EXPECT_EQ(captures(3), 3);
  EXPECT_EQ(captures(5), 2);
  EXPECT_THAT(iteration(), ElementsAre("cudaGraphLaunch exec 1 stream 1"));
  EXPECT_THAT(iteration(), ElementsAre("cudaGraphLaunch exec 2 stream 1"));
  expect_right();
}

TEST_F(SubmissionTest, AFailedCaptureLeavesTheRuntimeUsable) {
  start(R"({"stages": ["h2d", {"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1]}],
            "graph": true})");
  cuda.failures = {{.function = "cudaLaunchKernel", .code = cudaErrorUnknown}};
  EXPECT_THAT(error_of([&] { prepared->capture(1); }), ::testing::HasSubstr("cudaErrorUnknown"));
  prepared.reset();
  EXPECT_NE(backends.at(Place::Cuda)->allocate(Memory::Device, 64), nullptr);
}

}  // namespace
}  // namespace normbench::submission_test
