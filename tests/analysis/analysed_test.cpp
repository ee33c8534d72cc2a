#include "analysis/analysed.h"

#include <gtest/gtest.h>

#include "example_results.h"

namespace normbench::analysed_test {
namespace {

TEST(Analysed, ItsExperimentsAreOfItsOwnGroupsWhereverItIs) {
  Analysed first(examples::swept());
  const Analysed moved = std::move(first);
  std::size_t groups = 0;
  for (const Experiment& experiment : moved.experiments())
    for (const GroupResult* group : experiment.groups)
      EXPECT_EQ(group, &moved.results().groups[groups++]);
  EXPECT_EQ(groups, examples::swept().groups.size());
}

TEST(Analysed, ADocumentThatIsReadableIsAnalysedOnce) {
  const Analysed analysed(examples::blog());
  EXPECT_EQ(&analysed.visible(), &analysed);
}

TEST(Analysed, TextGetsReadableNamesAndDataTheNamesThemselves) {
  Results results = examples::blog();
  results.groups[0].cases[0].variant = results.groups[0].baseline = "a\nb";
  const Analysed analysed(results);
  EXPECT_EQ(analysed.results(), results);
  const GroupResult& shown = analysed.visible().results().groups[0];
  EXPECT_EQ(shown.cases[0].variant.find('\n'), std::string::npos) << shown.cases[0].variant;
  EXPECT_EQ(analysed.visible().experiments().at(0).groups.at(0), &shown);
}

}  // namespace
}  // namespace normbench::analysed_test
