#include "analysis/published.h"

#include <gmock/gmock.h>

#include "analysis/case_analysis.h"
#include "example_results.h"

namespace normbench::published_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::FieldsAre;
using testing::Optional;

auto figure(FigureKind kind, double published, double here) {
  return FieldsAre(kind, published, Optional(DoubleNear(here, here / 50)));
}

TEST(Published, StandsBesideTheSameHere) {
  const Results blog = examples::blog();
  const GroupResult& group = blog.groups[0];
  const GroupAnalysis analysis = analyse(group, blog);
  const auto published_figures = [&](const GroupResult&, const Published& figures) {
    return normbench::published_figures(group, analysis, figures);
  };
  Published one = group.published[0];  // A1 takes 135.6 ms here, the baseline 97.1 ms
  one.speed_up = 0.87;
  EXPECT_THAT(published_figures(group, one),
              ElementsAre(figure(FigureKind::Wall, 175.5, 135.6),
                          figure(FigureKind::SpeedUp, 0.87, 97.1 / 135.6)));
  one = {.variant = one.variant, .stage = "sub", .wall_ms = 644, .device_ms = 1, .items = 10};
  EXPECT_THAT(published_figures(group, one),
              ElementsAre(figure(FigureKind::Wall, 64.4, 135.6 / 3),
                          FieldsAre(FigureKind::Device, 0.1, std::nullopt)));
  one.variant = "gone";
  EXPECT_THAT(published_figures(group, one),
              testing::Each(Field(&PublishedFigure::here, std::nullopt)));
}

TEST(Published, AFirstCallIsOneWhateverTheItems) {
  Results blog = examples::blog();
  GroupResult& group = blog.groups[0];
  Published one{.variant = group.cases[0].variant, .wall_ms = {}, .device_ms = {}, .items = 10};
  one.first_call_ms = 218;
  group.cases[0].first_call_ns = 300'000'000;
  const auto figures = [&] { return published_figures(group, analyse(group, blog), one); };
  EXPECT_THAT(figures(), ElementsAre(figure(FigureKind::FirstCall, 218, 300)));
  group.cases[0].first_call_ns = 0;  // as in older documents
  EXPECT_THAT(figures(), ElementsAre(FieldsAre(FigureKind::FirstCall, 218, std::nullopt)));
}

TEST(Published, HostAndDeviceTimesAreAddedAsTheChartsDo) {
  const Results gpu = examples::gpu();
  const GroupResult& group = gpu.groups[0];
  Published one{.variant = group.cases[2].variant, .wall_ms = {}, .device_ms = {}};
  one.sum_ms = 7;
  double ns = 0;  // sum of the call times and the device times of all stages
  for (const StageResult& stage : group.cases[2].stages)
    ns += per_iteration_ns(group.cases[2], stage.calls_ns) +
          per_iteration_ns(group.cases[2], stage.rounds_ns);
  EXPECT_LT(ns, wall_ns(group.cases[2]) + *device_ns(group.cases[2]));
  const GroupAnalysis analysis = analyse(group, gpu);
  EXPECT_THAT(published_figures(group, analysis, one),
              ElementsAre(figure(FigureKind::Sum, 7, ns / 1e6)));
}

TEST(Published, WithoutASynchronisationTheClockShowsTheSubmission) {
  Results gpu = examples::gpu();
  GroupResult& group = gpu.groups[0];
  CaseResult& sent = group.cases[2];
  Published one{.variant = sent.variant, .wall_ms = {}, .device_ms = {}};
  one.submitted_ms = 8.3;
  EXPECT_THAT(published_figures(group, analyse(group, gpu), one),
              ElementsAre(FieldsAre(FigureKind::Submitted, 8.3, std::nullopt)));
  for (Round& round : sent.rounds) round.submitted_ns = 2'000'000 * sent.iterations;
  EXPECT_THAT(published_figures(group, analyse(group, gpu), one),
              ElementsAre(figure(FigureKind::Submitted, 8.3, 2)));
}

TEST(PublishedOverlaps, AreTheLongerOfTheStageAndTheRest) {
  Results results = examples::pipelines();
  GroupResult& group = results.groups[0];
  group.published = {
      {.variant = "in turn", .wall_ms = 2889, .device_ms = {}, .items = 50},
      {.variant = "in turn", .stage = "save", .wall_ms = 2629, .device_ms = {}, .items = 50},
      {.variant = "in turn", .stage = "load", .wall_ms = 2, .device_ms = {}},  // time of one item
      {.variant = "three in flight", .wall_ms = 2600, .device_ms = {}, .items = 50}};
  const auto overlaps = published_overlaps(group);
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_NEAR(overlaps[0].overlapped_ms, 52.58, 1e-9);
  EXPECT_EQ(overlaps[0].servers, 11);
  EXPECT_EQ(overlaps[0].faster, &group.published[3]);
  group.published[3].wall_ms = 2700;
  EXPECT_EQ(published_overlaps(group)[0].faster, nullptr);
  group.published[3].wall_ms = 2600;
  group.cases[1].stages[2].label = "other";  // now it has no stage "save"
  EXPECT_EQ(published_overlaps(group)[0].faster, nullptr);
  group.cases[0].pipeline.reset();
  EXPECT_TRUE(published_overlaps(group).empty());
}

}  // namespace
}  // namespace normbench::published_test
