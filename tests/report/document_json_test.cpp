#include <gtest/gtest.h>

#include "report/report.h"
#include "report/verdict_text.h"
#include "sweep_fixture.h"

namespace normbench::document_json_test {
namespace {

TEST(DocumentJson, HoldsWhatTheAxesSay) {
  // An image has 1 MB. "base" takes 0.125 ms per image (8 GB/s). "late" takes 2 ms and 0.0625 ms
  // per image (16 GB/s). "stuck" takes 9 ms for every batch. "base" and "late" take the same time
  // at 32 images.
  const Results results =
      sweeps::along_batch({1, 8, 64}, {{"base", sweeps::linear(0, 0.125), 1e6, 0},
                                       {"late", sweeps::linear(2, 0.0625), 1e6, 0},
                                       {"stuck", sweeps::constant(9), 1e6, 0}});
  const Json json = document(Analysed(results)).at("experiments").at(0);
  EXPECT_EQ(json["experiment"], "sweep");
  EXPECT_EQ(json["crossovers"], Json::parse(R"([
    {"axis": "batch", "at": {}, "a": "base", "b": "late", "points": 3, "decided": 3, "leader": "",
     "changes": [{"from": "base", "to": "late", "after": 8, "by": 64}]},
    {"axis": "batch", "at": {}, "a": "base", "b": "stuck", "points": 3, "decided": 3,
     "leader": "base", "changes": []}])"));
  EXPECT_EQ(json["unscaled"], Json::parse(R"([
    {"axis": "batch", "at": {}, "variant": "stuck", "small": 1, "large": 64, "work": 64.0,
     "fixed_ns": 9e6}])"));
  ASSERT_EQ(json["fits"].size(), 2u);  // "stuck" has no fit: its time does not grow
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

TEST(DocumentJson, IsWrittenAsTheWholeDocumentIs) {
  Results results = sweeps::along_batch({1, 8, 64}, {{"base", sweeps::linear(0, 0.125), 1e6, 0},
                                                     {"late", sweeps::linear(2, 0.0625), 1e6, 0}});
  for (const bool has_groups : {true, false}) {
    if (!has_groups) results.groups.clear();
    const Analysed analysed(results);
    EXPECT_EQ(document_json(analysed), pretty(document(analysed), 1) + "\n");
  }
}

TEST(DocumentJson, HasNoFiguresWhereNoLineFits) {
  const auto square = [](double n) { return n * n; };
  const Results results = sweeps::along_batch({1, 8, 64}, {{"bent", square, 1e6, 0}});
  const Json json = document(Analysed(results)).at("experiments").at(0);
  ASSERT_EQ(json["fits"].size(), 1u);
  EXPECT_EQ(json["fits"][0]["explains"], false);
  EXPECT_GT(json["fits"][0]["worst_residual"].get<double>(), 0.2);
  EXPECT_FALSE(json["fits"][0].contains("fixed_ns"));
}

TEST(DocumentJson, IsEmptyForOnePoint) {
  const Results results = sweeps::along_batch({8}, {{"base", sweeps::constant(1)}});
  EXPECT_EQ(
      document(Analysed(results)).at("experiments").at(0),
      Json::parse(
          R"({"experiment": "sweep", "crossovers": [], "fits": [], "unscaled": [], "claims": []})"));
}

TEST(DocumentJson, IsInTheDocument) {
  const Json all = document(Analysed(examples::swept()));
  ASSERT_EQ(all["experiments"].size(), 1u);
  EXPECT_EQ(all["experiments"][0]["experiment"], "example");
  EXPECT_EQ(all["experiments"][0]["crossovers"].size(), 2u);
  EXPECT_EQ(all["experiments"][0]["fits"].size(), 3u);
}

TEST(PerImage, IsInTheDocument) {
  const Json blog = document(Analysed(examples::blog()));
  const Json& counters = blog["groups"][0]["cases"][0]["counters"];
  EXPECT_TRUE(counters.contains("cpu_s_per_image"));
  EXPECT_FALSE(counters.contains("joules_per_image"));
  const Json gpu = document(Analysed(examples::gpu()));
  EXPECT_EQ(gpu["groups"][0]["cases"][0]["counters"]["joules_per_image"], 14.5 / 100);
}

TEST(DocumentJson, HoldsWhatWasDerivedBesideTheMeasurements) {
  const Results results = examples::blog();
  const Json group = document(Analysed(results))["groups"][0];
  const GroupAnalysis analysis = analyse(results.groups[0], results);
  EXPECT_EQ(group["verdict"]["winner"], "uint8: normalize (fused)");
  EXPECT_EQ(group["verdict"]["text"], Json(verdict_text(results.groups[0], analysis, results)));
  const Json& winner = group["cases"][5];
  EXPECT_EQ(winner["summary"]["rounds"], 20);
  EXPECT_EQ(winner["summary"]["median_ns"], analysis.cases[5].time_ns->value);
  EXPECT_EQ(winner["ratio"]["to"], "A2 float32: sub, div");
  EXPECT_EQ(winner["ratio"]["value"], analysis.cases[5].ratio->value);
  EXPECT_EQ(winner["of_limit"]["limit"], "stream 27.6:110.6 MB nt, 1 thread");
  EXPECT_EQ(group["cases"][1]["counters"]["minor_faults"], 54'002);
  EXPECT_EQ(group["pairs"].size(), 15u);
}

TEST(DocumentJson, OfManyCasesHasThePairsWithTheBaselineAndTheFastest) {
  Results results = examples::many(1, 70);
  results.groups[0].baseline = "v9";
  const Json group = document(Analysed(results))["groups"][0];
  EXPECT_EQ(group["pairs"].size(), 2u * 69 - 1);
  EXPECT_EQ(group["pairs_left_out"], 70 * 69 / 2 - (2 * 69 - 1));
  for (const Json& pair : group["pairs"])
    EXPECT_TRUE(pair["a"] == "v0" || pair["a"] == "v9" || pair["b"] == "v9") << pair.dump();
  EXPECT_THAT(table(Analysed(results)),
              testing::HasSubstr("  (left out: 2,278 pairs without any of v0 and v9)\n"));
  const Json few = document(Analysed(examples::many(1, 64)))["groups"][0];
  EXPECT_EQ(few["pairs"].size(), 64u * 63 / 2);
  EXPECT_FALSE(few.contains("pairs_left_out"));
}

TEST(DocumentJson, OfSkippedCasesHasNoSummary) {
  const Json written = document(Analysed(examples::skipped_gpu()));
  for (const Json& result : written["groups"][0]["cases"]) EXPECT_FALSE(result.contains("summary"));
}

TEST(DocumentJson, HoldsTheLimitsOfStages) {
  int stages = 0;
  for (const Results& results : {examples::blog(), examples::gpu(), examples::constants()}) {
    const GroupAnalysis analysis = analyse(results.groups[0], results);
    const Json written = document(Analysed(results))["groups"][0]["cases"];
    for (std::size_t c = 0; c < analysis.cases.size(); ++c) {
      EXPECT_EQ(written[c].contains("bytes_moved"), analysis.cases[c].bytes_moved.has_value());
      if (analysis.cases[c].floor_ns) {
        EXPECT_EQ(written[c]["floor_ns"], *analysis.cases[c].floor_ns);
        EXPECT_EQ(written[c]["binding"], analysis.cases[c].binding);
      }
      for (std::size_t s = 0; s < analysis.cases[c].stages.size(); ++s) {
        const StageAnalysis& stage = analysis.cases[c].stages[s];
        if (!stage.of_limit) continue;
        ++stages;
        EXPECT_EQ(written[c]["stages"][s]["limit"], stage.limit);
        EXPECT_EQ(written[c]["stages"][s]["floor_ns"], stage.floor_ns);
        EXPECT_EQ(written[c]["stages"][s]["of_limit"]["value"], stage.of_limit->value);
      }
    }
  }
  EXPECT_GT(stages, 0);
}

}  // namespace
}  // namespace normbench::document_json_test
