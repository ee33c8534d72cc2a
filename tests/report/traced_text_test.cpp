// Tests the sentences about a run with an attached profiling tool.
#include <gmock/gmock.h>

#include "example_results.h"
#include "report/sweep_text.h"
#include "report/verdict_text.h"

namespace normbench::traced_text_test {
namespace {

using testing::ElementsAre;

/// Returns results of a run that was checked and profiled, but not measured.
Results only_profiled() {
  Results results = examples::traced();
  results.environment["attached_tool"] = "Nsight Systems";
  for (GroupResult& group : results.groups)
    for (CaseResult& result : group.cases) {
      result.rounds.clear();
      result.iterations = 0;
      for (StageResult& stage : result.stages) stage.rounds_ns.clear();
    }
  return results;
}

Verdict verdict_of(const Results& results) { return analyse(results.groups[0], results).verdict; }

TEST(Traced, ItIsSaidWhoKeptItFromMeasuring) {
  const Results results = only_profiled();
  const Verdict verdict = verdict_of(results);
  EXPECT_EQ(verdict.outcome, Outcome::Traced);
  EXPECT_THAT(
      verdict_text(results.groups[0], analyse(results.groups[0], results), results),
      ElementsAre(
          "Measured nothing: Nsight Systems is attached (--measure measures all the same)."));
  EXPECT_TRUE(verdict.fastest.empty());
}

TEST(Traced, AnotherReasonToMeasureNothingIsNotTheTools) {
  Results results = only_profiled();
  for (CaseResult& result : results.groups[0].cases) result.status = Status::Failed;
  EXPECT_EQ(headline(results.groups[0], analyse(results.groups[0], results), results),
            "Nothing was measured: 6 of 6 failed.");
  EXPECT_EQ(verdict_of(results).outcome, Outcome::NothingRan);
}

TEST(Traced, ASweptRunSaysItOnce) {
  Results results = only_profiled();
  results.groups.push_back(results.groups[0]);
  for (std::size_t i = 0; i < 2; ++i) results.groups[i].point = {{"batch", i}};
  const auto all = experiments(results);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(verdict_lines(all[0], results)[0],
            "Measured nothing, a profiling tool was attached at all 2 points.");
}

}  // namespace
}  // namespace normbench::traced_text_test
