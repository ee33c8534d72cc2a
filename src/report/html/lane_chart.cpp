#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/html/charts.h"
#include "report/html/scale.h"

namespace normbench::html {
namespace {

constexpr double lane_height = 20;

/// Draws how busy a lane (a group of stages of a pipeline) is, and for how much of that time no
/// other lane works.
Markup lane_bar(const LaneAnalysis& lane, double item_ns, const Scale& scale) {
  const double busy = lane.busy.value_or(0);
  const double exposed = item_ns > 0 ? std::min(busy, lane.exposed_ns.value_or(0) / item_ns) : 0;
  return drawing(lane_height, rectangle(0, 2, drawing_width, lane_height - 4, "idle") +
                                  rectangle(0, 2, scale.at(busy), lane_height - 4, "part c0") +
                                  rectangle(0, 2, scale.at(exposed), lane_height - 4, "exposed"));
}

std::string lane_words(const LaneAnalysis& lane) {
  std::string text;
  if (lane.servers > 1) text += fmt::format("{} servers, ", lane.servers);
  text += lane.busy ? "busy " + format_percent(*lane.busy) : "not timed";
  if (lane.alone_ns) text += fmt::format(", alone {} ms an item", format_ms(*lane.alone_ns));
  if (lane.exposed_ns)
    text += fmt::format(", {} ms of it while no other lane works", format_ms(*lane.exposed_ns));
  return text;
}

}  // namespace

Markup lane_chart(const GroupResult& group, const GroupAnalysis& analysis) {
  const Scale scale = Scale::linear(1);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.pipeline || !one.time_ns) continue;
    for (const LaneAnalysis& lane : one.pipeline->lanes)
      rows.push_back({.heading = name(group.cases[i].variant),
                      .cells = {{name(lane.name)},
                                {lane_bar(lane, one.time_ns->value, scale) +
                                 Element{"small"}(words(lane_words(lane)))}}});
  }
  if (rows.empty()) return {};
  const std::vector<Column> columns{{"variant"}, {"lane"}, {"share of the time"}};
  return block("lanes",
               table("How busy the lanes are; hatched: while no other lane works", columns, rows));
}

}  // namespace normbench::html
