#include "plan/sweep.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fake_backends.h"

namespace normbench::sweep_test {
namespace {

using fakes::config;
using fakes::mistakes;
using testing::ElementsAre;
using testing::Pair;

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
          Issue{"/p/a~1b/0", "no axis is named \"bach\" (did you mean \"$batch\"?)"},
          Issue{"/p/a~1b/1",
                "no axis is named \"zzzzzzz\" (known: \"$batch\", \"$size\"; a literal dollar is "
                "\"$$\")"},
          Issue{"/p/a~1b/2", "the values of axis \"batch\" have no fields (write \"$batch\")"},
          Issue{"/p/a~1b/3", "unknown field of axis \"size\" \"y\" (known: h)"}));
}

TEST(Sweep, CombinesAxesTheLastFastest) {
  const std::vector<Axis> axes{{"a", {1, 2}, "/p/a"}, {"b", {"x", "y"}, "/p/b"}};
  std::vector<Json> assignments;
  for (const Combination& one : combinations(axes)) assignments.push_back(one.assignment);
  EXPECT_THAT(assignments, ElementsAre(json(R"({"a":1,"b":"x"})"), json(R"({"a":1,"b":"y"})"),
                                       json(R"({"a":2,"b":"x"})"), json(R"({"a":2,"b":"y"})")));
  EXPECT_THAT(combinations(axes)[2].places, ElementsAre(Pair("a", "/p/a/1"), Pair("b", "/p/b/0")));
  ASSERT_EQ(combinations({}).size(), 1u);
  EXPECT_EQ(combinations({})[0].assignment, Json::object());
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
  for (const std::string sweep : {"", R"("sweep": {}, )"})
    EXPECT_THAT(
        mistakes(config(sweep + R"("source": {"batch": "$bach"}, "variants": {"v": ["copy"]})")),
        testing::Contains("/experiments/0/source/batch: no axis is named \"bach\" (none is known "
                          "here: add it to \"sweep\" or \"vary\"; a literal dollar is \"$$\")"));
}

TEST(Sweep, EveryMistakeOfAValueIsToldOnceWhereTheValueStands) {
  for (const std::string key : {"sweep", "vary"}) {
    const std::string at = "/experiments/0/" + key;
    EXPECT_THAT(
        mistakes(config(fmt::format(
            R"("{}": {{"memory": ["pinnd", "pageable", 5], "n": [1, 0, -2]}}, "threads": "$n",
               "source": {{"batch": "$n", "memory": "$memory"}},
               "variants": {{"a": ["copy"], "b": [{{"op": "cast", "to": "float32"}}]}})",
            key))),
        testing::UnorderedElementsAre(
            at + "/memory/0: unknown value \"pinnd\" (did you mean \"pinned\"?)",
            at + "/memory/2: expected a string, got 5", at + "/n/1: must be at least 1, got 0",
            at + "/n/2: must be at least 1, got -2"))
        << key;
  }
}

TEST(Sweep, MistakesInPartsOfAValueAreToldThere) {
  EXPECT_THAT(
      mistakes(config(
          R"("vary": {"s": [{"h": 8, "w": 8}, {"h": 0, "w": -1}, {"h": 1, "w": "x"}],
                      "how": [["copy"], ["copi"], [{"op": "cast", "to": "f99"}]]},
             "source": {"size": ["$s.h", "$s.w"]}, "variants": {"a": "$how"})")),
      testing::UnorderedElementsAre(
          "/experiments/0/vary/how/1/0: unknown op \"copi\" (did you mean \"copy\"?)",
          "/experiments/0/vary/how/2/0/to: unknown value \"f99\" (known: uint8, float16, bfloat16, "
          "float32)",
          "/experiments/0/vary/s/1/h: must be from 1 to 2147483647, got 0",
          "/experiments/0/vary/s/1/w: must be from 1 to 2147483647, got -1",
          "/experiments/0/vary/s/2/w: expected an integer, got \"x\""));
  EXPECT_THAT(mistakes(config(R"("vary": {"to": ["float32", "f99"]}, "variants": {"a": ["cast"]})",
                              R"("defaults": {"cast": {"to": "$to"}})")),
              ElementsAre("/experiments/0/vary/to/1: unknown value \"f99\" (known: uint8, float16, "
                          "bfloat16, float32)"));
  EXPECT_THAT(mistakes(config(R"("sweep": {"b": ["a", "c"]}, "variants": {"a": ["copy"]},
                                 "baseline": "$b")")),
              ElementsAre("/experiments/0/sweep/b/1: unknown variant \"c\" (known: a)"));
}

TEST(Sweep, TooManyCombinations) {
  std::vector<int> values(101);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_THAT(mistakes(config(fmt::format(
                  R"("sweep": {{"a": [{0}], "b": [{0}]}}, "variants": {{"v": ["copy"]}})",
                  fmt::join(values, ",")))),
              ElementsAre("/experiments/0/sweep: has 10,201 combinations of values (at most "
                          "10,000: leave out values, or write several experiments)"));
}

std::string numbers(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  return fmt::format("[{}]", fmt::join(values, ","));
}

TEST(Sweep, NothingThatFollowsFromARefusedSweepIsTold) {
  const std::string rest = R"("source": {"batch": "$a", "size": ["$b.x", "$zz"]}, "baseline": "w",
    "claims": [{"text": "t", "point": {"a": 7}, "expects": ["v [a=3]", "<", "w"]}],
    "variants": {"v": ["copy"]})";
  const std::string right =
      " combinations of values (at most 10,000: leave out values, or write several experiments)";
  for (const std::string key : {"sweep", "vary"}) {
    EXPECT_THAT(
        mistakes(config(fmt::format(R"("{}": {{"a": {}}}, )", key, numbers(50'000)) + rest)),
        ElementsAre("/experiments/0/" + key + ": has 50,000" + right));
    std::string axes;
    for (const char name : std::string("abcdefgh"))
      axes += fmt::format(R"({}"{}": {})", axes.empty() ? "" : ", ", name, numbers(9'000));
    EXPECT_THAT(
        mistakes(config(fmt::format(R"("{}": {{{}}}, )", key, axes) + rest)),
        ElementsAre("/experiments/0/" + key + ": has more than 1,000,000,000,000,000" + right));
  }
}

TEST(Sweep, WhatUsesAWrongAxisIsNoMistakeOfItsOwn) {
  EXPECT_THAT(
      mistakes(config(
          R"("sweep": {"a": [1, 1.0], "b": 5}, "vary": {"c": []},
             "source": {"batch": "$a", "size": ["$b.h", "$d"]},
             "variants": {"v": [{"op": "cast", "to": "$c"}], "w": ["copi"]})")),
      ElementsAre("/experiments/0/sweep/a: the value 1.0 is there twice",
                  "/experiments/0/sweep/b: expected a list of values, got 5",
                  "/experiments/0/vary/c: has no values (a list of at least one)",
                  testing::StartsWith("/experiments/0/source/size/1: no axis is named \"d\""),
                  "/experiments/0/variants/w/0: unknown op \"copi\" (did you mean \"copy\"?)"));
}

TEST(Sweep, AnExperimentHasAtMostSoManyCases) {
  const auto with = [](int points, int values) {
    return config(fmt::format(R"("sweep": {{"a": {}}}, "vary": {{"b": {}, "c": [1, 2]}},
      "source": {{"batch": 1, "size": [1, 1]}}, "threads": "$a",
      "variants": {{"v": [{{"op": "normalize", "mean": "$b", "std": 1}}], "w": ["copy"]}},
      "question": "$c")",
                              numbers(points), numbers(values)));
  };
  EXPECT_THAT(mistakes(with(1'000, 100)),
              ElementsAre("/experiments/0: has 101,000 cases (at most 100,000: leave out values of "
                          "\"sweep\" or \"vary\", or write several experiments)"));
}

TEST(Sweep, ManyValuesArePlannedLikeFew) {
  const auto plan = [](int count) {
    return fakes::plan(config(fmt::format(
        R"("vary": {{"n": {}}}, "source": {{"batch": "$n", "size": [2, 2]}},
           "variants": {{"v": ["copy"], "w": [{{"op": "cast", "to": "float32"}}]}})",
        numbers(count))));
  };
  const Plan few = plan(10), many = plan(600);
  ASSERT_EQ(many.groups.size(), 1u);
  const Group &small = few.groups[0], &large = many.groups[0];
  ASSERT_EQ(large.cases.size(), 1200u);
  for (std::size_t i = 0; i < 1200; ++i) {
    const Case& planned = large.cases[i];
    EXPECT_EQ(planned.variant, fmt::format("{} [n={}]", i < 600 ? "v" : "w", i % 600 + 1));
    EXPECT_EQ(planned.images(), static_cast<std::int64_t>(i % 600 + 1));
    if (i % 600 >= 10) continue;
    EXPECT_EQ(planned.values, small.cases[i / 600 * 10 + i % 600].values);
  }
  for (const Case& limit : small.limits)
    EXPECT_TRUE(std::ranges::any_of(large.limits, [&](const Case& other) {
      return other.variant == limit.variant && other.values == limit.values;
    })) << limit.variant;
  std::set<std::string> names;
  for (const Case& limit : large.limits) EXPECT_TRUE(names.insert(limit.variant).second);
}

}  // namespace
}  // namespace normbench::sweep_test
