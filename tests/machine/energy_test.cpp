#include "machine/energy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "machine/fake_root.h"

namespace normbench::energy_test {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kSecond = 1'000'000'000;

void add_package(FakeRoot& root, int number, const std::string& uj, const std::string& range,
                 const std::string& name = "package-0") {
  const std::string folder = fmt::format("sys/class/powercap/intel-rapl:{}/", number);
  root.file(folder + "name", name + "\n")
      .file(folder + "energy_uj", uj)
      .file(folder + "max_energy_range_uj", range);
}

/// A GPU with a settable energy reading in mJ.
struct MeteredGpu {
  std::optional<std::int64_t> energy_mj = 1'000;

  EnergyMeter::GpuEnergy meter() {
    return [this] { return energy_mj; };
  }
};

TEST(Rapl, SumsPackagesAndNothingElse) {
  FakeRoot root;
  add_package(root, 0, "1000000", "5000000");
  add_package(root, 1, "2000000", "5000000", "package-1");
  add_package(root, 2, "9000000", "9900000", "psys");
  root.file("sys/class/powercap/intel-rapl:0:0/name", "core\n")
      .file("sys/class/powercap/intel-rapl:0:0/energy_uj", "7")
      .file("sys/class/powercap/intel-rapl/enabled", "1");
  const Rapl rapl(root);
  EXPECT_EQ(rapl.missing(), "");
  const auto before = rapl.read();
  ASSERT_TRUE(before.has_value());
  EXPECT_THAT(*before, ElementsAre(1'000'000, 2'000'000));
  EXPECT_DOUBLE_EQ(rapl.joules(*before, {1'500'000, 2'250'000}), 0.75);
}

TEST(Rapl, CountersWrapAround) {
  FakeRoot root;
  add_package(root, 0, "4900000", "5000000");
  add_package(root, 1, "0", "8000000", "package-1");
  const Rapl rapl(root);
  EXPECT_DOUBLE_EQ(rapl.joules({4'900'000, 0}, {100'000, 0}), 0.2);
  EXPECT_DOUBLE_EQ(rapl.joules({4'900'000, 7'000'000}, {4'900'000, 1'000'000}), 2.0);
}

TEST(Rapl, ThatIsNotThereOrMayNotBeReadSaysSo) {
  FakeRoot root;
  EXPECT_EQ(Rapl(root).missing(), "no RAPL (no package in /sys/class/powercap/intel-rapl:*)");
  EXPECT_EQ(Rapl(root).read(), std::nullopt);
  add_package(root, 0, "", "5000000");  // an empty text, as if the file could not be read
  EXPECT_EQ(Rapl(root).missing(),
            "RAPL not readable (as root: chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj)");
  EXPECT_EQ(Rapl(root).read(), std::nullopt);
}

TEST(Rapl, WithoutItsRangeIsNotRead) {
  FakeRoot root;
  add_package(root, 0, "12", "");
  EXPECT_EQ(Rapl(root).read(), std::nullopt);
}

TEST(EnergyMeter, AddsStretches) {
  FakeRoot root;
  add_package(root, 0, "1000000", "5000000");
  const Rapl rapl(root);
  MeteredGpu gpu;
  EnergyMeter meter(rapl, gpu.meter());
  meter.start();
  add_package(root, 0, "3500000", "5000000");
  gpu.energy_mj = 1'250;
  meter.stop(kSecond / 20);
  EXPECT_EQ(meter.cpu_joules(), std::nullopt);
  EXPECT_EQ(meter.gpu_joules(), std::nullopt);
  EXPECT_EQ(meter.missing(), "profiled for 50 ms, too short to read energy (100 ms or more)");
  gpu.energy_mj = 9'000;  // not counted: used while the meter was stopped
  meter.start();
  add_package(root, 0, "500000", "5000000");
  gpu.energy_mj = 9'500;
  meter.stop(kSecond / 20);
  EXPECT_EQ(meter.cpu_joules(), 2.5 + 2.0);
  EXPECT_EQ(meter.gpu_joules(), 0.25 + 0.5);
  EXPECT_EQ(meter.missing(), "");
}

TEST(EnergyMeter, WithoutRaplHasTheGpusAlone) {
  const FakeRoot root;
  const Rapl rapl(root);
  MeteredGpu gpu;
  EnergyMeter meter(rapl, gpu.meter());
  meter.start();
  gpu.energy_mj = 3'000;
  meter.stop(kSecond);
  EXPECT_EQ(meter.cpu_joules(), std::nullopt);
  EXPECT_EQ(meter.gpu_joules(), 2.0);
  EXPECT_EQ(meter.missing(), "no RAPL (no package in /sys/class/powercap/intel-rapl:*)");
}

TEST(EnergyMeter, WithoutAnyMeterSaysSoForBoth) {
  const FakeRoot root;
  const Rapl rapl(root);
  MeteredGpu gpu;
  gpu.energy_mj.reset();
  EnergyMeter meter(rapl, gpu.meter());
  meter.start();
  meter.stop(kSecond / 1000);
  EXPECT_EQ(meter.missing(),
            "no RAPL (no package in /sys/class/powercap/intel-rapl:*); NVML reports no energy "
            "of the GPU");
}

TEST(EnergyMeter, OfACaseWithoutTheGpuIsThePackagesAlone) {
  FakeRoot root;
  add_package(root, 0, "1000000", "5000000");
  const Rapl rapl(root);
  EnergyMeter meter(rapl, nullptr);
  meter.start();
  add_package(root, 0, "1000500", "5000000");
  meter.stop(kSecond);
  EXPECT_DOUBLE_EQ(meter.cpu_joules().value_or(-1), 0.0005);
  EXPECT_EQ(meter.gpu_joules(), std::nullopt);
  EXPECT_EQ(meter.missing(), "");
}

}  // namespace
}  // namespace normbench::energy_test
