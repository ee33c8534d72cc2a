/// Tests which work and which waits a pipeline submits to each stream of the fake CUDA runtime.
#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>

#include "cuda/cuda_measure.h"
#include "measure/contender.h"

namespace normbench::cuda_pipeline_test {
namespace {

using ::testing::HasSubstr;

/// Renames streams and events in the texts of calls, so that a text is like "cudaStreamWaitEvent
/// h2d#1 gpu". The streams, sorted by name, become the lanes h2d, gpu and d2h. "h2d#1" is the first
/// event that was recorded in the stream h2d.
Calls with_names(const Calls& calls) {
  const std::regex call_of("(cudaStreamWaitEvent|cudaEvent\\w+) (\\d+)(.*)"),
      stream_of("stream \\d+");
  std::set<std::string> streams;
  for (const std::string& call : calls)
    if (std::smatch found; std::regex_search(call, found, stream_of)) streams.insert(found.str());
  std::map<std::string, std::string> lane_of, event_of;
  const char* const lanes[] = {"h2d", "gpu", "d2h"};
  for (const std::string& stream : streams) lane_of.emplace(stream, lanes[lane_of.size()]);
  std::map<std::string, int> records;
  Calls named;
  for (std::string call : calls) {
    if (std::smatch found; std::regex_search(call, found, stream_of))
      call.replace(static_cast<std::size_t>(found.position()), found.str().size(),
                   lane_of.at(found.str()));
    if (std::smatch found; std::regex_match(call, found, call_of)) {
      const std::string lane = found[3].str();
      if (found[1] == "cudaEventRecord")
        event_of[found[2]] = fmt::format("{}#{}", lane.substr(1), ++records[lane]);
      call = fmt::format("{} {}{}", found[1].str(), event_of.at(found[2]),
                         found[1] == "cudaStreamWaitEvent" ? lane : "");
    }
    named.push_back(call);
  }
  return named;
}

/// A pipeline with the lanes h2d, gpu and d2h. Images are 1x3x4x8 uint8, which are 96 bytes.
class CudaPipelineTest : public CudaMeasureTest {
 protected:
  const Case& case_of(std::string_view options) {
    plan = plan_of(fmt::format(
        R"({{"schema": 1, "name": "test", "measure": {{"cache": "hot"}},
             "experiments": [{{"name": "e", "question": "?",
               "source": {{"batch": 1, "size": [4, 8], "memory": "pinned"}},
               "variants": {{"v": {{"stages": [
                 "h2d", {{"op": "normalize", "mean": [1], "std": [2]}},
                 {{"op": "d2h", "memory": "pinned"}}], {}}}}}}}]}})",
        options));
    return plan.groups.front().cases.front();
  }
  /// Returns the calls of a turn from its first copy to its last wait for a stream. Calls that
  /// create events or read times are left out.
  Calls calls_of_turn(const Case& planned) {
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan.measure, backends, 1 << 10);
    std::mt19937_64 random(1);
    Engine engine(planned, memory, backends, recorder, clock, random);
    Calls calls = calls_of([&] { engine.run(planned.pipeline->items, {}); });
    calls.erase(calls.begin(), std::ranges::find_if(calls, [](const std::string& call) {
                  return call.starts_with("cudaMemcpyAsync");
                }));
    std::erase_if(calls, [](const std::string& call) {
      return call.starts_with("cudaEventElapsedTime") || call.starts_with("cudaEventCreate");
    });
    while (!calls.back().starts_with("cudaStreamSynchronize")) calls.pop_back();
    return with_names(calls);
  }
  CheckOutcome outcome_of(const Case& planned) {
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan.measure, backends, 1 << 10);
    std::mt19937_64 random(1);
    CaseContender flow(planned, memory, backends, recorder, clock, random, 8);
    flow.last_call();
    return flow.check();
  }

  Plan plan;
};

TEST_F(CudaPipelineTest, OneHostThreadGivesThreeStreams) {
  const auto item = [](int i) {
    return Calls{"cudaMemcpyAsync 96 pinned->device h2d",
                 fmt::format("cudaEventRecord h2d#{}", i),
                 fmt::format("cudaStreamWaitEvent h2d#{} gpu", i),
                 "cudaLaunchKernel 256 threads gpu",
                 fmt::format("cudaEventRecord gpu#{}", i),
                 fmt::format("cudaStreamWaitEvent gpu#{} d2h", i),
                 "cudaMemcpyAsync 384 device->pinned d2h",
                 fmt::format("cudaEventRecord d2h#{}", i)};
  };
  // Two items are in flight. The third item uses the first item's buffers, so it must wait for the
  // first item.
  Calls expected = item(1);
  std::ranges::copy(item(2), std::back_inserter(expected));
  expected.emplace_back("cudaEventSynchronize d2h#1");
  std::ranges::copy(item(3), std::back_inserter(expected));
  for (const char* lane : {"h2d", "gpu", "d2h"})
    expected.push_back(fmt::format("cudaStreamSynchronize {}", lane));
  EXPECT_EQ(calls_of_turn(case_of(R"("in_flight": 2, "items": 3, "submit": "one")")), expected);
}

/// Returns the calls on the stream of `lane`, in order.
Calls of_lane(const Calls& calls, const std::string& lane) {
  Calls own;
  for (const std::string& call : calls)
    if (!call.starts_with("cudaEventSynchronize") &&
        (call.ends_with(" " + lane) || call.starts_with("cudaEventRecord " + lane)))
      own.push_back(call);
  return own;
}

TEST_F(CudaPipelineTest, HostThreadsOfLanesGiveTheStreamsTheSame) {
  const Calls one = calls_of_turn(case_of(R"("in_flight": 2, "items": 3, "submit": "one")"));
  const Calls lanes = calls_of_turn(case_of(R"("in_flight": 2, "items": 3)"));
  for (const char* lane : {"h2d", "gpu", "d2h"})
    EXPECT_EQ(of_lane(lanes, lane), of_lane(one, lane));
}

/// A clock that writes to the log of the CUDA runtime when it is read in a way that needs a system
/// call.
class NotedClock final : public Clock {
 public:
  explicit NotedClock(FakeCuda& cuda) : cuda_(cuda) {}
  std::int64_t now_ns() override { return ++readings_; }
  std::int64_t cpu_ns() override {
    cuda_.log.emplace_back("processor time");
    return 0;
  }
  Counters counters() override {
    cuda_.log.emplace_back("counters");
    return {};
  }
  std::vector<QueueDelay> queue_delays() override {
    cuda_.log.emplace_back("delays");
    return {};
  }

 private:
  FakeCuda& cuda_;
  std::int64_t readings_ = 0;
};

TEST_F(CudaPipelineTest, WhatSystemCallsTellIsOfTheTurnAlone) {
  const Case& planned = case_of(R"("in_flight": 2, "items": 3, "submit": "one")");
  const Case* const cases[] = {&planned};
  GroupMemory memory(cases, plan.measure, backends, 1 << 10);
  std::mt19937_64 random(1);
  NotedClock noted(cuda);
  CaseContender flow(planned, memory, backends, recorder, noted, random, 8);
  const Calls calls = calls_of([&] { flow.take_turn({.iterations = 3}, random); });
  const auto is_reading = [](const std::string& call) {
    return call == "delays" || call == "counters" || call == "processor time";
  };
  const auto first = std::ranges::find_if(calls, is_reading);
  const auto start = std::find_if_not(first, calls.end(), is_reading);
  const auto end = std::find_if(start, calls.end(), is_reading);
  ASSERT_NE(end, calls.end());
  EXPECT_EQ(start - first, 3);
  EXPECT_THAT(*start, HasSubstr("cudaMemcpyAsync 96 pinned->device"));
  EXPECT_THAT(*(end - 1), HasSubstr("cudaStreamSynchronize"));
}

/// The host sleeps while it waits for the device, and wakes up 100 us after the work has ended. The
/// late wake-up must not count as time of the item.
TEST_F(CudaPipelineTest, ItemsEndWhenTheirWorkDoes) {
  const Case& planned = case_of(R"("in_flight": 1, "items": 1)");
  const Case* const cases[] = {&planned};
  GroupMemory memory(cases, plan.measure, backends, 1 << 10);
  clock.step_ns = 0;
  cuda.event_call_ns = 0;
  cuda.wake_ns = 100'000;
  std::mt19937_64 random(1);
  Engine engine(planned, memory, backends, recorder, clock, random);
  const Flow flow = engine.run(1, {});
  EXPECT_LE(flow.clock_error_ns, 1'000);
  // The fake device's clock stands still while the host submits work. The tolerance of 15 us
  // includes this time.
  EXPECT_NEAR(static_cast<double>(flow.end_ns[0]), static_cast<double>(flow.round.wall_ns), 15'000);
}

TEST_F(CudaPipelineTest, EveryWayOfSubmittingGivesRightOutputs) {
  for (const char* submit : {"lane", "one", "item"}) {
    const Case& planned =
        case_of(fmt::format(R"("in_flight": 3, "items": 7, "submit": "{}")", submit));
    const CheckOutcome outcome = outcome_of(planned);
    EXPECT_TRUE(outcome.result.ok) << submit << ": " << outcome.reason;
  }
}

TEST_F(CudaPipelineTest, AMissingWaitOfAStreamIsCaught) {
  const Case& planned = case_of(R"("in_flight": 3, "items": 7, "submit": "one")");
  cuda.ignored = {"cudaStreamWaitEvent"};
  const CheckOutcome outcome = outcome_of(planned);
  EXPECT_FALSE(outcome.result.ok);
  EXPECT_THAT(outcome.reason, HasSubstr("wrong output"));
}

TEST_F(CudaPipelineTest, AFailedLaunchEndsTheTurnWithItsReason) {
  for (const char* submit : {"lane", "one", "item"}) {
    const Case& planned =
        case_of(fmt::format(R"("in_flight": 3, "items": 7, "submit": "{}")", submit));
    cuda.failures = {{.function = "cudaLaunchKernel", .code = cudaErrorUnknown}};
    EXPECT_THAT(error_of([&] { outcome_of(planned); }),
                HasSubstr("launching normalize failed: cudaErrorUnknown"));
    cuda.failures.clear();
  }
}

}  // namespace
}  // namespace normbench::cuda_pipeline_test
