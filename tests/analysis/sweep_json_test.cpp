#include "analysis/sweep_json.h"

#include <gtest/gtest.h>

#include "sweep_fixture.h"

namespace normbench::sweep_json_test {
namespace {

TEST(SweepJson, HoldsWhatTheAxesSay) {
  // 1 MB an image: base 0.125 ms (8 GB/s), late 2 ms and 0.0625 ms (16 GB/s), stuck 9 ms. The
  // first two cross at 32 images.
  const Results results =
      sweeps::along_batch({1, 8, 64}, {{"base", sweeps::linear(0, 0.125), 1e6, 0},
                                       {"late", sweeps::linear(2, 0.0625), 1e6, 0},
                                       {"stuck", sweeps::constant(9), 1e6, 0}});
  const Json json = experiment_json(experiments(results).at(0));
  EXPECT_EQ(json["experiment"], "sweep");
  EXPECT_EQ(json["crossovers"], Json::parse(R"([
    {"axis": "batch", "at": {}, "a": "base", "b": "late", "points": 3, "decided": 3, "leader": "",
     "changes": [{"from": "base", "to": "late", "after": 8, "by": 64}]},
    {"axis": "batch", "at": {}, "a": "base", "b": "stuck", "points": 3, "decided": 3,
     "leader": "base", "changes": []}])"));
  EXPECT_EQ(json["unscaled"], Json::parse(R"([
    {"axis": "batch", "at": {}, "variant": "stuck", "small": 1, "large": 64, "work": 64.0,
     "fixed_ns": 9e6}])"));
  ASSERT_EQ(json["fits"].size(), 2u);  // the time of "stuck" does not grow
  const Json& late = json["fits"][1];
  EXPECT_EQ(late["variant"], "late");
  EXPECT_EQ(late["points"], 3);
  EXPECT_NEAR(late["fixed_ns"].get<double>(), 2e6, 1);
  EXPECT_NEAR(late["gb_per_s"].get<double>(), 16, 1e-6);
  EXPECT_NEAR(late["half_bytes"].get<double>(), 32e6, 100);
  EXPECT_NEAR(late["amount_at_90_percent"].get<double>(), 288, 1e-3);
  EXPECT_NEAR(late["worst_residual"].get<double>(), 0, 1e-6);
  EXPECT_EQ(late["explains"], true);
}

TEST(SweepJson, HasNoFiguresWhereNoLineFits) {
  const auto square = [](double n) { return n * n; };
  const Results results = sweeps::along_batch({1, 8, 64}, {{"bent", square, 1e6, 0}});
  const Json json = experiment_json(experiments(results).at(0));
  ASSERT_EQ(json["fits"].size(), 1u);
  EXPECT_EQ(json["fits"][0]["explains"], false);
  EXPECT_GT(json["fits"][0]["worst_residual"].get<double>(), 0.2);
  EXPECT_FALSE(json["fits"][0].contains("fixed_ns"));
}

TEST(SweepJson, IsEmptyForOnePoint) {
  const Results results = sweeps::along_batch({8}, {{"base", sweeps::constant(1)}});
  EXPECT_EQ(
      experiment_json(experiments(results).at(0)),
      Json::parse(R"({"experiment": "sweep", "crossovers": [], "fits": [], "unscaled": []})"));
}

TEST(SweepJson, IsInTheDocument) {
  const Json all = document(examples::swept());
  ASSERT_EQ(all["experiments"].size(), 1u);
  EXPECT_EQ(all["experiments"][0]["experiment"], "example");
  EXPECT_EQ(all["experiments"][0]["crossovers"].size(), 2u);
  EXPECT_EQ(all["experiments"][0]["fits"].size(), 3u);
}

}  // namespace
}  // namespace normbench::sweep_json_test
