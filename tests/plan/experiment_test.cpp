#include "plan/experiment.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::experiment_test {
namespace {

using fakes::config;
using fakes::mistakes;
using testing::ElementsAre;

/// Returns "point baseline name: | variant, source's shape | ..." for every group.
std::vector<std::string> shown(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Group& group : plan.groups) {
    std::string line = group.point.dump() + " baseline " + group.baseline + ":";
    for (const Case& one : group.cases)
      line += " | " + one.variant + ", " + describe(one.values.at(0).desc);
    lines.push_back(line);
  }
  return lines;
}

TEST(Experiment, SweepMakesGroupsAndVaryMakesCases) {
  const Plan plan = fakes::plan(config(
      R"("sweep": {"size": [{"h": 2, "w": 3}, {"h": 4, "w": 5}]},
         "vary": {"memory": ["pageable", "pageable_huge"]},
         "source": {"batch": 1, "size": ["$size.h", "$size.w"], "memory": "$memory"},
         "baseline": "b",
         "variants": {"a": [{"op": "source", "batch": 10, "size": [7, 7], "memory": "pageable"}, "copy"], "b": ["copy"]})"));
  EXPECT_THAT(shown(plan),
              ElementsAre(R"({"size":{"h":2,"w":3}} baseline b [memory=pageable]:)"
                          " | a, 10x3x7x7 uint8 nchw pageable"
                          " | b [memory=pageable], 1x3x2x3 uint8 nchw pageable"
                          " | b [memory=pageable_huge], 1x3x2x3 uint8 nchw pageable_huge",
                          R"({"size":{"h":4,"w":5}} baseline b [memory=pageable]:)"
                          " | a, 10x3x7x7 uint8 nchw pageable"
                          " | b [memory=pageable], 1x3x4x5 uint8 nchw pageable"
                          " | b [memory=pageable_huge], 1x3x4x5 uint8 nchw pageable_huge"));
  EXPECT_EQ(plan.groups[0].cases[2].axes, Json::parse(R"({"memory": "pageable_huge"})"));
  EXPECT_EQ(plan.groups[0].cases[2].written, "b");
}

TEST(Experiment, AxesReachDefaultsOpsAndThreads) {
  const Plan plan =
      fakes::plan(config(R"("vary": {"t": [1, 2], "to": ["float16", "float32"]}, "threads": "$t",
                "variants": {"a": ["cast"], "b": {"stages": ["copy"], "threads": 3}})",
                         R"("defaults": {"cast": {"to": "$to"}})"));
  std::vector<std::string> lines;
  for (const Case& one : plan.groups.at(0).cases)
    lines.push_back(fmt::format("{} {} {}", one.variant, one.threads, name_of(one.result().dtype)));
  EXPECT_THAT(lines, ElementsAre("a [t=1, to=float16] 1 float16", "a [t=1, to=float32] 1 float32",
                                 "a [t=2, to=float16] 2 float16", "a [t=2, to=float32] 2 float32",
                                 "b 3 uint8"));
}

/// Returns a text for every case, planned for a machine with 7 threads: the number of threads,
/// followed by ", of all" if the plan chose this number for "all".
std::vector<std::string> teams(const std::string& experiment) {
  PlanOptions options;
  options.all_threads = 7;
  options.data_caches = {32 << 10, 1 << 20, 32 << 20};
  std::vector<std::string> texts;
  const Plan plan = fakes::plan(config(experiment), options);
  for (const Case& one : plan.groups.at(0).cases)
    texts.push_back(fmt::format("{}{}", one.threads, one.threads_decided ? ", of all" : ""));
  return texts;
}

// The variant `fused` is one pass over the images. The variant `eager` is a chain of passes over
// the same images. In each variant, the stage that moves most bytes decides the number of threads.
TEST(Experiment, ThreadsAllAreDecidedByTheCasesLargestStage) {
  const auto variants = [](const std::string& source) {
    return teams(R"("threads": "all", "source": )" + source + R"(, "variants": {
        "fused": [{"op": "normalize", "mean": [1], "std": [2]}],
        "eager": [{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1]}, {"op": "div", "std": [2]}],
        "two": {"stages": [{"op": "normalize", "mean": [1], "std": [2]}], "threads": 2}})");
  };
  EXPECT_THAT(variants(R"({"batch": 1, "size": [256, 256]})"),
              ElementsAre("1, of all", "1, of all", "2"));
  EXPECT_THAT(variants(R"({"batch": 1, "size": [480, 640]})"),
              ElementsAre("7, of all", "7, of all", "2"));
  EXPECT_THAT(variants(R"({"batch": 2, "size": [720, 1280]})"),
              ElementsAre("7, of all", "7, of all", "2"));
}

TEST(Experiment, ThreadsAllAreAllForATeamItself) {
  EXPECT_THAT(teams(R"("threads": "all", "variants": {"v": [{"op": "launch", "place": "cpu"}]})"),
              ElementsAre("7, of all"));
}

TEST(Experiment, ThreadsAreANumberOrAll) {
  EXPECT_THAT(mistakes(config(R"("threads": "many", "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/threads: expected an integer or \"all\", got \"many\""));
  EXPECT_THAT(mistakes(config(R"("threads": 0, "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/threads: must be at least 1, got 0"));
}

TEST(Experiment, PublishedFiguresOfThePointAndTheirCases) {
  const Plan plan = fakes::plan(config(
      R"("sweep": {"n": [1, 2]}, "vary": {"l": ["nchw", "nhwc"]},
         "source": {"batch": "$n", "layout": "$l"}, "variants": {"v": ["copy"]},
         "published": [{"variant": "v", "wall_ms": 1, "where": "everywhere"},
                       {"variant": "v", "point": {"n": 2, "l": "nhwc"}, "device_ms": 2}],
         "claims": [{"text": "t", "expects": ["v [l=nhwc]", "<", "v"]}])"));
  const auto text = [](const Group& group) {
    std::string line;
    for (const Published& one : group.published)
      line += fmt::format("{} {} {} {};", one.variant, one.wall_ms.value_or(0),
                          one.device_ms.value_or(0), one.where);
    for (const Claim& one : group.claims)
      line += fmt::format(" {}: {} {} {}", one.text, one.left, name_of(one.relation), one.right);
    return line;
  };
  EXPECT_EQ(text(plan.groups.at(0)), "v [l=nchw] 1 0 everywhere; t: v [l=nhwc] < v [l=nchw]");
  EXPECT_EQ(text(plan.groups.at(1)),
            "v [l=nchw] 1 0 everywhere;v [l=nhwc] 0 2 ; t: v [l=nhwc] < v [l=nchw]");
}

TEST(Experiment, MistakesInExpectations) {
  EXPECT_THAT(
      mistakes(config(
          R"("sweep": {"n": [1]}, "source": {"batch": "$n"},
             "variants": {"first one": ["copy"], "b": ["copy"]}, "baseline": "frst one",
             "published": [{"variant": "zzzzzzzz", "wall_ms": 1}, {"variant": "b"}, {"wall_ms": 1},
                           {"variant": "b", "wall_ms": -1, "point": {"m": 1}}, 3],
             "claims": [{"text": "t", "expects": ["b", "<="]}, {"expects": ["c", "<", "b"]}])")),
      ElementsAre(
          "/experiments/0/baseline: unknown variant \"frst one\" (did you mean \"first one\"?)",
          "/experiments/0/published/0/variant: unknown variant \"zzzzzzzz\" (known: \"first one\", \"b\")",
          "/experiments/0/published/1: no figure (wall_ms, device_ms, sum_ms, submitted_ms, "
          "first_call_ms or "
          "speed_up)",
          "/experiments/0/published/2: no \"variant\" (whose figure is it?)",
          "/experiments/0/published/3/point/m: unknown axis \"m\" (known: n)",
          "/experiments/0/published/3/wall_ms: must be at least 1e-09, got -1",
          "/experiments/0/published/4: expected an object, got 3",
          "/experiments/0/claims/0/expects: expected [variant, \"<\" or \">\" or \"=\", variant]",
          "/experiments/0/claims/1: no \"text\" (the claim in words)",
          "/experiments/0/claims/1/expects/0: unknown variant \"c\" (known: \"first one\", \"b\")"));
}

TEST(Experiment, AClaimComparesTwoVariants) {
  EXPECT_THAT(mistakes(config(
                  R"("variants": {"a": ["copy"], "b": ["copy"]},
                     "claims": [{"text": "t", "expects": ["a", "<", "a"]},
                                {"text": "u", "expects": ["a", "<", "b"]}])")),
              ElementsAre("/experiments/0/claims/0/expects: compares \"a\" with itself (name two "
                          "variants)"));
  EXPECT_THAT(mistakes(config(
                  R"("vary": {"n": [1, 2]}, "source": {"batch": "$n"}, "variants": {"v": ["copy"]},
                     "claims": [{"text": "t", "expects": ["v", "<", "v [n=1]"]},
                                {"text": "u", "expects": ["v", "<", "v [n=2]"]}])")),
              ElementsAre("/experiments/0/claims/0/expects: compares \"v [n=1]\" with itself (name "
                          "two variants)"));
}

TEST(Experiment, ClaimsHaveIdsPointsAndSizes) {
  const Plan plan = fakes::plan(config(
      R"("ids": ["A1", "A2"], "sweep": {"n": [1, 2]}, "vary": {"l": ["nchw", "nhwc"]},
         "source": {"batch": "$n", "layout": "$l"}, "variants": {"v": ["copy"], "w": ["copy"]},
         "published": [{"ids": "A2", "variant": "v", "wall_ms": 1}],
         "claims": [{"ids": ["A1"], "text": "t", "expects": ["v", "<", "w"], "ratio": 3.69,
                     "point": {"n": 2, "l": "nhwc"}},
                    {"text": "u", "expects": ["v", ">", "w"], "ratio": [3.5, 4]},
                    {"text": "e", "expects": ["v", "=", "w"], "within": 0.01},
                    {"text": "g", "expects": ["v", "<", "w"], "across": {"n": "shrinks"}}])"));
  ASSERT_EQ(plan.groups.size(), 2U);
  for (const Group& group : plan.groups) {
    EXPECT_THAT(group.ids, ElementsAre("A1", "A2"));
    EXPECT_THAT(group.published.at(0).ids, ElementsAre("A2"));
    ASSERT_EQ(group.claims.size(), 4U);
    EXPECT_THAT(group.claims[0].ids, ElementsAre("A1"));
    EXPECT_EQ(group.claims[0].left, "v [l=nhwc]");
    EXPECT_EQ(group.claims[0].right, "w [l=nhwc]");
    EXPECT_EQ(group.claims[0].ratio, (ClaimedRatio{.low = 3.69, .high = 3.69}));
    EXPECT_EQ(group.claims[0].point, (Json{{"n", 2}, {"l", "nhwc"}}));
    EXPECT_EQ(group.claims[1].left, "v [l=nchw]");
    EXPECT_EQ(group.claims[1].ratio, (ClaimedRatio{.low = 3.5, .high = 4}));
    EXPECT_EQ(group.claims[2].within, 0.01);
    EXPECT_EQ(group.claims[3].across, (ClaimedTrend{.axis = "n", .trend = Trend::Shrinks}));
  }
}

TEST(Experiment, PublishedFiguresOfStagesAndOfSeveralIterations) {
  const Plan plan = fakes::plan(config(
      R"("variants": {"v": ["copy"], "up": ["h2d"]},
         "published": [{"variant": "v", "stage": "copy", "sum_ms": 2, "items": 50},
                       {"variant": "v", "speed_up": 0.71},
                       {"variant": "up", "submitted_ms": 8.3},
                       {"variant": "v", "first_call_ms": 218}])"));
  const auto& published = plan.groups.at(0).published;
  ASSERT_EQ(published.size(), 4U);
  EXPECT_EQ(published[0].stage, "copy");
  EXPECT_EQ(published[0].sum_ms, 2);
  EXPECT_EQ(published[0].items, 50);
  EXPECT_EQ(published[1].speed_up, 0.71);
  EXPECT_EQ(published[2].submitted_ms, 8.3);
  EXPECT_EQ(published[3].first_call_ms, 218);
  EXPECT_THAT(
      mistakes(config(
          R"("variants": {"v": ["copy"]},
             "published": [{"variant": "v", "stage": "copy", "first_call_ms": 2}])")),
      ElementsAre("/experiments/0/published/0/first_call_ms: goes with the whole variant (first "
                  "calls of stages are not known)"));
  EXPECT_THAT(mistakes(config(
                  R"("variants": {"v": ["copy"]},
                     "published": [{"variant": "v", "stage": "cpy", "wall_ms": 2, "items": 0},
                                   {"variant": "v", "stage": "copy", "submitted_ms": 2},
                                   {"variant": "v", "submitted_ms": 2}])")),
              ElementsAre("/experiments/0/published/0/items: must be at least 1, got 0",
                          "/experiments/0/published/0/stage: unknown stage \"cpy\" (did you mean "
                          "\"copy\"?)",
                          "/experiments/0/published/1/submitted_ms: goes with the whole variant (a "
                          "\"stage\" takes other times)",
                          "/experiments/0/published/1/submitted_ms: is measured only for variants "
                          "on the GPU, and for no peer",
                          "/experiments/0/published/2/submitted_ms: is measured only for variants "
                          "on the GPU, and for no peer"));
}

TEST(Experiment, IsMeasuredAsItSaysItself) {
  PlanOptions quick;
  quick.quick = true;
  const std::string text = config(
      R"("sweep": {"c": ["hot", "cold"]},
         "measure": {"cache": "$c", "precision": 0.02, "max_seconds_per_group": 9},
         "variants": {"v": ["copy"]})",
      R"("measure": {"cache": "cold", "precision": 0.03, "seed": 4})");
  const auto own = [](const Plan& plan, std::size_t g) {
    const Measure m = plan.measure_of(plan.groups.at(g));
    return fmt::format("{} {} {} {}", name_of(m.cache), m.precision, m.max_seconds_per_group,
                       m.seed);
  };
  const Plan plan = fakes::plan(text);
  EXPECT_EQ(own(plan, 0), "hot 0.02 9 4");
  EXPECT_EQ(own(plan, 1), "cold 0.02 9 4");
  EXPECT_EQ(plan.measure.precision, 0.03);
  EXPECT_EQ(own(fakes::plan(text, quick), 0), "hot 0.05 1.5 4");
  PlanOptions set;
  set.set = {{"precision", "0.1"}};
  EXPECT_EQ(own(fakes::plan(text, set), 0), "hot 0.1 9 4");  // --set applies to all experiments
  EXPECT_THAT(mistakes(config(R"("measure": {"cache": "warm", "seed": 3, "precison": 1},
                                 "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/measure/cache: unknown value \"warm\" (known: cold, hot)",
                          "/experiments/0/measure/seed: is the whole run's (write it in the "
                          "config's \"measure\")",
                          "/experiments/0/measure/precison: unknown key \"precison\" (did you mean "
                          "\"precision\"?)"));
}

TEST(Experiment, APointHasValuesOfTheSweepAsWrittenOrAsSet) {
  const std::string text = config(
      R"("sweep": {"n": [1, 2], "size": [[4, 4]]},
         "source": {"batch": "$n", "size": "$size", "channels": 1},
         "variants": {"v": ["copy"]},
         "published": [{"variant": "v", "point": {"n": 8}, "wall_ms": 2},
                       {"variant": "v", "point": {"n": 2, "size": [4, 8]}, "wall_ms": 2}])");
  EXPECT_THAT(
      mistakes(text),
      ElementsAre("/experiments/0/published/0/point/n: 8 is not a value of the axis (known: "
                  "[1,2])",
                  "/experiments/0/published/1/point/size: [4,8] is not a value of the axis "
                  "(known: [[4,4]])"));
  PlanOptions options;
  options.set = {{"/experiments/0/sweep/n", "[8]"}, {"/experiments/0/sweep/size", "[[4, 8]]"}};
  EXPECT_THAT(make_plan("c.json", text, fakes::without_device(), options).groups[0].published,
              testing::SizeIs(1));  // only n=8: this run has no n=2
}

TEST(Experiment, MistakesInSizes) {
  EXPECT_THAT(
      mistakes(config(
          R"("sweep": {"n": [1, 2]}, "vary": {"m": ["nchw"]}, "source": {"batch": "$n", "layout": "$m"},
             "variants": {"v": ["copy"], "w": ["copy"]},
             "claims": [{"text": "a", "expects": ["v", "<", "w"], "ratio": 0.5},
                        {"text": "b", "expects": ["v", "<", "w"], "ratio": [4, 3]},
                        {"text": "c", "expects": ["v", "=", "w"], "ratio": 2, "across": {"n": "grows"}},
                        {"text": "d", "expects": ["v", "<", "w"], "within": 0.1},
                        {"text": "e", "expects": ["v", "<", "w"], "across": {"m": "grows"}},
                        {"text": "f", "expects": ["v", "<", "w"], "across": {"n": "rises"}},
                        {"text": "g", "expects": ["v", "<", "w"], "across": "n"},
                        {"text": "h", "expects": ["v", "<", "w"], "across": {"n": "grows"}, "ratio": 2},
                        {"text": "i", "expects": ["v", "=", "w"], "within": -1, "point": {"k": 1}},
                        {"text": "j", "expects": ["v", "<", "w"], "point": {"m": "nhcw"}, "ids": ["A1"]}])")),
      ElementsAre(
          "/experiments/0/claims/0/ratio: expected a number above 1, at most 1e6, or [low, high] "
          "(the "
          "slower side's time over the faster one's)",
          "/experiments/0/claims/1/ratio: expected a number above 1, at most 1e6, or [low, high] "
          "(the "
          "slower side's time over the faster one's)",
          "/experiments/0/claims/2/ratio: goes with \"<\" and \">\" (\"=\" takes \"within\": 0.01 "
          "for 1 %)",
          "/experiments/0/claims/2/across: goes with \"<\" and \">\"",
          "/experiments/0/claims/3/within: goes with \"=\" (\"<\" and \">\" take \"ratio\")",
          "/experiments/0/claims/4/across/m: unknown axis of the sweep \"m\" (known: n)",
          "/experiments/0/claims/5/across/n: unknown value \"rises\" (known: grows, shrinks, "
          "stays)",
          "/experiments/0/claims/6/across: expected one axis: {\"batch\": \"grows\"}",
          "/experiments/0/claims/7/ratio: does not go with \"across\" (write two claims)",
          "/experiments/0/claims/8/point/k: unknown axis \"k\" (known: n, m)",
          "/experiments/0/claims/8/within: must be at least 0, got -1",
          "/experiments/0/claims/9/ids: unknown id of the experiment \"A1\" (there are none)",
          "/experiments/0/claims/9/point/m: \"nhcw\" is not a value of the axis (known: "
          "[\"nchw\"])"));
  EXPECT_THAT(
      mistakes(config(
          R"("sweep": {"n": [1, "all"]}, "threads": "$n", "variants": {"v": ["copy"], "w": ["copy"]},
                     "published": [{"variant": "v", "stage": "copy", "speed_up": 2}],
                     "claims": [{"text": "a", "expects": ["v", "<", "w"], "across": {"n": "grows"}}])")),
      ElementsAre("/experiments/0/published/0/speed_up: cannot be given for a "
                  "\"stage\"",
                  "/experiments/0/claims/0/across/n: the axis has values that are no numbers "
                  "and no sizes"));
}

TEST(Experiment, MistakesInItsKeys) {
  const auto all = [](const std::string& experiments) {
    return mistakes(R"({"schema": 1, "name": "c", "experiments": )" + experiments + "}");
  };
  EXPECT_THAT(all("5"), ElementsAre("/experiments: expected a list of experiments, got 5"));
  EXPECT_THAT(all("[]"), ElementsAre("/experiments: has no experiments (a list of at least one)"));
  EXPECT_THAT(all(R"([7, {"sorce": {}}, {"name": "x", "variants": []},
                      {"name": "y", "variants": {}, "source": {}, "load": {}}])"),
              ElementsAre("/experiments/0: expected an object, got 7",
                          "/experiments/1: no \"name\" (it names the experiment in outputs)",
                          "/experiments/1: no \"variants\" (an object of pipelines to compare)",
                          "/experiments/1/sorce: unknown key \"sorce\" (did you mean \"source\"?)",
                          "/experiments/2/variants: expected an object of variants, got a list",
                          "/experiments/3: has both \"source\" and \"load\" (keep one)",
                          "/experiments/3/variants: has no variants (an object of at least one)"));
  EXPECT_THAT(all(R"([{"name": "x", "variants": {"v": ["copy"]}},
                      {"name": "x", "variants": {"v": ["copy"]}}])"),
              ElementsAre("/experiments/1/name: another experiment is called \"x\""));
  EXPECT_THAT(all(R"([{"name": "x", "vary": {"a": [1]}, "source": {"batch": "$a"},
                       "variants": {"v [a=1]": [{"op": "source"}, "copy"], "v": ["copy"]}}])"),
              ElementsAre("/experiments/0/variants/v: two variants are called \"v [a=1]\""));
}

}  // namespace
}  // namespace normbench::experiment_test
