#include "analysis/why/causes.h"

#include <gtest/gtest.h>

#include "example_results.h"

namespace normbench::causes_test {
namespace {

/// What explains case `index` of the only group.
Cause cause_of(const Results& results, int index) {
  const GroupResult& group = results.groups[0];
  return explain(group, analyse_case(group, group.cases[index], results), index, results);
}

template <class Found>
bool is(const Cause& cause) {
  return std::holds_alternative<Found>(cause.found);
}

TEST(FaultCost, IsTheDifferenceToTheReusedTwin) {
  const Results results = examples::blog();
  const auto cost = fault_cost(results.groups[0], 1, results);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->faults, 54'002);
  EXPECT_NEAR(cost->cost_ns, (97.1 - 10.8) * 1e6 / 54'002, 10);  // 1598 ns
  EXPECT_NEAR(cost->share, (97.1 - 10.8) / 97.1, 0.002);         // 89 %
  EXPECT_NEAR(*cost->reused_ns, 10.8e6, 0.05e6);
}

TEST(FaultCost, FallsBackToTheFirstTouch) {
  const Results results = examples::blog();
  const auto cost = fault_cost(results.groups[0], 0, results);  // no twin that starts from uint8
  ASSERT_TRUE(cost.has_value());
  EXPECT_FALSE(cost->reused_ns.has_value());
  EXPECT_NEAR(cost->cost_ns, 45e6 / 27'000, 10);  // 1667 ns
}

TEST(FaultCost, IsNothingWithoutFaults) {
  const Results results = examples::blog();
  EXPECT_FALSE(fault_cost(results.groups[0], 3, results).has_value());
  const Results blind = examples::blog_no_counters();
  EXPECT_FALSE(fault_cost(blind.groups[0], 1, blind).has_value());
}

TEST(Explain, NamesWhatWasCounted) {
  EXPECT_TRUE(is<FaultCost>(cause_of(examples::blog(), 1)));
  EXPECT_TRUE(is<why::ExtraPasses>(cause_of(examples::blog_no_counters(), 1)));
  EXPECT_TRUE(is<why::MemoryLimit>(cause_of(examples::blog(), 4)));
  EXPECT_TRUE(is<why::Decoding>(cause_of(examples::decoding(), 0)));
}

/// Decoding on 2 threads, whose longest image took so much of the longest batch of 10 ms.
Results with_long_image(std::int64_t image_ns) {
  Results results = examples::decoding();
  GroupResult& group = results.groups[0];
  CaseResult& result = group.cases[0];
  result.threads = 2;
  result.images = 4;
  group.profile.clear();
  CaseProfile& profile = group.profile.emplace_back();
  profile.variant = result.variant;
  ProfileRow batch, image;
  batch.name = result.stages[0].label;
  batch.max_ns = 10'000'000;
  image.name = "image";
  image.annotation = image.image = true;
  image.longest = "big.jpg";
  image.max_ns = image_ns;
  profile.rows = {batch, image};
  return results;
}

TEST(Explain, AnImageThatAloneBoundsItsBatchIsNamed) {
  const Cause cause = cause_of(with_long_image(8'500'000), 0);
  ASSERT_TRUE(is<why::Decoding>(cause));
  const auto& image = std::get<why::Decoding>(cause.found).bounded_by;
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->name, "big.jpg");
  EXPECT_EQ(image->image_ns, 8.5e6);
  EXPECT_EQ(image->batch_ns, 10e6);
  const Cause shared = cause_of(with_long_image(7'500'000), 0);
  EXPECT_FALSE(std::get<why::Decoding>(shared.found).bounded_by.has_value());
  Results alone = with_long_image(8'500'000);
  alone.groups[0].cases[0].threads = 1;
  const Cause on_one = cause_of(alone, 0);
  const auto* const decoding = std::get_if<why::Decoding>(&on_one.found);
  EXPECT_FALSE(decoding != nullptr && decoding->bounded_by.has_value());
}

TEST(Explain, FilesOfPixelsAreReadNotDecoded) {
  Results results = examples::decoding();
  results.groups[0].cases[0].stages[0].parameters["storage"] = "npy";
  EXPECT_TRUE(is<why::Reading>(cause_of(results, 0)));
  results.groups[0].cases[0].stages[0].parameters["storage"] = "image";
  EXPECT_TRUE(is<why::Decoding>(cause_of(results, 0)));
}

TEST(Explain, ConstantsFromTheProfile) {
  Results results = examples::tie();
  CaseProfile& profile = results.groups[0].profile[0];
  profile.rows = {
      {.name = "any",
       .place = Place::Cpu,
       .shapes = "",
       .constants = true,
       .self_cpu_ns = 30,
       .cpu_ns = 30},
      {.name = "normalize", .place = Place::Cpu, .shapes = "", .self_cpu_ns = 70, .cpu_ns = 100}};
  const Cause cause = cause_of(results, 0);
  EXPECT_FALSE(std::get<why::ConstantsEachCall>(cause.found).cached_ns);
  EXPECT_DOUBLE_EQ(cause.share, 0.30);
}

TEST(Explain, CallsThatPrepareConstantsArePartOfThat) {
  Results results = examples::tie();
  CaseProfile& profile = results.groups[0].profile[0];
  profile.rows = {{.name = "any",
                   .place = Place::Cpu,
                   .shapes = "",
                   .constants = true,
                   .self_cpu_ns = 5,
                   .cpu_ns = 40},
                  {.name = "cudaMemcpyAsync",
                   .place = Place::Cpu,
                   .shapes = "",
                   .self_cpu_ns = 35,
                   .cpu_ns = 35},
                  {.name = "cudaStreamSynchronize",
                   .place = Place::Cpu,
                   .shapes = "",
                   .self_cpu_ns = 60,
                   .cpu_ns = 60}};
  const Cause cause = cause_of(results, 0);
  EXPECT_FALSE(std::get<why::ConstantsEachCall>(cause.found).cached_ns);
  EXPECT_DOUBLE_EQ(cause.share, 0.40);
}

TEST(Explain, ConstantsThatHoldUpTheDevice) {
  Results results = examples::tie();
  CaseProfile& profile = results.groups[0].profile[0];
  profile.times.wall_ns = 1'000;
  profile.rows = {{.name = "any",
                   .place = Place::Cpu,
                   .shapes = "",
                   .constants = true,
                   .self_cpu_ns = 5,
                   .cpu_ns = 5},
                  {.name = "any",
                   .place = Place::Cuda,
                   .shapes = "",
                   .annotation = true,
                   .constants = true,
                   .self_device_ns = 450,
                   .device_ns = 450},
                  {.name = "cudaStreamSynchronize",
                   .place = Place::Cpu,
                   .shapes = "",
                   .self_cpu_ns = 995,
                   .cpu_ns = 995}};
  const Cause cause = cause_of(results, 0);
  EXPECT_FALSE(std::get<why::ConstantsEachCall>(cause.found).cached_ns);
  EXPECT_DOUBLE_EQ(cause.share, 0.45);
}

TEST(Explain, ARowsNameIsNoConstants) {
  Results results = examples::tie();
  results.groups[0].profile[0].rows = {
      {.name = "constants", .place = Place::Cpu, .shapes = "", .self_cpu_ns = 30, .cpu_ns = 30}};
  EXPECT_FALSE(cause_of(results, 0));
}

TEST(Explain, OneStageThatDominates) {
  Results results = examples::tie();
  CaseResult& result = results.groups[0].cases[0];
  result.stages.push_back(result.stages[0]);
  result.stages[1].label = "resize";
  result.source_bytes = result.result_bytes = 1'000'000'000;  // so that no pass is one too many
  result.stages[0].rounds_ns = {10, 10};
  result.stages[1].rounds_ns = {40, 40};
  const Cause cause = cause_of(results, 0);
  EXPECT_EQ(std::get<why::OneStage>(cause.found).label, "resize");
  EXPECT_DOUBLE_EQ(cause.share, 0.8);
}

TEST(Explain, NothingIsNotInvented) { EXPECT_FALSE(cause_of(examples::tie(), 0)); }

}  // namespace
}  // namespace normbench::causes_test
