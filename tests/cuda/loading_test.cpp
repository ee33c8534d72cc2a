#include "cuda/cuda_measure.h"
#include "measure/contender.h"

namespace normbench::loading_test {
namespace {

/// A clock that adds "clock" to the runtime's log at each reading.
class NotedClock final : public Clock {
 public:
  explicit NotedClock(FakeCuda& cuda) : cuda_(cuda) {}
  std::int64_t now_ns() override {
    cuda_.log.push_back("clock");
    return ++readings_;
  }
  std::int64_t cpu_ns() override { return 0; }
  Counters counters() override { return {}; }

 private:
  FakeCuda& cuda_;
  std::int64_t readings_ = 0;
};

class GpuDayLoading : public CudaMeasureTest {
 protected:
  static constexpr const char* load = "cudaFuncGetAttributes";

  /// Returns what first_call() of a case adds to the log of the runtime. `variant` is the variant
  /// of the case as JSON.
  Calls first_call(const std::string& variant) {
    const Plan plan = plan_of(R"({"schema": 1, "name": "test", "measure": {"cache": "hot"},
      "defaults": {"source": {"batch": 1, "size": [4, 8], "memory": "pinned"},
                   "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
      "experiments": [{"name": "e", "question": "?", "source": {}, "variants": {"v": )" +
                              variant + "}}]}");
    const Case& planned = plan.groups[0].cases[0];
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan.measure, backends, 1 << 10);
    std::mt19937_64 random(1);
    NotedClock noted(cuda);
    if (planned.pipeline) {
      CaseContender contender(planned, memory, backends, recorder, noted, random, 8);
      return calls_of([&] { contender.first_call(); });
    }
    CaseContender contender(planned, memory, backends, recorder, noted, random, 8);
    return calls_of([&] { contender.first_call(); });
  }
};

TEST_F(GpuDayLoading, EveryKernelOfACaseIsThereBeforeItsFirstCallIsTimed) {
  const Calls calls = first_call(
      R"(["h2d", {"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]},
          {"op": "div", "std": [1, 2, 3]}])");
  EXPECT_EQ(cuda.late_loads, 0);
  const auto start = std::ranges::find(calls, "clock");
  EXPECT_EQ(std::count(calls.begin(), start, load), 3);
  EXPECT_EQ(calls.front(), load);
  EXPECT_EQ(std::count(start, calls.end(), load), 0);
  const auto is_launch = [](const std::string& call) {
    return call.starts_with("cudaLaunchKernel ");
  };
  EXPECT_EQ(std::count_if(calls.begin(), start, is_launch), 0);
  EXPECT_EQ(std::count_if(start, calls.end(), is_launch), 3);
}

TEST_F(GpuDayLoading, EveryKernelOfAPipelineIsThereBeforeItsFirstCallIsTimed) {
  for (const char* submit : {"lane", "one", "item"}) {
    SCOPED_TRACE(submit);
    cuda.loaded.clear();
    const Calls calls = first_call(fmt::format(
        R"({{"stages": ["h2d", {{"op": "cast", "to": "float32", "output": "fresh"}},
                        {{"op": "sub", "mean": [1, 2, 3], "lane": "second"}}, "d2h"],
            "in_flight": 2, "items": 4, "submit": "{}"}})",
        submit));
    EXPECT_EQ(cuda.late_loads, 0);
    const auto start = std::ranges::find(calls, "clock");
    EXPECT_EQ(std::count(calls.begin(), start, load), 2);
    EXPECT_EQ(std::count(start, calls.end(), load), 0);
  }
}

TEST_F(GpuDayLoading, NothingElseIsDoneToLoad) {
  for (const char* variant :
       {R"([{"op": "h2d", "output": "fresh"}, {"op": "crop", "size": [2, 4]}, "normalize"])",
        R"(["h2d", {"op": "normalize", "constants": "per_call"}])",
        R"([{"op": "h2d", "kernel": "kernel"}, {"op": "copy", "kernel": "memcpy"},
            {"op": "copy", "kernel": "kernel"}])",
        R"(["h2d", {"op": "normalize", "kernel": "reference"}])"}) {
    SCOPED_TRACE(variant);
    const Calls calls = first_call(variant);
    const auto other = std::ranges::find_if(calls, [](const std::string& call) {
      return call != load && !call.starts_with("cudaMemset") &&
             !call.starts_with("cudaPointerGetAttributes") &&
             call != "cudaStreamSynchronize default stream";
    });
    ASSERT_NE(other, calls.end());
    EXPECT_EQ(*other, "clock");  // before the first call is timed, only the calls above are made
    EXPECT_EQ(cuda.late_loads, 0);
  }
}

}  // namespace
}  // namespace normbench::loading_test
