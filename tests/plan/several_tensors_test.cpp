/// Tests of experiments with several sources, a setup (stages that compute further inputs once) and
/// named outputs.
#include <gmock/gmock.h>

#include "fake_backends.h"
#include "plan/memory.h"

namespace normbench::several_tensors_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the real CPU backend of this build.
const Backends& real() {
  static const Backends backends = [] {
    Backends all;
    all.list.push_back(make_cpu_backend());
    return all;
  }();
  return backends;
}

constexpr const char* sources = R"("source": [
  {"as": ["x"], "dtype": "float32", "shape": [2, 6, 3, 5], "values": {"normal": [3, 2]}},
  {"as": ["dy"], "dtype": "float32", "shape": [2, 6, 3, 5], "values": {"normal": [0, 1]}, "seed": 1},
  {"as": ["gamma"], "dtype": "float32", "shape": [1, 6, 1, 1], "values": {"uniform": [0.5, 2]}}])";
constexpr const char* setup =
    R"("setup": [{"op": "moments", "groups": 3, "in": ["x"], "as": ["mean", "rstd"]}])";
constexpr const char* backward =
    R"({"op": "group_norm", "direction": "backward", "groups": 3,
        "in": ["dy", "x", "gamma", "mean", "rstd"], "as": ["dx", "dgamma", "dbeta"]})";

std::string experiment(const std::string& members) {
  return fakes::config(fmt::format("{}, {}", sources, members));
}

Plan planned(const std::string& members) {
  return make_plan("config.json", experiment(members), real(), {});
}

std::vector<std::string> mistakes(const std::string& text) {
  return fakes::mistakes(text, {}, real());
}

TEST(SeveralTensors, AreInputsSetupsAndOutputs) {
  const Plan plan = planned(fmt::format(
      R"({}, "outputs": ["dx", "dbeta"], "variants": {{"fused": [{}]}})", setup, backward));
  const Case& one = plan.groups.at(0).cases.at(0);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < one.inputs.size(); ++i)
    inputs.push_back(fmt::format("{}{} {}", one.values[i].name, one.inputs[i].setup ? " made" : "",
                                 describe(one.values[i].desc)));
  EXPECT_THAT(
      inputs,
      ElementsAre("x 2x6x3x5 float32 nchw pageable", "dy 2x6x3x5 float32 nchw pageable",
                  "gamma 1x6x1x1 float32 nchw pageable", "mean made 2x3x1x1 float32 nchw pageable",
                  "rstd made 2x3x1x1 float32 nchw pageable"));
  EXPECT_THAT(one.stages.at(0).in, ElementsAre(1, 0, 2, 3, 4));
  EXPECT_THAT(one.stages.at(0).out, ElementsAre(5, 6, 7));
  EXPECT_THAT(one.outputs, ElementsAre(5, 7));
  EXPECT_EQ(one.output_bytes(), 4 * (180 + 6));
  EXPECT_EQ(one.fewest_read_bytes(), 4 * (180 + 180 + 6 + 6 + 6));
}

TEST(SeveralTensors, WithoutOutputsTheFirstOfTheLastStageCounts) {
  const Plan plan = planned(fmt::format(R"({}, "variants": {{"fused": [{}]}})", setup, backward));
  EXPECT_THAT(plan.groups.at(0).cases.at(0).outputs, ElementsAre(5));
}

TEST(SeveralTensors, TheBatchIsThatOfTheLargestWhereverItStands) {
  const Plan plan = make_plan("config.json", fakes::config(R"("source": [
      {"as": ["gamma"], "dtype": "float32", "shape": [1, 6, 1, 1]},
      {"as": ["x"], "dtype": "float32", "shape": [4, 6, 3, 5]}],
    "variants": {"v": [{"op": "mul", "in": ["x", "gamma"]}]})"),
                              real(), {});
  EXPECT_EQ(plan.groups.at(0).cases.at(0).images(), 4);
}

TEST(SeveralTensors, AreSharedByVariantsThatStartAlike) {
  const Plan plan = planned(
      fmt::format(R"({}, "variants": {{"a": [{}], "b": [{}]}})", setup, backward, backward));
  const auto& cases = plan.groups.at(0).cases;
  EXPECT_EQ(inputs_key(cases.at(0)), inputs_key(cases.at(1)));
  const Plan other =
      planned(fmt::format(R"("variants": {{"a": [{{"op": "mul", "in": ["x", "dy"]}}]}})"));
  EXPECT_NE(inputs_key(cases.at(0)), inputs_key(other.groups.at(0).cases.at(0)));
}

TEST(SeveralTensors, MistakesAreFoundWhereTheyStand) {
  const auto of_variant = [](const std::string& stages, const std::string& more = "") {
    return mistakes(experiment(fmt::format(R"({}"variants": {{"v": {}}})", more, stages)));
  };
  EXPECT_THAT(of_variant(R"(["copy"])"),
              ElementsAre("/experiments/0/variants/v/0: no \"in\", and there are several inputs "
                          "(dy, gamma, source, x)"));
  EXPECT_THAT(of_variant(R"([{"op": "copy", "in": ["z"]}])"),
              ElementsAre(HasSubstr("unknown value \"z\"")));
  EXPECT_THAT(of_variant(R"([{"op": "copy", "in": ["x"]}])", R"("outputs": ["y"], )"),
              ElementsAre(HasSubstr("/experiments/0/variants/v: gives no \"y\"")));
  EXPECT_THAT(of_variant(R"([{"op": "copy", "in": ["x"]}])",
                         R"("setup": [{"op": "h2d", "in": ["x"], "as": ["y"]}], )"),
              ElementsAre(HasSubstr("/experiments/0/setup/0")));
  EXPECT_THAT(
      of_variant(R"([{"op": "copy", "in": ["x"]}])",
                 R"("setup": [{"op": "moments", "groups": 4, "in": ["x"], "as": ["m", "r"]}], )"),
      ElementsAre(HasSubstr("/experiments/0/setup/0: 6 channels cannot be in 4 equal groups")));
  EXPECT_THAT(of_variant(R"([{"op": "copy", "in": ["x"]}])", R"("setup": 3, )"),
              ElementsAre("/experiments/0/setup: expected a list of stages, got 3"));
}

TEST(SeveralTensors, OutputsAreValuesOfStagesEachOnce) {
  const auto of_outputs = [](const std::string& outputs) {
    return mistakes(experiment(fmt::format(
        R"("outputs": {}, "variants": {{"v": [{{"op": "copy", "in": ["x"], "as": ["y"]}}]}})",
        outputs)));
  };
  EXPECT_THAT(of_outputs(R"(["y"])"), ElementsAre());
  EXPECT_THAT(of_outputs(R"(["y", "y"])"),
              ElementsAre("/experiments/0/variants/v: the output \"y\" is there twice (keep one)"));
  EXPECT_THAT(
      of_outputs(R"(["x"])"),
      ElementsAre("/experiments/0/variants/v: the output \"x\" is an input: no stage gives it"));
  EXPECT_THAT(of_outputs("[]"), ElementsAre(HasSubstr("/experiments/0/outputs: is empty")));
}

TEST(SeveralTensors, ASetupIsForSourcesAndRunsReferences) {
  const auto of_setup = [](const std::string& setup) {
    return mistakes(experiment(fmt::format(
        R"("setup": {}, "variants": {{"v": [{{"op": "copy", "in": ["x"]}}]}})", setup)));
  };
  EXPECT_THAT(of_setup(R"([{"op": "copy", "in": ["x"], "as": ["z"], "kernel": "simd"}])"),
              ElementsAre(HasSubstr("/experiments/0/setup/0/kernel: a setup is worked out")));
  EXPECT_THAT(of_setup(R"([{"op": "copy", "in": ["x"]}])"),
              ElementsAre(HasSubstr("a setup is there for the values that it names")));
  EXPECT_THAT(of_setup(R"(["load"])"), ElementsAre(HasSubstr("cannot be in a setup")));
  EXPECT_THAT(of_setup("[]"), ElementsAre(HasSubstr("has no stages")));
  EXPECT_THAT(mistakes(fakes::config(
                  R"("load": {}, "setup": [{"op": "copy"}], "variants": {"v": ["copy"]})")),
              ElementsAre(HasSubstr("/experiments/0/setup: goes with \"source\"")));
}

TEST(SeveralTensors, AWrongSourceMakesNoOtherMistakes) {
  const auto of_sources = [](const std::string& list) {
    return mistakes(fakes::config(fmt::format(
        R"("source": {}, "variants": {{"v": [{{"op": "copy", "in": ["x"]}}]}})", list)));
  };
  EXPECT_THAT(of_sources("[5]"), ElementsAre("/experiments/0/source/0: expected an object, got 5"));
  EXPECT_THAT(of_sources("[]"), ElementsAre(HasSubstr("has no source")));
  EXPECT_THAT(mistakes(fakes::config(R"("source": [
      {"as": ["x"], "dtype": "float32", "shape": [2147483647, 2147483647, 2147483647, 2147483647]},
      {"as": ["gamma"], "dtype": "float32", "shape": [1, 6, 1, 1]}],
    "variants": {"v": [{"op": "mul", "in": ["x", "gamma"]}]})")),
              ElementsAre(HasSubstr("/experiments/0/source/0: shape overflows")));
}

TEST(SeveralTensors, SourcesNeedNamesAndOneKindOfMemory) {
  const auto of_sources = [](const std::string& list) {
    return mistakes(fakes::config(fmt::format(
        R"("source": {}, "variants": {{"v": [{{"op": "copy", "in": ["x"]}}]}})", list)));
  };
  EXPECT_THAT(of_sources(R"([{"as": ["x"]}, {"batch": 2}])"),
              ElementsAre(HasSubstr("/experiments/0/source/1: no \"as\"")));
  EXPECT_THAT(of_sources(R"([{"as": ["x"]}, {"as": ["x"]}])"), ElementsAre(HasSubstr("is taken")));
  EXPECT_THAT(
      of_sources(R"([{"as": ["x"]}, {"as": ["y"], "memory": "pageable_huge"}])"),
      ElementsAre(HasSubstr("/experiments/0/source/1/memory: pageable_huge memory beside")));
  EXPECT_THAT(of_sources(R"([{"as": ["x"], "shape": [1, 2, 3]}])"),
              ElementsAre(HasSubstr("/experiments/0/source/0/shape: must be 4 whole numbers")));
  EXPECT_THAT(of_sources(R"([{"as": ["x"], "values": {"normal": [0, 1]}}])"),
              ElementsAre(HasSubstr("need a float dtype, not uint8")));
  EXPECT_THAT(of_sources(R"([{"as": ["x"], "dtype": "float32", "values": {"gauss": [0, 1]}}])"),
              ElementsAre(HasSubstr("expected {\"uniform\": [low, high]}")));
}

}  // namespace
}  // namespace normbench::several_tensors_test
