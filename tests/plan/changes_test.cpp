#include "plan/changes.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::changes_test {
namespace {

using fakes::config;
using fakes::mistakes;
using testing::ElementsAre;
using testing::SizeIs;

const std::string three_places = R"("sweep": {"to": ["float16", "float32"], "n": [1, 8]},
    "source": {"batch": "$n", "size": [4, 6]}, "threads": 2,
    "variants": {"a": [{"op": "cast", "to": "$to"}],
                 "b": {"threads": 1, "stages": [{"range": "r", "stages": [
                         {"op": "cast", "to": "float16"}]}]}})";

/// Returns "point: | variant, output, threads | ..." for every group.
std::vector<std::string> shown(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Group& group : plan.groups) {
    std::string line = group.point.dump() + ":";
    for (const Case& one : group.cases)
      line += fmt::format(" | {}, {}, {}", one.variant, describe(one.result()), one.threads);
    lines.push_back(line);
  }
  return lines;
}

Plan changed(const std::string& text, const PlanOptions& options) {
  return fakes::plan(text, options);
}

TEST(Changes, SetBeatsDefaultsExperimentAndAxes) {
  PlanOptions options;
  options.set = {{"cast.to", "bfloat16"}, {"source.batch", "3"}, {"threads", "4"}};
  const std::string text = config(three_places, R"("defaults": {"cast": {"to": "float32"}})");
  EXPECT_THAT(shown(changed(text, options)),
              ElementsAre("{}: | a, 3x3x4x6 bfloat16 nchw pageable, 4 | b, 3x3x4x6 bfloat16 nchw "
                          "pageable, 4"));
}

TEST(Changes, AnAxisThatOtherStagesUseStays) {
  PlanOptions options;
  options.set = {{"source.batch", "3"}};
  EXPECT_THAT(shown(changed(config(three_places), options)), SizeIs(2));
  const std::string text =
      config(R"("sweep": {"t": ["float16", "float32"]}, "source": {"dtype": "$t"},
                "variants": {"a": [{"op": "cast", "to": "$t"}]})");
  options.set = {{"cast.to", "float32"}};
  EXPECT_THAT(shown(changed(text, options)), SizeIs(2));
}

TEST(Changes, AxisSweepsAndVaryMakesCases) {
  PlanOptions options;
  options.axis = {{"source.size", "[[2, 2], [4, 6]]"}};
  options.vary = {{"cast.to", "float16,bfloat16"}};
  options.set = {{"threads", "1"}, {"source.batch", "1"}};
  EXPECT_THAT(
      shown(changed(config(three_places), options)),
      ElementsAre(R"({"size":[2,2]}: | a [to=float16], 1x3x2x2 float16 nchw pageable, 1)"
                  " | a [to=bfloat16], 1x3x2x2 bfloat16 nchw pageable, 1"
                  " | b [to=float16], 1x3x2x2 float16 nchw pageable, 1"
                  " | b [to=bfloat16], 1x3x2x2 bfloat16 nchw pageable, 1",
                  R"({"size":[4,6]}: | a [to=float16], 1x3x4x6 float16 nchw pageable, 1)"
                  " | a [to=bfloat16], 1x3x4x6 bfloat16 nchw pageable, 1"
                  " | b [to=float16], 1x3x4x6 float16 nchw pageable, 1"
                  " | b [to=bfloat16], 1x3x4x6 bfloat16 nchw pageable, 1"));
}

TEST(Changes, ThreadsAreAnAxis) {
  PlanOptions options;
  options.vary = {{"threads", "1,2"}};
  options.only = {"b*"};
  options.set = {{"cast.to", "float16"}, {"source.batch", "1"}};
  EXPECT_THAT(shown(changed(config(three_places), options)),
              ElementsAre("{}: | a [threads=1], 1x3x4x6 float16 nchw pageable, 1"
                          " | b [threads=1], 1x3x4x6 float16 nchw pageable, 1"
                          " | b [threads=2], 1x3x4x6 float16 nchw pageable, 2"));
}

TEST(Changes, ANameThatIsTakenIsMadeAnother) {
  PlanOptions options;
  options.vary = {{"cast.to", "float16,float32"}};
  const Plan plan = changed(
      config(R"("sweep": {"to": [1, 2]}, "source": {"batch": "$to"}, "variants": {
                "a": [{"op": "cast", "to": "float32"}]})"),
      options);
  EXPECT_EQ(plan.groups.at(0).cases.at(0).variant, "a [cast_to=float16]");
}

TEST(Changes, OnlyExperimentsWithTheOpGetTheAxis) {
  const std::string text = R"({"schema": 1, "name": "c", "experiments": [
      {"name": "e", "variants": {"v": ["copy"]}},
      {"name": "f", "setup": [{"op": "flip", "as": "x"}], "variants": {"v": [{"op": "copy", "in": "x"}]}}]})";
  PlanOptions options;
  options.axis = {{"flip.axis", "vertical,both"}};
  EXPECT_THAT(changed(text, options).groups, SizeIs(3));
}

TEST(Changes, WhatNamesAValueThatIsGoneIsRemoved) {
  const std::string text = config(R"("sweep": {"n": [1, 2]}, "vary": {"to": ["float16", "float32"]},
     "source": {"batch": "$n"}, "baseline": "v [to=float32]",
     "variants": {"v": [{"op": "cast", "to": "$to"}], "w": [{"op": "cast", "to": "float16"}]},
     "claims": [{"text": "at a point", "expects": ["v", "<", "w"], "point": {"n": 1}},
                {"text": "a case", "expects": ["v [to=float16]", "<", "w"]},
                {"text": "across", "expects": ["v", "<", "w"], "across": {"n": "grows"}},
                {"text": "kept", "expects": ["v", "<", "w"]}],
     "published": [{"variant": "v", "point": {"n": 1}, "wall_ms": 2}])");
  PlanOptions options;
  options.set = {{"source.batch", "4"}, {"cast.to", "float16"}};
  const Plan plan = changed(text, options);
  EXPECT_EQ(plan.changes.at(0).dropped + plan.changes.at(1).dropped, 5);
  const Group& group = plan.groups.at(0);
  ASSERT_THAT(group.claims, SizeIs(1));
  EXPECT_EQ(group.claims[0].text, "kept");
  EXPECT_THAT(group.published, SizeIs(0));
  EXPECT_EQ(group.baseline, "v");
}

TEST(Changes, MistakesNameTheOption) {
  PlanOptions options;
  options.set = {{"cast.too", "1"},         {"cats.to", "float16"}, {"resize.size", "[1, 1]"},
                 {"/experiments/0/source/size", "[4]"}, {"cast.", "1"}, {"precison", "1"}};
  options.axis = {{"cast.to", "float16,flaot32"}, {"cast", "1"}, {"source.size", "[]"}};
  options.vary = {{"threads", "1,-1"}};
  EXPECT_THAT(
      mistakes(config(three_places), options),
      ElementsAre(
          testing::StartsWith(": --set cats.to=float16: unknown op \"cats\" (did you mean \"cast\"?)"),
          ": --set resize.size=[1, 1]: no experiment has a stage \"resize\"",
          ": --set cast.=1: names no field of the op",
          testing::StartsWith(": --set precison=1: unknown name \"precison\" (did you mean "),
          ": --axis cast=1: expected OP.FIELD, like normalize.dtype, or \"threads\"",
          ": --axis source.size=[]: has no values",
          ": --set cast.too=1: unknown key \"too\" (did you mean \"to\"?)",
          ": --set /experiments/0/source/size=[4]: must be 2 whole numbers, [height, width]",
          ": --vary threads=1,-1: must be at least 1, got -1",
          ": --axis cast.to=float16,flaot32: unknown value \"flaot32\" (did you mean "
          "\"float32\"?)"));
}

TEST(Changes, OpsThatTakeFromAnotherOpUseItsParameter) {
  PlanOptions options;
  options.vary = {{"normalize.mean", "1,[1,2,3]"}};
  const Plan plan =
      changed(config(R"("source": {"dtype": "float32"}, "variants": {"v": ["sub"]})"), options);
  ASSERT_THAT(plan.groups.at(0).cases, SizeIs(2));
  EXPECT_EQ(std::get<Sub>(plan.groups[0].cases[1].stages[0].op).mean,
            (std::vector<double>{1, 2, 3}));
}

TEST(Changes, MistakesOfTheConfigStay) {
  PlanOptions options;
  options.axis = {{"cast.to", "float16,float32"}};
  const std::string variants = R"("variants": {"v": [{"op": "cast", "to": "float16"}]})";
  EXPECT_THAT(mistakes(config(variants, R"("defaults": 5)"), options),
              testing::Contains(testing::StartsWith("/defaults: ")));
  EXPECT_THAT(mistakes(config(R"("sweep": 3, )" + variants), options),
              testing::Contains(testing::StartsWith("/experiments/0/sweep: ")));
}

TEST(Changes, ARangeMayHoldTheStart) {
  PlanOptions options;
  options.axis = {{"source.batch", "1,2"}};
  EXPECT_THAT(
      mistakes(config(R"("variants": {"v": [{"range": "r", "stages": ["load"]}]})"), options),
      ElementsAre(": --axis source.batch=1,2: no experiment has a stage \"source\""));
}

TEST(Changes, AValueThatIsThereTwiceIsOneMistake) {
  PlanOptions options;
  options.axis = {{"source.batch", "1,1"}};
  EXPECT_THAT(mistakes(config(three_places), options),
              testing::Contains(": --axis source.batch=1,1: the value 1 is there twice"));
}

TEST(Changes, WhatIsNoConfigIsNotChanged) {
  PlanOptions options;
  options.set = {{"cast.to", "float16"}, {"threads", "2"}, {"precision", "0.1"}};
  options.axis = {{"source.batch", "1,2"}};
  for (const char* text : {"[]", "5", R"({"experiments": 5})", R"({"experiments": [5, {}]})",
                           R"({"defaults": 7, "experiments": [{"variants": {"v": [5, {"range": "r",
                              "stages": 4}, "cast"]}, "setup": {}, "sweep": 3, "claims": [4]}]})"})
    EXPECT_THAT(mistakes(text, options), testing::Not(testing::IsEmpty())) << text;
}

}  // namespace
}  // namespace normbench::changes_test
