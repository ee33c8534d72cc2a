/// Tests predictions of the bound (the least time per item) of a pipeline from measured stages.
#include "analysis/prediction.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plan/plan.h"

namespace normbench::prediction_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

struct PredictionTest : testing::Test {
  Backends backends = make_backends();
  std::optional<Plan> plan;
  Results times;

  PredictionTest() {
    plan = make_plan("flow.json", R"({"schema": 1, "name": "flow", "experiments": [{"name": "e",
        "source": {"batch": 2, "size": [5, 7]}, "variants": {"v": {"in_flight": 3, "stages": [
          {"op": "cast", "to": "float32"},
          {"op": "normalize", "mean": [1], "std": [2], "lane": "second"}]}}}]})",
                     backends, {});
    GroupResult group;
    group.cases = {measured_case({12'000'000, 3'000'000}), measured_case({10'000'000, 4'000'000})};
    times.groups = {group};
  }

  Case& planned() { return plan->groups[0].cases[0]; }
  /// Returns a measured case with the stages of planned(). In each iteration, they take
  /// `stages_ns`.
  CaseResult measured_case(std::vector<std::int64_t> stages_ns) {
    CaseResult result;
    result.iterations = 2;
    result.source = planned().values.front().desc;
    Round& round = result.rounds.emplace_back();
    round.wall_ns = round.cpu_ns = 1;
    for (std::size_t s = 0; s < stages_ns.size(); ++s) {
      const Stage& stage = planned().stages[s];
      result.stages.push_back({.op = std::string(name_of(stage.op)),
                               .label = stage.label,
                               .kernel = std::string(stage.kernel->name),
                               .out = stage.signature.out.front(),
                               .parameters = stage.parameters,
                               .rounds_ns = {2 * stages_ns[s]}});
    }
    return result;
  }
};

TEST_F(PredictionTest, IsTheSlowestLaneWithTheLeastTimes) {
  const Prediction prediction = predict(planned(), times, 16);
  EXPECT_THAT(prediction.lanes_ns, ElementsAre(Optional(10e6), Optional(3e6)));
  EXPECT_EQ(prediction.kind, BoundKind::Lane);
  EXPECT_EQ(prediction.lane, "cpu");
  EXPECT_EQ(prediction.bound_ns, 10e6);
  EXPECT_EQ(prediction.in_turn_ns, 13e6);
  EXPECT_THAT(prediction.missing, IsEmpty());
}

TEST_F(PredictionTest, TimesOfOtherThreadsOrInputsAreNotUsed) {
  for (CaseResult& result : times.groups[0].cases) result.threads = 2;
  EXPECT_THAT(predict(planned(), times, 16).missing, ElementsAre("cast", "normalize"));
  for (CaseResult& result : times.groups[0].cases) {
    result.threads = 1;
    result.source->dtype = DType::Float16;
  }
  EXPECT_THAT(predict(planned(), times, 16).missing, ElementsAre("cast"));
}

TEST_F(PredictionTest, CoresBoundWhereServersWouldNot) {
  planned().pipeline->lanes[0].servers = 2;
  EXPECT_EQ(predict(planned(), times, 16).bound_ns, 5e6);
  const Prediction prediction = predict(planned(), times, 2);
  EXPECT_EQ(prediction.kind, BoundKind::Cores);
  EXPECT_EQ(prediction.bound_ns, 6.5e6);
}

TEST_F(PredictionTest, StagesKeepNoMoreCoresBusyThanTheyDidWhenMeasured) {
  planned().pipeline->lanes[0].servers = 2;
  // The wall time becomes 4 ns and the CPU time stays 1 ns, so a stage keeps a quarter of a core
  // busy. The two cores then need only (10 + 3) ms / 4 / 2 per item. The two servers of the first
  // lane need 10 ms / 2, so this lane is the bound.
  for (CaseResult& result : times.groups[0].cases) result.rounds[0].wall_ns = 4;
  const Prediction prediction = predict(planned(), times, 2);
  EXPECT_EQ(prediction.kind, BoundKind::Lane);
  EXPECT_EQ(prediction.bound_ns, 5e6);
}

TEST_F(PredictionTest, OneThreadDoesTheHostsWorkOfAllLanes) {
  planned().pipeline->submit = Submit::One;
  const Prediction prediction = predict(planned(), times, 16);
  EXPECT_EQ(prediction.held, Held::OneThread);
  EXPECT_EQ(prediction.bound_ns, 13e6);
}

TEST_F(PredictionTest, AStageMayReadWhatAnyStageBeforeItGave) {
  for (CaseResult& result : times.groups[0].cases)
    result.stages.insert(result.stages.begin() + 1, result.stages[0]);
  times.groups[0].cases[0].stages[1].out.dtype = DType::UInt8;  // the stage that was inserted
  EXPECT_THAT(predict(planned(), times, 16).missing, IsEmpty());
}

TEST_F(PredictionTest, FewItemsInFlightBoundToo) {
  planned().pipeline->in_flight = 1;
  const Prediction prediction = predict(planned(), times, 16);
  EXPECT_EQ(prediction.held, Held::InFlight);
  EXPECT_EQ(prediction.bound_ns, prediction.in_turn_ns);
}

TEST_F(PredictionTest, SaysWhatTheDocumentHasNotMeasured) {
  for (CaseResult& result : times.groups[0].cases) result.stages[1].parameters["mean"] = {5};
  const Prediction prediction = predict(planned(), times, 16);
  EXPECT_THAT(prediction.missing, ElementsAre("normalize"));
  EXPECT_THAT(prediction.lanes_ns, ElementsAre(Optional(10e6), std::nullopt));
  EXPECT_EQ(prediction.bound_ns, 0);
}

}  // namespace
}  // namespace normbench::prediction_test
