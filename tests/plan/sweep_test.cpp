#include "plan/sweep.h"

#include <gmock/gmock.h>

#include <numeric>

#include "fake_backends.h"

namespace normbench::sweep_test {
namespace {

using fakes::config;
using fakes::mistakes;
using testing::ElementsAre;

Json json(const std::string& text) { return Json::parse(text); }

TEST(Substitution, ReplacesWholeStringsAnywhere) {
  std::vector<Issue> issues;
  Substitution axes(json(R"({"a": [1, 2], "b": "x", "c": {"h": 3, "w": 4}})"), issues);
  const Json text = json(
      R"({"p": "$a", "q": ["$b", {"r": "$c.w"}], "s": "$$a", "t": "a$b", "u": "$5", "v": "$",
          "w": "$b."})");
  EXPECT_EQ(axes.apply(text, ""),
            json(R"({"p": [1, 2], "q": ["x", {"r": 4}], "s": "$a", "t": "a$b", "u": "$5", "v": "$",
                     "w": "$b."})"));
  EXPECT_THAT(axes.used(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(issues.empty());
}

TEST(Substitution, ReportsUnknownAxesAndFields) {
  std::vector<Issue> issues;
  Substitution axes(json(R"({"batch": 1, "size": {"h": 3}})"), issues);
  axes.apply(json(R"({"a/b": ["$bach", "$zzzzzzz", "$batch.h", "$size.y"]})"), "/p");
  EXPECT_THAT(
      issues,
      ElementsAre(
          Issue{"/p/a~1b/0", "unknown axis \"$bach\" (did you mean \"$batch\"?)"},
          Issue{"/p/a~1b/1", "unknown axis \"$zzzzzzz\" (known: \"$batch\", \"$size\")"},
          Issue{"/p/a~1b/2", "the values of axis \"batch\" have no fields (write \"$batch\")"},
          Issue{"/p/a~1b/3", "unknown field of axis \"size\" \"y\" (known: h)"}));
}

TEST(Sweep, CombinesAxesTheLastFastest) {
  const std::vector<Axis> axes{{"a", {1, 2}}, {"b", {"x", "y"}}};
  EXPECT_THAT(combinations(axes),
              ElementsAre(json(R"({"a":1,"b":"x"})"), json(R"({"a":1,"b":"y"})"),
                          json(R"({"a":2,"b":"x"})"), json(R"({"a":2,"b":"y"})")));
  EXPECT_THAT(combinations({}), ElementsAre(Json::object()));
  EXPECT_EQ(axes_text(json(R"({"a":1,"b":"x","c":[1,2]})")), "a=1, b=x, c=[1,2]");
  EXPECT_EQ(axes_text(json(R"({"a":{"name":"stock","b":2},"c":{"d":3}})")), "a=stock, c={\"d\":3}");
}

TEST(Sweep, MistakesInAxes) {
  EXPECT_THAT(
      mistakes(config(
          R"("sweep": {"a b": [1], "c": 3, "d": [], "e": [1, 1], "f": [1]}, "vary": {"f": [2]},
             "source": {"batch": "$f"}, "variants": {"v": ["copy"]})")),
      ElementsAre("/experiments/0/sweep/a b: an axis is named by letters, digits and _, and starts "
                  "with no digit",
                  "/experiments/0/sweep/c: expected a list of values, got 3",
                  "/experiments/0/sweep/d: has no values (a list of at least one)",
                  "/experiments/0/sweep/e: the value 1 is there twice",
                  "/experiments/0/vary: axis \"f\" is in sweep too (keep one)"));
  EXPECT_THAT(mistakes(config(R"("sweep": {"batch": [1, 2]}, "vary": {"m": ["pageable"]},
                                 "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/sweep/batch: axis \"batch\" is never used (write "
                          "\"$batch\")",
                          "/experiments/0/vary/m: axis \"m\" is never used (write \"$m\")"));
  EXPECT_THAT(mistakes(config(R"("source": {"batch": "$n"}, "variants": {"v": ["copy"]})")),
              testing::Contains("/experiments/0/source/batch: unknown axis \"$n\" (this experiment "
                                "sweeps nothing; write \"$$\" for a dollar)"));
}

TEST(Sweep, TooManyCombinations) {
  std::vector<int> values(101);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_THAT(mistakes(config(fmt::format(
                  R"("sweep": {{"a": [{0}], "b": [{0}]}}, "variants": {{"v": ["copy"]}})",
                  fmt::join(values, ",")))),
              ElementsAre("/experiments/0/sweep: more than 10,000 combinations (sweep fewer "
                          "values)"));
}

}  // namespace
}  // namespace normbench::sweep_test
