/// Tests of labels of stages and of ranges of stages in a config.
#include "plan/label.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::label_test {
namespace {

using fakes::config;
using fakes::mistakes;
using fakes::only_case;
using fakes::stages;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns a text for every stage: "label in range/range".
std::vector<std::string> shown(const Case& one) {
  std::vector<std::string> lines;
  for (const Stage& stage : one.stages)
    lines.push_back(fmt::format("{} in {}", stage.label, fmt::join(stage.ranges, "/")));
  return lines;
}

/// Returns the mistakes of a config whose only stage has the label `json`.
std::vector<std::string> of_label(const std::string& json) {
  return mistakes(stages(R"([{"op": "copy", "label": )" + json + "}]"));
}

TEST(Labels, NameStages) {
  EXPECT_THAT(
      shown(only_case(stages(
          R"([{"op": "cast", "to": "float32", "label": "to float {i}"}, "copy",
                      {"op": "copy", "kernel": "simd"}, "copy", {"op": "copy", "label": "last"}])"))),
      ElementsAre("to float {i} in ", "copy in ", "copy (simd) in ", "copy in ", "last in "));
}

TEST(Labels, AreNoParametersOfTheOp) {
  const Case one = only_case(stages(R"([{"op": "cast", "to": "float32", "label": "a"}])"));
  EXPECT_EQ(one.stages.at(0).parameters, (Json{{"to", "float32"}}));
  EXPECT_EQ(one.stages.at(0).forced, "");
}

TEST(Labels, AreNames) {
  const std::string at = "/experiments/0/variants/v/0/label: ";
  EXPECT_THAT(of_label("\"\""), ElementsAre(at + "is empty (a name for tables and traces)"));
  EXPECT_THAT(of_label("\"  \""), ElementsAre(at + "is empty (a name for tables and traces)"));
  EXPECT_THAT(of_label("7"), ElementsAre(at + "expected a string, got 7"));
  EXPECT_THAT(of_label('"' + std::string(101, 'x') + '"'),
              ElementsAre(at + "is 101 bytes long (at most 100)"));
  EXPECT_THAT(of_label('"' + std::string(100, 'x') + '"'), IsEmpty());
  EXPECT_THAT(of_label("\"a{j}\""),
              ElementsAre(at + "has a brace outside of \"{i}\", the number of the iteration"));
  EXPECT_THAT(of_label(R"("a\nb")"),
              ElementsAre(at + "holds a control character (a line break, an escape, …)"));
  EXPECT_THAT(of_label("\"copy (fused)\""),
              ElementsAre(at + "reads like a kernel that is forced (choose another name)"));
  EXPECT_THAT(of_label("\"ProfilerStep#3\""),
              ElementsAre(at + "\"ProfilerStep#3\" is a name that tables and traces use already "
                               "(choose another name)"));
  EXPECT_THAT(of_label("\"constants\""), testing::SizeIs(1));
}

TEST(Labels, OfASourceAreUnknown) {
  EXPECT_THAT(mistakes(stages(R"([{"op": "source", "label": "a"}, "copy"])")),
              ElementsAre(testing::HasSubstr("/experiments/0/variants/v/0/label: unknown")));
}

TEST(Labels, OfOneVariantDiffer) {
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "label": "a"}, "copy",
                                  {"op": "copy", "label": "a"}])")),
              ElementsAre("/experiments/0/variants/v/2/label: another stage of the variant is "
                          "called \"a\" (choose another)"));
  // A stage without a label is named after its op, so the second stage is called "copy", too.
  EXPECT_THAT(mistakes(stages(R"([{"op": "cast", "to": "float32", "label": "copy"}, "copy"])")),
              ElementsAre("/experiments/0/variants/v/0/label: another stage of the variant is "
                          "called \"copy\" (choose another)"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "label": "copy"}])")), IsEmpty());
  EXPECT_THAT(mistakes(config(R"("variants": {"v": [{"op": "copy", "label": "a"}],
                                              "w": [{"op": "copy", "label": "a"}]})")),
              IsEmpty());
}

TEST(Labels, OfOneVariantDifferInEveryIteration) {
  EXPECT_THAT(
      mistakes(stages(R"([{"op": "copy", "label": "a{i}"}, {"op": "copy", "label": "a12"}])")),
      ElementsAre("/experiments/0/variants/v/1/label: \"a{i}\" and \"a12\" can be one name "
                  "(choose another)"));
  EXPECT_TRUE(can_be_one_name("a{i}", "a1{i}"));
  EXPECT_TRUE(can_be_one_name("{i}{i}", "7"));
  EXPECT_TRUE(can_be_one_name("h{i}d", "h2d"));
  EXPECT_FALSE(can_be_one_name("a{i}", "b{i}"));
  EXPECT_FALSE(can_be_one_name("a{i}", "a"));
  EXPECT_FALSE(can_be_one_name("a1", "a2"));
}

TEST(Labels, OfDefaultsAreWrongWhereTheyAreWritten) {
  EXPECT_THAT(mistakes(config(R"("variants": {"v": ["copy", "copy"]})",
                              R"("defaults": {"copy": {"label": "a"}})")),
              ElementsAre("/defaults/copy/label: another stage of the variant is called \"a\" "
                          "(choose another)"));
  EXPECT_THAT(
      mistakes(config(R"("variants": {"v": ["copy"]})", R"("defaults": {"copy": {"label": ""}})")),
      ElementsAre("/defaults/copy/label: is empty (a name for tables and traces)"));
}

TEST(Labels, AreWhatPublishedFiguresName) {
  const auto published = [](const std::string& stage) {
    return config(R"("variants": {"v": [{"op": "copy", "label": "a{i}"}]},
                     "published": [{"variant": "v", "wall_ms": 1, "stage": ")" +
                  stage + "\"}]");
  };
  EXPECT_THAT(mistakes(published("a{i}")), IsEmpty());
  EXPECT_THAT(
      mistakes(published("copy")),
      ElementsAre("/experiments/0/published/0/stage: unknown stage \"copy\" (known: a{i})"));
}

TEST(Labels, AreNumbered) {
  EXPECT_EQ(numbered("load{i}", 12), "load12");
  EXPECT_EQ(numbered("{i} of {i}", 3), "3 of 3");
  EXPECT_EQ(numbered("load", 12), "load");
  EXPECT_TRUE(is_numbered("load{i}"));
  EXPECT_FALSE(is_numbered("load"));
}

const std::string nested = R"(["copy", {"range": "preprocess", "stages": [
    {"op": "cast", "to": "float32"}, {"range": "constants of a batch", "stages": ["sub", "div"]},
    "copy"]}, {"range": "last", "stages": ["copy"]}])";

TEST(Ranges, AreFlattenedAndNest) {
  const std::string defaults =
      R"("defaults": {"normalize": {"mean": [1], "std": [1]}, "source": {"channels": 1}})";
  const Case one = only_case(config(R"("variants": {"v": )" + nested + "}", defaults));
  EXPECT_THAT(
      shown(one),
      ElementsAre("copy in ", "cast in preprocess", "sub in preprocess/constants of a batch",
                  "div in preprocess/constants of a batch", "copy in preprocess", "copy in last"));
  EXPECT_THAT(ranges_of(one.stages),
              ElementsAre(StageRange{"preprocess", 1, 4}, StageRange{"constants of a batch", 2, 3},
                          StageRange{"last", 5, 5}));
  // The stages are connected as if there were no ranges.
  const Case flat = only_case(config(
      R"("variants": {"v": ["copy", {"op": "cast", "to": "float32"}, "sub", "div", "copy", "copy"]})",
      defaults));
  EXPECT_EQ(one.values, flat.values);
  for (std::size_t s = 0; s < flat.stages.size(); ++s)
    EXPECT_EQ(one.stages[s].in, flat.stages[s].in);
  EXPECT_THAT(ranges_of(flat.stages), IsEmpty());
}

TEST(Ranges, MayBeginWithTheVariant) {
  const Case own = only_case(stages(R"([{"range": "a", "stages": ["copy"]}, "copy"])"));
  EXPECT_FALSE(own.inputs.empty());
  EXPECT_THAT(shown(own), ElementsAre("copy in a", "copy in "));
  const Case load = only_case(config(
      R"("load": {"batch": 3}, "variants": {"v": [{"range": "a", "stages": ["load", "copy"]}]})"));
  EXPECT_EQ(load.values.at(0).desc.shape.n, 3);
  EXPECT_THAT(shown(load), ElementsAre("load in a", "copy in a"));
  // The variant has no `load` stage, but its experiment has the member "load". So the plan adds a
  // `load` stage, which is before the variant's first range and not in the range.
  const Case implied = only_case(
      config(R"("load": {"batch": 3}, "variants": {"v": [{"range": "a", "stages": ["copy"]}]})"));
  EXPECT_THAT(shown(implied), ElementsAre("load in ", "copy in a"));
  const Case source =
      only_case(stages(R"([{"range": "a", "stages": [{"op": "source", "batch": 7}, "copy"]}])"));
  EXPECT_EQ(source.values.at(0).desc.shape.n, 7);
  EXPECT_THAT(shown(source), ElementsAre("copy in a"));
}

TEST(Ranges, AreSweptAsEverythingElse) {
  const std::string text = config(
      R"("sweep": {"to": ["float32", "float16"]}, "vary": {"name": ["a", "b"]},
         "variants": {"v": [{"range": "$name", "stages": [{"op": "cast", "to": "$to"}]}]})");
  const Plan plan = fakes::plan(text);
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[1].cases.at(0).result().dtype, DType::Float16);
  EXPECT_THAT(shown(plan.groups[1].cases.at(0)), ElementsAre("cast in a"));
  EXPECT_THAT(shown(plan.groups[1].cases.at(1)), ElementsAre("cast in b"));
  EXPECT_THAT(mistakes(config(
                  R"("sweep": {"to": ["float32", "fp61"]}, "variants": {"v": [
                       {"range": "a", "stages": ["copy", {"op": "cast", "to": "$to"}]}]})")),
              ElementsAre(testing::HasSubstr("/experiments/0/sweep/to/1: unknown")));
}

TEST(Ranges, MistakesInsideAreWhereTheyAreWritten) {
  const std::string at = "/experiments/0/variants/v/1/stages/0/stages/1";
  const auto in_range = [](const std::string& list) {
    return stages(R"(["copy", {"range": "a", "stages": [{"range": "b", "stages": )" + list +
                  "}]}]");
  };
  EXPECT_THAT(mistakes(in_range(R"(["copy", "cpoy"])")),
              ElementsAre(at + ": unknown op \"cpoy\" (did you mean \"copy\"?)"));
  EXPECT_THAT(mistakes(in_range(R"(["copy", {"op": "cast", "to": 3}])")),
              ElementsAre(testing::StartsWith(at + "/to: ")));
  EXPECT_THAT(mistakes(in_range(R"(["copy", {"op": "copy", "in": "x"}])")),
              ElementsAre(testing::StartsWith(at + "/in: unknown value \"x\"")));
  EXPECT_THAT(mistakes(in_range(R"(["copy", {"op": "copy", "label": "copy"}])")),
              ElementsAre(testing::StartsWith(at + "/label: another stage")));
  EXPECT_THAT(mistakes(in_range(R"(["copy", "source"])")),
              ElementsAre(at + ": \"source\" must be the first stage"));
}

TEST(Ranges, HaveANameAndStages) {
  const std::string at = "/experiments/0/variants/v/0";
  const auto of = [](const std::string& range) { return mistakes(stages("[" + range + "]")); };
  EXPECT_THAT(of(R"({"range": "a"})"), ElementsAre(at + ": no \"stages\" (a list of ops)"));
  EXPECT_THAT(of(R"({"range": "a", "stages": []})"),
              ElementsAre(at + "/stages: has no stages (a list of at least one)"));
  EXPECT_THAT(of(R"({"range": "a", "stages": "copy"})"),
              ElementsAre(at + "/stages: expected a list of stages, got \"copy\""));
  EXPECT_THAT(of(R"({"range": "", "stages": ["copy"]})"),
              ElementsAre(at + "/range: is empty (a name for tables and traces)"));
  EXPECT_THAT(of(R"({"range": 3, "stages": ["copy"]})"),
              ElementsAre(at + "/range: expected a string, got 3"));
  EXPECT_THAT(of(R"({"range": "a", "stages": ["copy"], "threads": 2})"),
              ElementsAre(testing::StartsWith(at + "/threads: unknown")));
  EXPECT_THAT(of(R"({"range": "a", "stages": ["source"]}, "copy")"),
              ElementsAre(at + "/stages: has no stage that runs (a source is simply there)"));
  EXPECT_THAT(of(R"({"op": "copy", "range": "a"})"),
              ElementsAre(testing::StartsWith(at + "/range: unknown")));
}

TEST(Ranges, AreCalledLikeNothingElse) {
  EXPECT_THAT(mistakes(stages(R"([{"range": "a", "stages": ["copy"]},
                                  {"range": "a", "stages": ["copy"]}])")),
              ElementsAre("/experiments/0/variants/v/1/range: another range of the variant is "
                          "called \"a\" (choose another)"));
  EXPECT_THAT(mistakes(stages(R"([{"range": "a", "stages": [{"op": "copy", "label": "a"}]}])")),
              ElementsAre("/experiments/0/variants/v/0/range: another stage of the variant is "
                          "called \"a\" (choose another)"));
  EXPECT_THAT(mistakes(stages(R"([{"range": "copy", "stages": ["copy"]}])")), testing::SizeIs(1));
}

TEST(Ranges, TheirStagesCountAndNothingElseDoes) {
  const auto many = [](int count) {
    std::string list = R"("copy")";
    for (int i = 1; i < count; ++i) list += R"(, "copy")";
    return stages(R"([{"range": "a", "stages": [)" + list + "]}]");
  };
  EXPECT_THAT(mistakes(many(1001)),
              ElementsAre("/experiments/0/variants/v: has 1001 stages (at most 1000)"));
  EXPECT_THAT(mistakes(many(1000)), IsEmpty());
}

TEST(Ranges, OfAPeerAreFlattened) {
  const std::string text = config(
      R"("variants": {"here": ["copy"], "there": {"peer": "p", "stages": [
           {"range": "a", "stages": [{"op": "copy", "label": "theirs"}]}]}})",
      R"("peers": {"p": ["run"]})");
  const Case there = fakes::plan(text).groups.at(0).cases.at(1);
  EXPECT_THAT(shown(there), ElementsAre("theirs in a"));
}

}  // namespace
}  // namespace normbench::label_test
