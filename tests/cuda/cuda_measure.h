/// A fixture that makes plans from JSON and measures them on the fake CUDA runtime.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "cuda/cuda_fixture.h"
#include "measure/check.h"
#include "measure/engine.h"
#include "measure/run_fixture.h"
#include "plan/plan.h"

namespace normbench {

/// A clock that shows a sum: the fake device's time, the host's time in runtime calls, and
/// `step_ns` for each reading so far.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(const FakeCuda& cuda) : cuda_(cuda) {}
  std::int64_t step_ns = 20'000'000;

  std::int64_t now_ns() override {
    return (steps_ += step_ns) + cuda_.streams.device_ns + cuda_.streams.host_ns;
  }
  std::int64_t cpu_ns() override { return steps_; }
  Counters counters() override { return {}; }

 private:
  const FakeCuda& cuda_;
  std::int64_t steps_ = 0;
};

class CudaMeasureTest : public CudaTest {
 protected:
  void TearDown() override {
    backends.list.clear();
    CudaTest::TearDown();
  }

  Plan plan_of(std::string_view text) {
    PlanOptions options;
    options.profile = false;
    return make_plan("test.json", text, backends, options);
  }
  Results run_plan(const Plan& plan) {
    Watchdog watchdog(600, [](std::size_t, const std::string&) {});
    ProfilerCapture capture(backends, start_profiler, 600, [] {});
    RunContext context{.backends = backends,
                       .clock = clock,
                       .recorder = recorder,
                       .watchdog = watchdog,
                       .observer = observer,
                       .interrupted = interrupted,
                       .cache_bytes = 1 << 10,
                       .on_profile = on_profile,
                       .tracer = tracer,
                       .capture = &capture};
    return run(plan, context).results;
  }

  Backends backends = make_backends();
  SteppingClock clock{cuda};
  Recorder recorder{clock};
  FakeObserver observer;
  std::atomic<bool> interrupted = false;
  std::function<void(ProfileTrace, CaseProfile&)> on_profile = [](const ProfileTrace&,
                                                                  CaseProfile&) {};
  DeviceTracer* tracer = nullptr;
  bool start_profiler = false;
};

}  // namespace normbench
