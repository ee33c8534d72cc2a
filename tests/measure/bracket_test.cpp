#include "measure/device_fixture.h"
#include "measure/stage_times.h"

namespace normbench::bracket_test {
namespace {

struct GpuDayBracket : DeviceTest {
  CaseResult measured(const Case& planned) {
    plan.measure.max_seconds_per_group = 0;
    plan.groups.clear();
    add_group({planned});
    return run_plan().groups[0].cases[0];
  }
};

/// A queue in which the time between successive marks alternates between 2,000 ns and 1,400 ns.
struct SlowMarks final : Queue {
  SlowMarks() : Queue(1, nullptr) {}
  void drain() override {}
  int mark() override {
    last_ns += reached_ns.size() % 2 == 1 ? 2'000 : 1'400;
    reached_ns.push_back(last_ns);
    return static_cast<int>(reached_ns.size()) - 1;
  }
  std::int64_t ns_between(int from, int to) override {
    return reached_ns.at(static_cast<std::size_t>(to)) -
           reached_ns.at(static_cast<std::size_t>(from));
  }
  void reset_marks() override { reached_ns.clear(); }

  std::int64_t last_ns = 0;
  std::vector<std::int64_t> reached_ns;
};

TEST_F(GpuDayBracket, IsTheLeastTimeBetweenTwoMarks) {
  SlowMarks queue;
  EXPECT_EQ(empty_bracket_ns(queue), 1'400);
  EXPECT_EQ(queue.mark(), 0);
}

TEST_F(GpuDayBracket, IsMeasuredWithEveryCaseOnTheDevice) {
  device->mark_ns = 1'400;
  EXPECT_EQ(measured(send_and_cast()).bracket_ns, 1'400);
  EXPECT_EQ(measured(cast_case("on the CPU", 0)).bracket_ns, 0);
}

}  // namespace
}  // namespace normbench::bracket_test
