#include "report/document_text.h"

#include <gtest/gtest.h>

#include "example_results.h"

namespace normbench::document_text_test {
namespace {

std::string gpu_text_with(const std::string& pointer, const Json& value) {
  Results results = examples::gpu();
  results.environment[Json::json_pointer(pointer)] = value;
  return gpu_text(results);
}

TEST(GpuText, NamesTheGpuItsMemoryAndItsLink) {
  EXPECT_EQ(gpu_text(examples::gpu()), "Example GPU, 80 GiB, PCIe 5.0 x16");
}

TEST(GpuText, SaysWhatTheLinkCouldBe) {
  EXPECT_EQ(gpu_text_with("/gpu/pcie/width", 8),
            "Example GPU, 80 GiB, PCIe 5.0 x8 (could be PCIe 5.0 x16)");
}

TEST(GpuText, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(gpu_text_with("/gpu/pcie/measured", "idle"), "Example GPU, 80 GiB");
  EXPECT_EQ(gpu_text_with("/gpu/pcie/generation", nullptr), "Example GPU, 80 GiB");
  EXPECT_EQ(gpu_text_with("/gpu/pcie/max_width", nullptr), "Example GPU, 80 GiB, PCIe 5.0 x16");
  EXPECT_EQ(gpu_text_with("/gpu/memory_bytes", nullptr), "Example GPU, PCIe 5.0 x16");
  EXPECT_EQ(gpu_text_with("/gpu", nullptr), "GPU");
}

TEST(GpuText, WithoutOne) {
  EXPECT_EQ(gpu_text_with("/places/cuda", "built without CUDA"), "no GPU: built without CUDA");
  EXPECT_EQ(gpu_text(examples::tie()), "no GPU (no case here needs one)");
}

TEST(GpuText, OfAnInterruptedRunSaysNothingOfWhatItsMissingGroupsNeed) {
  Results results = examples::gpu();
  results.groups.clear();
  EXPECT_EQ(gpu_text(results), "GPU not used");
  results.interrupted = true;
  EXPECT_EQ(gpu_text(results), "Example GPU, 80 GiB, PCIe 5.0 x16");
}

TEST(MachineText, SaysWhenABetterInstructionSetIsLeftOut) {
  Json environment{{"cpu", {{"model", "Example CPU"}, {"cores", 1}}},
                   {"simd", "AVX3"},
                   {"simd_targets", {"AVX3", "AVX2"}}};
  EXPECT_EQ(machine_text(environment), "Example CPU, 1 core");
  environment["simd"] = "AVX2";
  EXPECT_EQ(machine_text(environment), "Example CPU, 1 core, only AVX2");
}

TEST(ConditionTable, HasNoRowsWithoutAGpu) {
  EXPECT_EQ(condition_table(examples::tie().groups[0], {}), "");
}

TEST(ConditionTable, LeavesOutColumnsThatCouldNotBeRead) {
  GroupResult group = examples::gpu().groups[0];
  group.condition_after = nullptr;
  group.condition_before = {{"sm_clock_mhz", 1'980}, {"temperature_c", nullptr}};
  EXPECT_EQ(condition_table(group, {}),
            "  when    SM MHz  clocks held back by\n"
            "  before   1,980  cannot be read here\n");
}

TEST(ConditionTable, SaysWhatHeldTheClocksBackBetween) {
  GroupResult group = examples::gpu().groups[0];
  group.condition_before =
      group.condition_after = {{"sm_clock_mhz", 1'980}, {"throttle_reasons", {"gpu_idle"}}};
  EXPECT_EQ(condition_table(group, {.rounds_ns = 5'000'000'000,
                                    .held_back_ns = {{"hw_thermal_slowdown", 300'000'000},
                                                     {"sw_power_cap", 1'249'000'000}}}),
            "  when     SM MHz  clocks held back by\n"
            "  before    1,980  gpu_idle\n"
            "  between          hw_thermal_slowdown for 0.3 of 5.0 s, sw_power_cap for 1.2 of 5.0 "
            "s\n"
            "  after     1,980  gpu_idle\n");
}

TEST(ThrottleWarning, IsOfAnythingButIdling) {
  Results results = examples::gpu();
  GroupResult& group = results.groups[0];
  const auto warning = [&] { return throttle_warning(experiments(results)[0]); };
  EXPECT_EQ(
      warning(),
      "Warning: the GPU held its clocks back (sw_power_cap): its times may differ elsewhere.");
  group.condition_before["throttle_reasons"] = {"gpu_idle", "hw_slowdown"};
  EXPECT_EQ(warning(),
            "Warning: the GPU held its clocks back (hw_slowdown, sw_power_cap): its times may "
            "differ elsewhere.");
  group.condition_before["throttle_reasons"] = {"gpu_idle"};
  group.condition_after["throttle_reasons"] = nullptr;
  EXPECT_EQ(warning(), "");
  // `held_back_ns` also counts a cause that ended before the second reading of the GPU's condition.
  for (CaseResult& result : group.cases)
    for (Round& round : result.rounds) round = {.wall_ns = 1'000'000, .counters = {}};
  group.limits.clear();
  group.cases[1].rounds.back().start_ns = 1'999'000'000;
  group.condition_before["held_back_ns"] = {{"sw_power_cap", 700'000'000}, {"sync_boost", 0}};
  group.condition_after["held_back_ns"] = {{"sw_power_cap", 1'200'000'000}, {"sync_boost", 0}};
  group.condition_after["throttle_reasons"] = {"board_limit"};
  EXPECT_EQ(warning(),
            "Warning: the GPU held its clocks back (sw_power_cap for 0.5 of 2.0 s, board_limit): "
            "its times may differ elsewhere.");
}

}  // namespace
}  // namespace normbench::document_text_test
