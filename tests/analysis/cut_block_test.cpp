#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "analysis/compare/compare.h"
#include "example_results.h"

namespace normbench::cut_block_test {
namespace {

/// Adds a cut round for each round of each case and limit. Cut rounds are measured rounds of an
/// incomplete block of rounds at the end of a measurement. Statistics must ignore them. Each one
/// takes a hundred times as long as the round that it is a copy of.
Results with_cut_rounds(Results results) {
  for (GroupResult& group : results.groups) {
    group.cut_order = {{0}};
    for (auto* list : {&group.cases, &group.limits})
      for (CaseResult& result : *list) {
        result.cut_rounds = result.rounds;
        for (Round& round : result.cut_rounds) {
          round.wall_ns *= 100;
          round.device_ns *= 100;
        }
      }
  }
  return results;
}

TEST(GpuDayCutBlock, SaysNothingToTheAnalysis) {
  for (const Results& results : {examples::blog(), examples::gpu(), examples::tie()}) {
    const Results cut = with_cut_rounds(results);
    const GroupAnalysis before = analyse(results.groups[0], results);
    const GroupAnalysis after = analyse(cut.groups[0], cut);
    EXPECT_EQ(after.verdict.winner, before.verdict.winner);
    EXPECT_EQ(after.quality.half_width, before.quality.half_width);
    const auto pairs = before.pairs.shown({}), cut_pairs = after.pairs.shown({});
    ASSERT_EQ(cut_pairs.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(cut_pairs[i].ratio, pairs[i].ratio);
    for (std::size_t i = 0; i < before.cases.size(); ++i) {
      EXPECT_EQ(after.cases[i].time_ns, before.cases[i].time_ns);
      EXPECT_EQ(after.cases[i].of_limit, before.cases[i].of_limit);
      EXPECT_EQ(after.noise[i].rounds, before.noise[i].rounds);
    }
  }
}

TEST(GpuDayCutBlock, SaysNothingToAComparison) {
  const Results base = examples::blog();
  const Comparison same = compare({base}, {with_cut_rounds(base)}, {});
  for (const ComparedCase& one : same.cases) EXPECT_EQ(one.change, Change::Same);
  EXPECT_FALSE(same.cases.empty());
}

/// The steal time of a turn (the work of one case in one round) is read from the end of the turn
/// before it to its own end. Here the turn before the second round is a cut round, which ends at
/// 110 ns. So the steal time of the second round is the 5 ns of the 20 ns from 110 to 130 ns.
TEST(GpuDayCutBlock, EndsTheTimeThatTheNextTurnIsReadOver) {
  Results results = examples::tie();
  GroupResult& group = results.groups[0];
  group.cases.resize(1);
  group.limits.clear();
  CaseResult& result = group.cases[0];
  const auto round = [](std::int64_t start_ns, std::int64_t steal_ns) {
    Round made{.wall_ns = 10, .start_ns = start_ns, .counters = {}};
    made.disturbance.steal_ns = steal_ns;
    return made;
  };
  result.rounds = {round(0, 0), round(120, 5)};
  result.cut_rounds = {round(100, 0)};
  EXPECT_DOUBLE_EQ(noise_of(group, results)[0].steal_share, 5.0 / (10 + 20));
}

}  // namespace
}  // namespace normbench::cut_block_test
