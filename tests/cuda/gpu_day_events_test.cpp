/// Tests the times between CUDA events. On a real device, the events themselves take time. The fake
/// CUDA runtime includes this time.
#include "cuda/cuda_measure.h"
#include "measure/stage_times.h"

namespace normbench::gpu_day_events_test {
namespace {

class GpuDayEvents : public CudaBackendTest {
 protected:
  /// Returns the ns between two marks (CUDA events) of the queue with `launches` empty kernels
  /// between them.
  std::int64_t ns_of(int launches) {
    queue->reset_marks();
    const int from = queue->mark();
    const Op op = EmptyLaunch{.count = launches};
    row_of(*backend, "launch", "empty").prepare(op, {})(*queue, {}, {}, {});
    const int to = queue->mark();
    queue->drain();
    return queue->ns_between(from, to);
  }
};

TEST_F(GpuDayEvents, TakeTimeOfTheDevice) {
  cuda.event_ns = 1'500;
  EXPECT_EQ(ns_of(0), 1'500);
  EXPECT_EQ(ns_of(2), 2 * cuda.launch_ns + 1'500);
}

TEST_F(GpuDayEvents, TellHalvesOfMicroseconds) {
  cuda.launch_ns = 130;
  for (int launches = 0; launches < 20; ++launches) {
    const std::int64_t exact_ns = launches * cuda.launch_ns + cuda.event_ns;
    const std::int64_t told_ns = ns_of(launches);
    EXPECT_EQ(told_ns % 500, 0) << told_ns;
    EXPECT_LT(std::abs(told_ns - exact_ns), 500);
  }
}

TEST_F(GpuDayEvents, TakeTimeOfTheHost) {
  SteppingClock clock(cuda);
  clock.step_ns = 0;
  cuda.event_call_ns = 1'200;
  EXPECT_NEAR(mark_cost_ns(*queue, clock), 1'200 + cuda.event_ns, 1);
}

TEST_F(GpuDayEvents, LaunchesTakeTimeOfTheHost) {
  SteppingClock clock(cuda);
  clock.step_ns = 0;
  const std::int64_t before_ns = clock.now_ns();
  const Op op = EmptyLaunch{.count = 10};
  row_of(*backend, "launch", "empty").prepare(op, {})(*queue, {}, {}, {});
  EXPECT_EQ(clock.now_ns() - before_ns, 10 * FakeTask().call_ns);
  queue->drain();
  EXPECT_EQ(clock.now_ns() - before_ns, 10 * (FakeTask().call_ns + cuda.launch_ns));
}

}  // namespace
}  // namespace normbench::gpu_day_events_test
