#include <gmock/gmock.h>

#include "analysis/compare/match.h"
#include "compared.h"

namespace normbench::compare_match_test {
namespace {

using examples::timed_run;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CompareMatch, TheOrderOfAxesIsNoDifference) {
  std::vector<Results> base{timed_run({{"fused", {1000}}})}, now = base;
  base[0].groups[0].point = {{"batch", 8}, {"size", {2, 3}}};
  now[0].groups[0].point = {{"size", {2, 3}}, {"batch", 8}};
  EXPECT_EQ(match_cases(base, now).both.size(), 1u);
  now[0].groups[0].point["batch"] = 9;
  EXPECT_EQ(match_cases(base, now).both.size(), 0u);
}

TEST(CompareMatch, OnlyKeepsWhatAGlobNames) {
  const auto kept = [](const std::vector<std::string>& globs) {
    Results results = timed_run({{"fused", {1000}}, {"eager [threads=1]", {1000}}});
    std::vector<std::string> names;
    if (!keep_cases(results, globs)) return names;
    for (const CaseResult& result : results.groups[0].cases) names.push_back(result.variant);
    return names;
  };
  EXPECT_THAT(kept({}), ElementsAre("fused", "eager [threads=1]"));
  EXPECT_THAT(kept({"form"}), ElementsAre("fused", "eager [threads=1]"));
  EXPECT_THAT(kept({"eager [threads=1]"}), ElementsAre("eager [threads=1]"));
  EXPECT_THAT(kept({"form/f*"}), ElementsAre("fused"));
  EXPECT_THAT(kept({"nothing"}), IsEmpty());
}

}  // namespace
}  // namespace normbench::compare_match_test
