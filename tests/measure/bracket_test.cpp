#include "measure/device_fixture.h"
#include "measure/stage_times.h"

namespace normbench::bracket_test {
namespace {

struct GpuDayBracket : DeviceTest {
  CaseResult measured(const Case& work) {
    plan.measure.max_seconds_per_group = 0;
    plan.groups.clear();
    add_group({work});
    return run_plan().groups[0].cases[0];
  }
};

TEST_F(GpuDayBracket, IsTheLeastTimeBetweenTwoMarks) {
  const auto queue = device->make_queue(1, nullptr);
  device->mark_ns = 1'400;
  EXPECT_EQ(empty_bracket_ns(*queue), 1'400);
  EXPECT_EQ(queue->mark(), 0);
}

TEST_F(GpuDayBracket, IsMeasuredWithEveryCaseOnTheDevice) {
  device->mark_ns = 1'400;
  EXPECT_EQ(measured(send_and_cast()).bracket_ns, 1'400);
  EXPECT_EQ(measured(cast_case("on the CPU", 0)).bracket_ns, 0);
}

}  // namespace
}  // namespace normbench::bracket_test
