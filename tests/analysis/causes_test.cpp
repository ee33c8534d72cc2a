#include "analysis/why/causes.h"

#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::causes_test {
namespace {

/// Explains why case `index` of the only group is slow.
Cause cause_of(const Results& results, int index) {
  const GroupResult& group = results.groups[0];
  return explain(group, analyse_case({group, results}, index), index, results);
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
  EXPECT_NEAR(*cost->cost_ns, (97.1 - 10.8) * 1e6 / 54'002, 10);  // 1598 ns
  EXPECT_FALSE(cost->at_most);
  EXPECT_NEAR(cost->share.value, (97.1 - 10.8) / 97.1, 0.002);
  EXPECT_LT(cost->share.low, cost->share.value);
  EXPECT_GT(cost->share.high, cost->share.value);
  ASSERT_TRUE(cost->twin.has_value());
  EXPECT_NEAR(cost->twin->time_ns, 10.8e6, 0.05e6);
  EXPECT_FALSE(cost->twin->is_peer);
}

/// Returns examples::blog(). The rounds of its limit `first_touch` (which writes to fresh pages)
/// take `wall_ms` of wall time and `cpu_ms` of CPU time.
Results with_touch(double wall_ms, double cpu_ms) {
  Results results = examples::blog();
  for (Round& round : results.groups[0].limits.back().rounds) {
    round.wall_ns = static_cast<std::int64_t>(wall_ms * 1e6);
    round.cpu_ns = static_cast<std::int64_t>(cpu_ms * 1e6);
  }
  return results;
}

TEST(FaultCost, IsNoMoreThanATouchedPageCosts) {
  const Results results = with_touch(27, 27);
  const auto cost = fault_cost(results.groups[0], 1, results);
  EXPECT_DOUBLE_EQ(*cost->cost_ns, 1'000);
  EXPECT_NEAR(cost->share.value, 0.89, 0.005);  // from the case that reuses outputs
}

TEST(FaultCost, TimeThatOthersHadTheCpuIsNotItsOwn) {
  const Results results = with_touch(270, 27);
  EXPECT_DOUBLE_EQ(*fault_cost(results.groups[0], 1, results)->cost_ns, 1'000);
  EXPECT_DOUBLE_EQ(*fault_cost(results.groups[0], 0, results)->cost_ns, 1'000);
  Results beside = examples::blog();  // wall times 10 times as long, CPU times as before
  for (CaseResult& result : beside.groups[0].cases)
    for (Round& round : result.rounds) {
      round.cpu_ns = round.wall_ns;
      round.wall_ns *= 10;
    }
  beside.groups[0].limits.clear();
  EXPECT_NEAR(*fault_cost(beside.groups[0], 1, beside)->cost_ns, 1'598, 10);
}

TEST(FaultCost, ATwinWithoutALimitBoundsIt) {
  Results results = examples::blog();
  results.groups[0].limits.pop_back();
  const auto cost = fault_cost(results.groups[0], 1, results);
  EXPECT_NEAR(*cost->cost_ns, 1'598, 10);
  EXPECT_TRUE(cost->at_most);
}

TEST(FaultCost, ALimitWithoutATwinBoundsIt) {
  const Results results = examples::blog();
  // A twin of a case reuses all outputs and is otherwise equal to the case. Case 0 has no twin.
  const auto cost = fault_cost(results.groups[0], 0, results);
  ASSERT_TRUE(cost.has_value());
  EXPECT_FALSE(cost->twin.has_value());
  EXPECT_TRUE(cost->at_most);
  EXPECT_NEAR(*cost->cost_ns, 45e6 / 27'000, 10);  // 1667 ns
  EXPECT_EQ(cost->share.low, 0);
  EXPECT_EQ(cost->share.value, cost->share.high);
}

TEST(FaultCost, AllFaultsTakeNoMoreThanAllOfTheTime) {
  // Touching 27,000 pages in 270 ms costs 10 us per page. The case has 81,003 page faults. These
  // would take 81,003 * 10 us = 810 ms, but the case takes only 135.6 ms.
  const Results results = with_touch(270, 270);
  const auto cost = fault_cost(results.groups[0], 0, results);
  EXPECT_NEAR(*cost->cost_ns, 135.6e6 / 81'003, 10);
  EXPECT_DOUBLE_EQ(cost->share.value, 1);
}

TEST(FaultCost, ALimitOfOtherMemoryIsNone) {
  Results results = examples::blog();
  results.groups[0].limits.back().stages[0].out.memory = Memory::PageableHuge;
  EXPECT_FALSE(fault_cost(results.groups[0], 0, results).has_value());
  EXPECT_TRUE(fault_cost(results.groups[0], 1, results)->at_most);
}

/// Returns results with two peers, whose commands are `stock` and `other`. The first peer runs case
/// "a", which has page faults and takes 160 ms. The second peer runs case "b", which has no page
/// faults and takes 58 ms. Touching a page costs 1 us.
Results two_peers(const Json& stock, const Json& other) {
  using examples::make_case;
  Results results = examples::make_results("peers", {GroupResult{}});
  results.config["peers"] = {{"stock", stock}, {"other", other}};
  GroupResult& group = results.groups[0];
  group.cases = {make_case({"a", 160, DType::Float32, {{"sub"}, {"div"}}, 54'002}),
                 make_case({"b", 58, DType::Float32, {{"sub"}, {"div"}}})};
  group.cases[0].peer = "stock";
  group.cases[1].peer = "other";
  group.baseline = "a";
  group.limits = {examples::make_limit("first_touch", 27, DType::Float32)};
  group.limits[0].stages[0].op = "first_touch";
  for (Round& round : group.limits[0].rounds) round.counters.minor_faults = 27'000;
  return results;
}

TEST(PeersFaults, AreSharedByTheTwinOfAnotherAllocator) {
  const auto words = [](std::vector<std::string> list) { return Json(std::move(list)); };
  const Json stock = words({"run", "torch.py", "--as", "eager"});
  for (const Json& other : {words({"run", "torch.py", "--as", "eager", "--allocator", "no-faults"}),
                            words({"run", "torch.py", "--allocator=no-faults", "--as", "eager"}),
                            words({"env", "MALLOC_TRIM_THRESHOLD_=1", "MALLOC_MMAP_THRESHOLD_=1",
                                   "run", "torch.py", "--as", "eager"}),
                            words({"env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "run",
                                   "torch.py", "--as", "eager"})}) {
    const Results results = two_peers(stock, other);
    const auto cost = fault_cost(results.groups[0], 0, results);
    ASSERT_TRUE(cost.has_value()) << other;
    ASSERT_TRUE(cost->twin.has_value()) << other;
    EXPECT_EQ(cost->twin->variant, "b");
    EXPECT_TRUE(cost->twin->is_peer);
    EXPECT_FALSE(cost->cost_ns.has_value());
    EXPECT_NEAR(cost->share.value, (160. - 58) / 160, 0.005);
    EXPECT_TRUE(cause_of(results, 0).proven);
  }
}

TEST(PeersFaults, AreBoundedByTheLimitWhereNothingDiffersInTheAllocatorAlone) {
  const auto words = [](std::vector<std::string> list) { return Json(std::move(list)); };
  const Json stock = words({"run", "torch.py", "--as", "eager"});
  for (const Json& other :
       {words({"run", "torch.py", "--as", "compile", "--allocator", "no-faults"}),
        words({"run", "torch.py", "--as", "eager", "--reuse"}),  // `--reuse` changes the calls, too
        words({"env", "OMP_NUM_THREADS=1", "run", "torch.py", "--as", "eager"}),
        words({"run", "torch.py", "--as", "eager"}), Json({1, 2}), Json(3), Json("run")}) {
    const Results results = two_peers(stock, other);
    const auto cost = fault_cost(results.groups[0], 0, results);
    ASSERT_TRUE(cost.has_value()) << other;
    EXPECT_FALSE(cost->twin.has_value()) << other;
    EXPECT_TRUE(cost->at_most);
    EXPECT_NEAR(cost->share.value, 54. / 160, 0.005);
  }
}

TEST(PeersFaults, ATwinThatIsAsSlowShowsThatTheyCostNothing) {
  Results results = two_peers({"run", "torch.py"}, {"run", "torch.py", "--allocator", "no-faults"});
  results.groups[0].cases[1].rounds = examples::make_rounds(157, 9);
  EXPECT_FALSE(fault_cost(results.groups[0], 0, results).has_value());
}

TEST(PeersFaults, ATwinThatFaultsIsNone) {
  Results results = two_peers({"run", "torch.py"}, {"run", "torch.py", "--allocator", "no-faults"});
  for (Round& round : results.groups[0].cases[1].rounds) round.counters.minor_faults = 27'000;
  EXPECT_FALSE(fault_cost(results.groups[0], 0, results)->twin.has_value());
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

/// Returns results whose case 0 decodes on 2 threads. Its longest batch takes 10 ms, and its
/// longest image takes `image_ns`.
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
  result.source_bytes = result.result_bytes = 1'000'000'000;  // so that ExtraPasses is no cause
  result.stages[0].rounds_ns = {10, 10};
  result.stages[1].rounds_ns = {40, 40};
  const Cause cause = cause_of(results, 0);
  EXPECT_EQ(std::get<why::OneStage>(cause.found).label, "resize");
  EXPECT_DOUBLE_EQ(cause.share, 0.8);
}

/// Returns a document with two cases that load the same images in 36 ms. "slow" then normalises for
/// 14 ms, "fast" for 4 ms.
Results loads_alike() {
  Results results = examples::decoding();
  std::vector<CaseResult>& cases = results.groups[0].cases;
  cases[1] = cases[0];
  const std::vector<std::int64_t> ms{50, 40};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].variant = i == 0 ? "slow" : "fast";
    cases[i].rounds =
        examples::make_rounds(static_cast<double>(ms[i]), 7 + static_cast<std::uint64_t>(i));
    for (std::int64_t& ns : cases[i].stages[1].rounds_ns) ns = (ms[i] - 36) * 1'000'000;
  }
  results.groups[0].baseline = "slow";
  return results;
}

TEST(ExplainSlow, NamesTheStageInWhichTheTwoDifferMost) {
  Results results = loads_alike();
  EXPECT_TRUE(is<why::Decoding>(cause_of(results, 0)));
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow && is<why::StageApart>(slow->cause));
  const auto& stage = std::get<why::StageApart>(slow->cause.found);
  EXPECT_THAT(stage.labels, testing::ElementsAre("normalize"));
  EXPECT_DOUBLE_EQ(stage.own_ns, 14e6);
  EXPECT_DOUBLE_EQ(stage.its_ns, 4e6);
}

TEST(ExplainSlow, TakesAnOpForTheSameWhereAnotherKernelRunsIt) {
  Results results = loads_alike();
  results.groups[0].cases[1].stages[0].label = "load (scaled)";
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow && is<why::StageApart>(slow->cause));
  EXPECT_THAT(std::get<why::StageApart>(slow->cause.found).labels,
              testing::ElementsAre("normalize"));
}

TEST(ExplainSlow, ComparesWhatOnlyOneOfTheTwoHasTogether) {
  Results results = loads_alike();
  std::vector<StageResult>& stages = results.groups[0].cases[0].stages;
  stages.push_back(stages[1]);
  stages[1].op = stages[1].label = "sub";
  stages[2].op = stages[2].label = "div";
  for (std::int64_t& ns : stages[1].rounds_ns) ns = 8'000'000;
  for (std::int64_t& ns : stages[2].rounds_ns) ns = 6'000'000;
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow && is<why::StageApart>(slow->cause));
  const auto& stage = std::get<why::StageApart>(slow->cause.found);
  EXPECT_THAT(stage.labels, testing::ElementsAre("sub", "div"));
  EXPECT_THAT(stage.instead, testing::ElementsAre("normalize"));
  EXPECT_DOUBLE_EQ(stage.own_ns, 14e6);
  EXPECT_DOUBLE_EQ(stage.its_ns, 4e6);
}

TEST(ExplainSlow, ComparesStagesOfALabelWithThatLabelAlone) {
  Results results = loads_alike();
  for (CaseResult& result : results.groups[0].cases) {
    result.stages.push_back(result.stages[1]);
    result.stages[2].op = "copy";
    result.stages[2].label = "one";
    for (std::int64_t& ns : result.stages[2].rounds_ns) ns = 1'000'000;
  }
  std::vector<StageResult>& stages = results.groups[0].cases[0].stages;
  for (int i = 0; i < 2; ++i) {
    stages.push_back(stages[2]);
    stages.back().label = "two";
    for (std::int64_t& ns : stages.back().rounds_ns) ns = 6'000'000;
  }
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow && is<why::StageApart>(slow->cause));
  const auto& stage = std::get<why::StageApart>(slow->cause.found);
  EXPECT_THAT(stage.labels, testing::ElementsAre("two"));  // once, for both stages
  EXPECT_FALSE(stage.is_in_both);
  EXPECT_DOUBLE_EQ(stage.own_ns, 12e6);
  EXPECT_TRUE(stage.instead.empty());
}

TEST(ExplainSlow, KeepsItsCauseWhereTheFastestHasNoStageTimes) {
  Results results = loads_alike();
  for (StageResult& stage : results.groups[0].cases[1].stages) stage.rounds_ns.clear();
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow);
  EXPECT_TRUE(is<why::Decoding>(slow->cause));
}

TEST(ExplainSlow, KeepsItsCauseWhereNoStageTakesLonger) {
  Results results = loads_alike();
  for (StageResult& stage : results.groups[0].cases[1].stages)
    for (std::int64_t& ns : stage.rounds_ns) ns *= 10;
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow);
  EXPECT_TRUE(is<why::Decoding>(slow->cause));
}

TEST(ExplainSlow, KeepsTheResourceThatMakesTheDifference) {
  Results results = loads_alike();
  for (std::int64_t& ns : results.groups[0].cases[1].stages[0].rounds_ns) ns = 20'000'000;
  const auto slow = analyse(results.groups[0], results).verdict.slow;
  ASSERT_TRUE(slow);
  EXPECT_TRUE(is<why::Decoding>(slow->cause));
}

TEST(Explain, NothingIsNotInvented) { EXPECT_FALSE(cause_of(examples::tie(), 0)); }

}  // namespace
}  // namespace normbench::causes_test
