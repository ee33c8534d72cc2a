/// Tests how pipelines with several items in flight are planned: which lane each stage is in, which
/// options are mistakes with or without lanes, and which parts of a pipeline are measured on their
/// own.
#include "plan/pipeline.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::pipeline_test {
namespace {

using fakes::mistakes;
using fakes::only_case;
using fakes::stages;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> shown(const Case& planned) {
  std::vector<std::string> lanes;
  for (const Lane& lane : planned.pipeline->lanes)
    lanes.push_back(fmt::format("{} {}x{}: {}", lane.name, lane.servers, lane.threads,
                                fmt::join(lane.stages, ",")));
  return lanes;
}

TEST(Pipeline, AStageIsInTheLaneOfItsEngineOrInTheOneThatItNames) {
  const Case planned = only_case(stages(R"({"stages": [
      {"op": "cast", "to": "float32"}, "h2d", "copy", "d2h", {"op": "copy", "lane": "last"}],
      "in_flight": 3, "threads": 2, "lanes": {"last": {"servers": 4, "threads": 1}}})"),
                                 fakes::with_gpu());
  EXPECT_THAT(shown(planned),
              ElementsAre("cpu 1x2: 0", "h2d 1x2: 1", "gpu 1x2: 2", "d2h 1x2: 3", "last 3x1: 4"));
  EXPECT_EQ(planned.pipeline->in_flight, 3);  // so "last" works on 3 items at once, not 4
  EXPECT_EQ(planned.pipeline->items, 24);
  EXPECT_EQ(name_of(planned.pipeline->submit), "lane");
  EXPECT_EQ(
      only_case(stages(R"({"stages": ["copy"], "in_flight": 9, "items": 2})")).pipeline->in_flight,
      2);
  EXPECT_EQ(only_case(stages(R"(["copy"])")).pipeline.has_value(), false);
}

TEST(Pipeline, AThreadOfEveryItemServesItInEveryLaneOfTheHost) {
  const Case planned =
      only_case(stages(R"({"stages": ["copy", "h2d", "copy"], "in_flight": 3, "submit": "item"})"),
                fakes::with_gpu());
  EXPECT_THAT(shown(planned), ElementsAre("cpu 3x1: 0", "h2d 1x1: 1", "gpu 1x1: 2"));
  EXPECT_THAT(
      mistakes(stages(R"({"stages": [{"op": "copy", "lane": "a"}, {"op": "h2d", "lane": "a"}],
                                  "in_flight": 3, "submit": "item"})"),
               {}, fakes::with_gpu()),
      ElementsAre("/experiments/0/variants/v/submit: \"item\" needs a lane for each place "
                  "(lane \"a\" has stages of the CPU and of a device)"));
}

TEST(Pipeline, ThreadsAreCounted) {
  EXPECT_THAT(mistakes(stages(R"({"stages": ["copy"], "in_flight": 200, "submit": "item",
                                  "threads": 30})")),
              ElementsAre("/experiments/0/variants/v/in_flight: needs 6000 threads for its lanes "
                          "(at most 4096)"));
  EXPECT_THAT(mistakes(stages(R"({"stages": ["copy"], "in_flight": 1000,
                                  "lanes": {"cpu": {"servers": 1000, "threads": 5}}})")),
              ElementsAre("/experiments/0/variants/v/in_flight: needs 5000 threads for its lanes "
                          "(at most 4096)"));
}

TEST(Pipeline, WhatDoesNotGoWithIt) {
  EXPECT_THAT(mistakes(stages(R"({"stages": ["copy", {"op": "copy", "lane": "b"}], "items": 3})")),
              ElementsAre("/experiments/0/variants/v/items: goes with \"in_flight\": N"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "lane": "b"}])")),
              ElementsAre("/experiments/0/variants/v/0/lane: goes with \"in_flight\": N"));
  EXPECT_THAT(
      mistakes(stages(R"({"stages": ["copy"], "in_flight": 2, "wait": "turn", "submit": "one",
                          "lanes": {"cpu": {"servers": 2}, "gpu": {}}})")),
      ElementsAre("/experiments/0/variants/v/lanes/cpu/servers: goes with \"submit\": \"lane\" "
                  "(each is a host thread)",
                  "/experiments/0/variants/v/lanes/gpu: unknown lane of the variant \"gpu\" (did "
                  "you mean \"cpu\"?)",
                  "/experiments/0/variants/v/wait: does not go with in_flight: lanes wait for one "
                  "another"));
  // Because of the mistake in the stage, the lane of the stage is unknown. It could be "load", so
  // "load" is not reported as an unknown lane.
  EXPECT_THAT(mistakes(stages(R"({"stages": [{"op": "copy", "to": "b"}], "in_flight": 2,
                                  "lanes": {"load": {}}})")),
              ElementsAre(testing::HasSubstr("/variants/v/stages/0/to: unknown key")));
  EXPECT_THAT(
      mistakes(stages(R"({"stages": [{"range": "both", "stages": [
                  "copy", {"op": "copy", "label": "other", "lane": "b"}]}], "in_flight": 2})")),
      ElementsAre("/experiments/0/variants/v/stages/0/range: \"both\" has stages of several "
                  "lanes (give them one \"lane\", or a range each)"));
}

TEST(Pipeline, VisitsAreRunsOfStagesInOneLane) {
  const Case planned = only_case(stages(R"({"stages": [
      "copy", {"op": "copy", "label": "b"}, {"op": "copy", "label": "c", "lane": "x"},
      {"op": "copy", "label": "d"}], "in_flight": 2})"));
  std::vector<std::string> seen;
  for (const Visit& visit : visits_of(planned))
    seen.push_back(fmt::format("{}: {}-{}", visit.lane, visit.first, visit.last));
  EXPECT_THAT(seen, ElementsAre("0: 0-1", "1: 2-2", "0: 3-3"));
}

std::vector<std::string> names_of(const std::vector<Case>& parts) {
  std::vector<std::string> names;
  for (const Case& part : parts) names.push_back(part.variant);
  return names;
}

TEST(Pipeline, EveryLaneIsMeasuredAloneOnceForAllThatDoTheSame) {
  const std::string list = R"(["copy", {"op": "copy", "label": "b", "lane": "x"}])";
  Case one = only_case(stages(R"({"stages": )" + list + R"(, "in_flight": 2})"));
  Case other = only_case(stages(R"({"stages": )" + list + R"(, "in_flight": 5})"));
  one.variant = "one";
  other.variant = "other";
  const std::vector<Case> parts = parts_of({&one, &other});
  EXPECT_THAT(names_of(parts), ElementsAre("lane cpu of one", "lane x of one"));
  EXPECT_EQ(lane_alone(parts, other, other.pipeline->lanes[1]), "lane x of one");
  EXPECT_EQ(parts[0].pipeline->in_flight, 5);
  EXPECT_THAT(stages_that_run(parts[1]), ElementsAre(false, true));
}

TEST(Pipeline, WhatIsSavedMustBeTheSameForOneLaneToStandForBoth) {
  const std::string list = R"([{"op": "layout", "to": "nhwc"}, "save"], "in_flight": 2)";
  Case one = only_case(stages(R"({"stages": )" + list + "}"));
  Case other = one;
  one.variant = "one";
  other.variant = "other";
  EXPECT_THAT(names_of(parts_of({&one, &other})),
              ElementsAre("lane cpu of one", "lane save of one"));
  other.inputs[0].source.seed = 7;  // other images compress differently
  EXPECT_THAT(names_of(parts_of({&one, &other})),
              ElementsAre("lane cpu of one", "lane save of one", "lane save of other"));
  other = one;
  other.variant = "other";
  other.stages[0].label = "another";
  EXPECT_THAT(names_of(parts_of({&one, &other})),
              ElementsAre("lane cpu of one", "lane save of one", "lane cpu of other",
                          "lane save of other"));
}

TEST(Pipeline, AsManyItemsMustBeLoadedForOneLaneToStandForBoth) {
  Case one = only_case(stages(R"({"stages": ["copy"], "in_flight": 2, "items": 8})"));
  one.stages[0].op = Load{};
  one.pipeline->lanes[0].stages = {0};
  Case other = one;
  one.variant = "one";
  other.variant = "other";
  EXPECT_THAT(names_of(parts_of({&one, &other})), ElementsAre("lane cpu of one"));
  other.pipeline->items = 9;
  EXPECT_THAT(names_of(parts_of({&one, &other})),
              ElementsAre("lane cpu of one", "lane cpu of other"));
}

TEST(Pipeline, CpusAreDividedWhereAllThreadsHaveOne) {
  const Case planned = only_case(stages(R"({"stages": ["copy", {"op": "copy", "label": "b",
      "lane": "x"}], "in_flight": 2, "lanes": {"x": {"servers": 2}}})"));
  const std::vector<int> cpus{4, 5, 6, 7};
  EXPECT_THAT(divide_cpus(planned, cpus), ElementsAre(ElementsAre(ElementsAre(4)),
                                                      ElementsAre(ElementsAre(5), ElementsAre(6))));
  EXPECT_THAT(divide_cpus(planned, std::span(cpus).first(2)),
              ElementsAre(ElementsAre(IsEmpty()), ElementsAre(IsEmpty(), IsEmpty())));
}

}  // namespace
}  // namespace normbench::pipeline_test
