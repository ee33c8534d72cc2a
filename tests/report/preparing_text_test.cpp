#include <gtest/gtest.h>

#include <cmath>

#include "analysis/analysis.h"
#include "example_results.h"
#include "report/cause_text.h"

namespace normbench::preparing_text_test {
namespace {

/// Returns a document with two cases, each of which loads eight of forty images. The second case,
/// "pixels", loads files that were prepared in `prepare_seconds`. It takes `other` times as long as
/// the baseline.
Results loaders(double other, double prepare_seconds) {
  Results results = examples::decoding();
  GroupResult& group = results.groups[0];
  group.profile.clear();
  CaseResult prepared = group.cases[0];
  group.cases.resize(1);
  CaseResult& baseline = group.cases[0];
  baseline.images = prepared.images = 8;
  baseline.dataset = {.images = 40, .files = 40, .bytes = 1000};
  prepared.dataset = {.images = 40, .files = 1, .bytes = 1000, .prepare_seconds = prepare_seconds};
  baseline.variant = group.baseline = "PNG";
  prepared.variant = "pixels";
  for (std::size_t i = 0; i < baseline.rounds.size(); ++i) {
    baseline.rounds[i].wall_ns = 80'000'000 * baseline.iterations;
    prepared.rounds[i].wall_ns = std::llround(other * 80e6) * prepared.iterations;
  }
  group.cases.push_back(prepared);
  return results;
}

std::string line(const Results& results, bool different = true) {
  const Pair to_baseline{.a = 0, .b = 1, .ratio = {}, .different = different};
  const auto cost = preparing_cost(results.groups[0], to_baseline, 1);
  return cost ? preparing_text(results.groups[0], *cost) : "";
}

TEST(Preparing, PaysFromTheEpochThatMakesUpForIt) {
  // An epoch has five batches. It takes 400 ms in the baseline, and 100 ms in "pixels".
  EXPECT_EQ(
      line(loaders(0.25, 1.0)),
      "Making the files of pixels took 1.00 s: that pays from epoch 4 on (0.30 s saved in each).");
}

TEST(Preparing, SaysNothingWhereNothingIsSavedOrKnown) {
  EXPECT_EQ(line(loaders(1.5, 1.0)), "");
  EXPECT_EQ(line(loaders(0.25, 0)), "");
  EXPECT_EQ(line(loaders(0.25, 1.0), false), "");
  Results results = loaders(0.25, 1.0);
  results.groups[0].cases[0].dataset = results.groups[0].cases[1].dataset;  // now equal
  EXPECT_EQ(line(results), "");
  results.groups[0].cases[0].dataset.reset();
  EXPECT_EQ(line(results), "");
}

TEST(Preparing, NamesWhatTheBaselineTook) {
  Results results = loaders(0.25, 1.0);
  results.groups[0].cases[0].dataset->prepare_seconds = 5;
  EXPECT_EQ(line(results),
            "Making the files of pixels took 1.00 s (the baseline's, 5.00 s); where the baseline's "
            "are there: that pays from epoch 4 on (0.30 s saved in each).");
}

}  // namespace
}  // namespace normbench::preparing_text_test
