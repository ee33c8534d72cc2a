#include <gmock/gmock.h>

#include "analysis/sweep/sweep.h"
#include "sweep_fixture.h"

namespace normbench::axis_test {
namespace {

using sweeps::constant;
using testing::ElementsAre;

/// Returns a text for each AxisLine (the points of a sweep that differ in one axis only). The text
/// has the axis, the fixed values of other axes, and the values of the points, like R"(batch at
/// {"memory":"pinned"}: 1 8 64)".
std::vector<std::string> shown(const Results& results) {
  std::vector<std::string> lines;
  for (const AxisLine& line : axis_lines(experiments(results).at(0))) {
    lines.push_back(line.axis + (line.fixed.empty() ? "" : " at " + line.fixed.dump()) + ":");
    for (const AxisLine::Point& point : line.points) lines.back() += " " + point.value.dump();
  }
  return lines;
}

Results at_points(const std::vector<Json>& points) {
  std::vector<GroupResult> groups;
  for (const Json& point : points)
    groups.push_back(sweeps::group_at(point, 1, {{"a", constant(1)}}));
  return examples::make_results("axes", std::move(groups));
}

TEST(AmountOf, IsTheNumberOrThePixels) {
  EXPECT_EQ(amount_of(8), 8);
  EXPECT_EQ(amount_of(0.5), 0.5);
  EXPECT_EQ(amount_of(Json::array({720, 1280})), 921600);
  EXPECT_EQ(amount_of("float32"), std::nullopt);
  EXPECT_EQ(amount_of(Json::array({1, 2, 3})), std::nullopt);
  EXPECT_EQ(amount_of(Json::object({{"n", 1}})), std::nullopt);
}

TEST(AxisLines, VaryOneNumericAxisAndFixTheOthers) {
  EXPECT_THAT(shown(at_points({{{"batch", 1}, {"memory", "pinned"}},
                               {{"batch", 1}, {"memory", "pageable"}},
                               {{"batch", 8}, {"memory", "pinned"}},
                               {{"batch", 8}, {"memory", "pageable"}}})),
              ElementsAre(R"(batch at {"memory":"pinned"}: 1 8)",
                          R"(batch at {"memory":"pageable"}: 1 8)"));
  EXPECT_THAT(shown(at_points({{{"batch", 1}, {"threads", 1}},
                               {{"batch", 8}, {"threads", 1}},
                               {{"batch", 1}, {"threads", 2}},
                               {{"batch", 8}, {"threads", 2}}})),
              ElementsAre(R"(batch at {"threads":1}: 1 8)", R"(batch at {"threads":2}: 1 8)",
                          R"(threads at {"batch":1}: 1 2)", R"(threads at {"batch":8}: 1 2)"));
}

TEST(AxisLines, AscendByAmount) {
  EXPECT_THAT(shown(at_points({{{"size", {720, 1280}}}, {{"size", {4, 8}}}, {{"size", {8, 2}}}})),
              ElementsAre("size: [8,2] [4,8] [720,1280]"));
}

TEST(AxisLines, ThereAreNoneWithoutTwoAmounts) {
  EXPECT_THAT(shown(at_points({Json::object()})), ElementsAre());
  EXPECT_THAT(shown(at_points({{{"dtype", "uint8"}}, {{"dtype", "float16"}}})), ElementsAre());
  EXPECT_THAT(shown(at_points({{{"threads", 1}}, {{"threads", "all"}}})), ElementsAre());
  EXPECT_THAT(shown(at_points({{{"batch", 4}}})), ElementsAre());
}

}  // namespace
}  // namespace normbench::axis_test
