#include "measure/contender.h"
#include "measure/device_fixture.h"

namespace normbench::load_kernels_test {
namespace {

using testing::ElementsAre;

struct GpuDayLoading : DeviceTest {
  std::vector<std::string> first_call(const Case& planned) {
    GroupMemory memory = memory_for({&planned});
    CaseContender contender(planned, memory, backends, recorder, clock, random, 8);
    fake->log.clear();
    contender.first_call();
    return fake->log;
  }
};

TEST_F(GpuDayLoading, RowsThatLaunchKernelsAreLoadedFirst) {
  // Only rows 2 and 3 of the fake device have kernel code to load. Row 0 of the device launches no
  // kernel, and the last stage runs on the CPU.
  const auto log =
      first_call(make_case("case", {on_device(H2d{}, 0),
                                    on_device(Cast{}, 2),
                                    on_device(Sub{.mean = {1}}, 3, OutputPolicy::Fresh),
                                    on_device(D2h{}, 0),
                                    {.op = Sub{.mean = {1}}, .row = 1}}));
  EXPECT_THAT(std::vector(log.begin(), log.begin() + 2), ElementsAre("load 2", "load 3"));
  const auto launch = std::ranges::find(log, "launch 0");
  EXPECT_EQ(std::count(launch, log.end(), "load 2"), 0);
  EXPECT_EQ(std::ranges::count(log, "launch 2"), 1);
  EXPECT_EQ(std::ranges::count(log, "row 1"), 1);
}

TEST_F(GpuDayLoading, ACaseOfTheCpuLoadsNothing) {
  EXPECT_THAT(first_call(cast_case("cast", 0)), ElementsAre("row 0", "drain"));
}

}  // namespace
}  // namespace normbench::load_kernels_test
