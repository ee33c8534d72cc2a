#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "backend/cuda/device.h"
#include "backend/cuda/nvml.h"

namespace normbench::cuda::cuda_nvml_test {
namespace {

using testing::ElementsAre;

constexpr const char* kGpu = "0000:17:00.0";

/// Makes `functions` of the fake NVML library fail during the lifetime of the object.
class Failing {
 public:
  explicit Failing(const std::string& functions) {
    setenv("FAKE_NVML_FAILS", functions.c_str(), 1);
  }
  ~Failing() { unsetenv("FAKE_NVML_FAILS"); }
};

TEST(Nvml, ReadsWhatTheLibrarySays) {
  const Nvml nvml(kGpu, FAKE_NVML);
  EXPECT_EQ(nvml.missing(), "");
  EXPECT_EQ(nvml.driver_version(), "580.95.05");
  EXPECT_EQ(nvml.sm_clock_mhz(), 1755);
  EXPECT_EQ(nvml.memory_clock_mhz(), 2619);
  EXPECT_EQ(nvml.max_sm_clock_mhz(), 1980);
  EXPECT_EQ(nvml.max_memory_clock_mhz(), 2620);
  EXPECT_EQ(nvml.temperature_c(), 63);
  EXPECT_EQ(nvml.power_mw(), 312'500);
  EXPECT_EQ(nvml.power_limit_mw(), 700'000);
  EXPECT_EQ(nvml.energy_mj(), 5'000'000'000);
  EXPECT_EQ(nvml.persistence_mode(), true);
  EXPECT_EQ(nvml.link().generation, 4);
  EXPECT_EQ(nvml.link().width, 8);
  EXPECT_EQ(nvml.max_link().generation, 5);
  EXPECT_EQ(nvml.max_link().width, 16);
  EXPECT_EQ(nvml.throttle_reasons(),
            (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
}

TEST(GpuDayNvml, ReadsTheStateOfATurnTogether) {
  EXPECT_EQ(Nvml(kGpu, FAKE_NVML).state(), (DeviceState{1755, 0x44, 63}));
  EXPECT_EQ(Nvml(kGpu, FAKE_NVML_12).state(), (DeviceState{1755, 0x1, 41}));
  EXPECT_EQ(Nvml(kGpu, "libc.so.6").state(), std::nullopt);
  const Failing failing("nvmlDeviceGetClockInfo");
  EXPECT_EQ(Nvml(kGpu, FAKE_NVML).state(), std::nullopt);
}

/// The fake NVML returns two fields for sw_thermal_slowdown. One is a setting of the driver, with
/// the value 1. The other one is the throttled time in ns. Nvml takes the larger value, which is
/// the time.
TEST(GpuDayNvml, ReadsForHowLongReasonsHeldTheClocksBack) {
  using Times = std::map<std::string, std::int64_t>;
  EXPECT_EQ(Nvml(kGpu, FAKE_NVML).held_back_ns(), (Times{{"sw_power_cap", 2'000'000'000},
                                                         {"sync_boost", 0},
                                                         {"sw_thermal_slowdown", 3'000'000'000},
                                                         {"hw_thermal_slowdown", 1},
                                                         {"hw_power_brake_slowdown", 1}}));
  EXPECT_EQ(Nvml(kGpu, "libc.so.6").held_back_ns(), Times{});
  const Failing failing("nvmlDeviceGetFieldValues");
  EXPECT_EQ(Nvml(kGpu, FAKE_NVML).held_back_ns(), Times{});
}

TEST(Nvml, AnOlderLibraryIsAskedByItsOwnNames) {
  const Nvml nvml(kGpu, FAKE_NVML_12);
  EXPECT_EQ(nvml.missing(), "");
  EXPECT_EQ(nvml.temperature_c(), 41);
  EXPECT_EQ(nvml.throttle_reasons(), std::vector<std::string>{"gpu_idle"});
}

TEST(Nvml, NewNamesThatFailGiveWayToTheOld) {
  const Failing failing("nvmlDeviceGetTemperatureV,nvmlDeviceGetCurrentClocksEventReasons");
  const Nvml nvml(kGpu, FAKE_NVML);
  EXPECT_EQ(nvml.temperature_c(), 41);
  EXPECT_EQ(nvml.throttle_reasons(), std::vector<std::string>{"gpu_idle"});
}

TEST(Nvml, AnAbsentLibraryIsNamed) {
  const Nvml nvml(kGpu, "/nowhere/libnvidia-ml.so.1");
  EXPECT_EQ(nvml.missing(),
            "NVML not found (/nowhere/libnvidia-ml.so.1: cannot open shared object file: No such "
            "file or directory): clocks, temperature and power are unknown");
  EXPECT_EQ(nvml.driver_version(), std::nullopt);
  EXPECT_EQ(nvml.sm_clock_mhz(), std::nullopt);
  EXPECT_EQ(nvml.throttle_reasons(), std::nullopt);
}

TEST(Nvml, ALibraryThatIsNoNvml) {
  const Nvml nvml(kGpu, "libc.so.6");
  EXPECT_EQ(nvml.missing(),
            "NVML not usable (libc.so.6 lacks nvmlInit_v2 or nvmlDeviceGetHandleByPciBusId_v2): "
            "clocks, temperature and power are unknown");
  EXPECT_EQ(nvml.temperature_c(), std::nullopt);
}

TEST(Nvml, ThatDoesNotStartSaysWhy) {
  const Failing failing("nvmlInit_v2");
  const Nvml nvml(kGpu, FAKE_NVML);
  EXPECT_EQ(nvml.missing(),
            "NVML does not start (Not Supported): clocks, temperature and power are unknown");
  EXPECT_EQ(nvml.driver_version(), std::nullopt);
}

TEST(Nvml, AnUnknownGpuIsNamed) {
  const Nvml nvml("0000:ff:00.0", FAKE_NVML);
  EXPECT_EQ(nvml.missing(),
            "NVML does not see the GPU at 0000:ff:00.0 (Not Found): clocks, temperature and power "
            "are unknown");
  EXPECT_EQ(nvml.power_mw(), std::nullopt);
  EXPECT_EQ(nvml.driver_version(), "580.95.05");
}

TEST(Nvml, OneEndsWithoutTheOther) {
  const Nvml first(kGpu, FAKE_NVML);
  { const Nvml second(kGpu, FAKE_NVML); }
  EXPECT_EQ(first.sm_clock_mhz(), 1755);  // the fake answers only while an Nvml is open
}

TEST(ThrottleWords, OfEveryBit) {
  EXPECT_THAT(throttle_words(0), ElementsAre());
  EXPECT_THAT(throttle_words(0xFFF),
              ElementsAre("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown",
                          "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
                          "hw_power_brake_slowdown", "display_clock_setting", "board_limit",
                          "reliability", "unknown_0x800"));
}

TEST(Condition, HoldsEveryReading) {
  EXPECT_EQ(condition_of(Nvml(kGpu, FAKE_NVML)),
            (Json{{"sm_clock_mhz", 1755},
                  {"memory_clock_mhz", 2619},
                  {"throttle_reasons", {"sw_power_cap", "hw_thermal_slowdown"}},
                  {"held_back_ns",
                   {{"hw_power_brake_slowdown", 1},
                    {"hw_thermal_slowdown", 1},
                    {"sw_power_cap", 2'000'000'000},
                    {"sw_thermal_slowdown", 3'000'000'000},
                    {"sync_boost", 0}}},
                  {"temperature_c", 63},
                  {"power_w", 312.5},
                  {"power_limit_w", 700.0},
                  {"energy_mj", 5'000'000'000},
                  {"pcie", {{"generation", 4}, {"width", 8}}}}));
}

TEST(Condition, WithoutNvmlIsNull) {
  EXPECT_EQ(condition_of(Nvml(kGpu, "/nowhere")),
            (Json{{"sm_clock_mhz", nullptr},
                  {"memory_clock_mhz", nullptr},
                  {"throttle_reasons", nullptr},
                  {"held_back_ns", nullptr},
                  {"temperature_c", nullptr},
                  {"power_w", nullptr},
                  {"power_limit_w", nullptr},
                  {"energy_mj", nullptr},
                  {"pcie", {{"generation", nullptr}, {"width", nullptr}}}}));
}

struct Broken {
  const char* functions;
  std::vector<std::string> pointers;  // JSON pointers to the values that become null
};

class BrokenReading : public testing::TestWithParam<Broken> {};

TEST_P(BrokenReading, IsNullAndTheOthersStay) {
  Json expected = condition_of(Nvml(kGpu, FAKE_NVML));
  for (const std::string& pointer : GetParam().pointers)
    expected[Json::json_pointer(pointer)] = nullptr;
  const Failing failing(GetParam().functions);
  EXPECT_EQ(condition_of(Nvml(kGpu, FAKE_NVML)), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Nvml, BrokenReading,
    testing::Values(
        Broken{"nvmlDeviceGetClockInfo", {"/sm_clock_mhz", "/memory_clock_mhz"}},
        Broken{"nvmlDeviceGetCurrentClocksEventReasons,nvmlDeviceGetCurrentClocksThrottleReasons",
               {"/throttle_reasons"}},
        Broken{"nvmlDeviceGetFieldValues", {"/held_back_ns"}},
        Broken{"nvmlDeviceGetTemperatureV,nvmlDeviceGetTemperature", {"/temperature_c"}},
        Broken{"nvmlDeviceGetPowerUsage", {"/power_w"}},
        Broken{"nvmlDeviceGetEnforcedPowerLimit", {"/power_limit_w"}},
        Broken{"nvmlDeviceGetTotalEnergyConsumption", {"/energy_mj"}},
        Broken{"nvmlDeviceGetCurrPcieLinkGeneration", {"/pcie/generation"}},
        Broken{"nvmlDeviceGetCurrPcieLinkWidth", {"/pcie/width"}}));

}  // namespace
}  // namespace normbench::cuda::cuda_nvml_test
