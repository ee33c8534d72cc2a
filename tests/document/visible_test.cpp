#include "document/visible.h"

#include <gmock/gmock.h>

#include "document/random_results.h"

namespace normbench::visible_test {
namespace {

const std::string hostile = "a\033[31m\nb";
const std::string shown = R"(a\u001b[31m\nb)";

TEST(Visible, EveryTextOfADocumentIsOnOneLine) {
  Results results;
  results.tool = {{"version", hostile}};
  results.environment = {{hostile, Json::array({hostile, 1, nullptr})}};
  results.name = results.about = hostile;
  GroupResult& group = results.groups.emplace_back();
  group.experiment = group.question = group.baseline = hostile;
  group.point = {{hostile, hostile}};
  group.ids = {hostile};
  CaseResult& work = group.cases.emplace_back();
  work.variant = work.reason = work.peer_version = work.check.variant = hostile;
  work.notes = {hostile};
  work.pipeline = PipelineResult{.lanes = {{.name = hostile}}, .part_of = hostile};
  StageResult& stage = work.stages.emplace_back();
  stage.op = stage.label = hostile;
  stage.ranges = {hostile};
  group.limits = group.cases;
  Claim& claim = group.claims.emplace_back();
  claim.text = claim.left = hostile;
  claim.across = ClaimedTrend{.axis = hostile};
  Published& published = group.published.emplace_back();
  published.variant = published.where = hostile;
  ProfileCounters counters;
  counters.hardware_missing = hostile;
  group.profile = {{.variant = hostile,
                    .counters = counters,
                    .rows = {{.name = hostile, .shapes = hostile, .longest = hostile}}}};
  EXPECT_FALSE(is_visible(results));
  EXPECT_TRUE(is_visible(visible(results)));
  const std::string text = to_json(visible(results)).dump();
  EXPECT_EQ(text.find(Json(hostile).dump().substr(1, 8)), text.npos) << text;
  const Results made = visible(results);
  EXPECT_EQ(made.environment, Json({{shown, Json::array({shown, 1, nullptr})}}));
  EXPECT_EQ(made.groups[0].point, Json({{shown, shown}}));
  EXPECT_EQ(made.groups[0].cases[0].variant, shown);
  EXPECT_EQ(made.groups[0].cases[0].pipeline->lanes[0].name, shown);
  EXPECT_EQ(made.groups[0].claims[0].across->axis, shown);
  EXPECT_EQ(made.groups[0].profile[0].rows[0].longest, shown);
}

TEST(Visible, OtherDocumentsStayAsTheyAre) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Results results = visible(RandomResults(seed).results());
    EXPECT_EQ(visible(results), results);
  }
}

}  // namespace
}  // namespace normbench::visible_test
