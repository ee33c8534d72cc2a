#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/html/charts.h"
#include "report/html/scale.h"

namespace normbench::html {
namespace {

constexpr double track_height = 14;
constexpr std::size_t most_ticks = 6;

/// A row in the drawing of a lane (a group of stages). It has pieces of work that do not overlap in
/// time.
using Track = std::vector<LaneWork>;

/// Distributes the work of a lane over as few rows of the drawing (tracks) as possible.
std::vector<Track> tracks_of(const std::vector<LaneWork>& work, std::int64_t lane) {
  std::vector<Track> tracks;
  for (const LaneWork& one : work) {
    if (one.lane != lane) continue;
    const auto free = std::ranges::find_if(
        tracks, [&](const Track& track) { return track.back().end_ns <= one.start_ns; });
    if (free == tracks.end())
      tracks.push_back({one});
    else
      free->push_back(one);
  }
  return tracks;
}

struct Stretch {
  std::int64_t from_ns, to_ns;
};

/// Returns the times in which this lane worked and no other lane did.
std::vector<Stretch> exposed(const std::vector<LaneWork>& work, std::int64_t lane) {
  std::vector<std::int64_t> edges;
  for (const LaneWork& one : work) edges.insert(edges.end(), {one.start_ns, one.end_ns});
  std::ranges::sort(edges);
  std::vector<Stretch> stretches;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const auto works_then = [&](const LaneWork& one) {
      return one.start_ns <= edges[i - 1] && one.end_ns >= edges[i];
    };
    const bool own = std::ranges::any_of(
        work, [&](const LaneWork& one) { return one.lane == lane && works_then(one); });
    const bool other = std::ranges::any_of(
        work, [&](const LaneWork& one) { return one.lane != lane && works_then(one); });
    if (!own || other || edges[i - 1] == edges[i]) continue;
    if (!stretches.empty() && stretches.back().to_ns == edges[i - 1])
      stretches.back().to_ns = edges[i];
    else
      stretches.push_back({edges[i - 1], edges[i]});
  }
  return stretches;
}

std::string colour_of(std::int64_t item) { return fmt::format("c{}", item % 8); }

double at(const Scale& scale, std::int64_t ns) { return scale.at(static_cast<double>(ns)); }

Markup lane_drawing(const CaseResult& result, const std::vector<LaneWork>& work, std::int64_t lane,
                    const Scale& scale) {
  const std::vector<Track> tracks = tracks_of(work, lane);
  Markup shapes;
  for (std::size_t t = 0; t < tracks.size(); ++t)
    for (const LaneWork& one : tracks[t]) {
      const double x = at(scale, one.start_ns);
      shapes += rectangle(x, static_cast<double>(t) * (track_height + 2) + 2,
                          at(scale, one.end_ns) - x, track_height, "part " + colour_of(one.item),
                          fmt::format("item {}, {}: {} ms", one.item,
                                      result.stages[static_cast<std::size_t>(one.stage)].label,
                                      format_ms(static_cast<double>(one.end_ns - one.start_ns))));
    }
  const double height = static_cast<double>(tracks.size()) * (track_height + 2) + 2;
  for (const auto& [from_ns, to_ns] : exposed(work, lane)) {
    const double x = at(scale, from_ns);
    shapes += rectangle(x, 2, at(scale, to_ns) - x, height - 2, "exposed");
  }
  return drawing(height, shapes);
}

/// Returns a text like "8.40 ms of work, 3.20 ms of it while no other lane works".
std::string exposed_words(const std::vector<LaneWork>& work, std::int64_t lane) {
  std::int64_t busy_ns = 0, exposed_ns = 0;
  for (const LaneWork& one : work)
    if (one.lane == lane) busy_ns += one.end_ns - one.start_ns;
  for (const auto& [from_ns, to_ns] : exposed(work, lane)) exposed_ns += to_ns - from_ns;
  return fmt::format("{} ms of work, {} ms of it while no other lane works",
                     format_ms(static_cast<double>(busy_ns)),
                     exposed_ns == 0 ? "0" : format_ms(static_cast<double>(exposed_ns)));
}

/// Returns false if `work` has an index of a lane or stage that the case does not have, or a
/// negative duration.
bool fits(const CaseResult& result, const std::vector<LaneWork>& work) {
  return std::ranges::all_of(work, [&](const LaneWork& one) {
    return one.lane >= 0 && one.lane < std::ssize(result.pipeline->lanes) && one.stage >= 0 &&
           one.stage < std::ssize(result.stages) && one.end_ns >= one.start_ns;
  });
}

std::string tick(double ns) { return ns == 0 ? "0" : format_ms(ns) + " ms"; }

Markup case_table(const CaseResult& result, const std::vector<LaneWork>& work) {
  std::int64_t end_ns = 0;
  for (const LaneWork& one : work) end_ns = std::max(end_ns, one.end_ns);
  const Scale scale = Scale::linear(static_cast<double>(end_ns));
  std::vector<TableRow> rows;
  for (std::int64_t lane = 0; lane < std::ssize(result.pipeline->lanes); ++lane)
    rows.push_back({.heading = name(result.pipeline->lanes[static_cast<std::size_t>(lane)].name),
                    .cells = {{lane_drawing(result, work, lane, scale) +
                               Element{"small"}(words(exposed_words(work, lane)))}}});
  const std::vector<Column> columns{
      {"lane"}, {"what it did, a colour for each item", labels(scale, most_ticks, tick)}};
  return table(fmt::format("{}: a few items of its profile; hatched: while no other lane works",
                           result.variant),
               columns, rows);
}

}  // namespace

Markup flow_chart(const GroupResult& group, const GroupAnalysis& analysis) {
  Markup tables;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseResult& result = group.cases[i];
    const auto profile = std::ranges::find(group.profile, result.variant, &CaseProfile::variant);
    if (!analysis.cases[i].pipeline || profile == group.profile.end()) continue;
    const std::vector<LaneWork>& work = profile->lane_work;
    if (!work.empty() && fits(result, work)) tables += case_table(result, work);
  }
  return tables.empty() ? tables : block("flow", tables);
}

}  // namespace normbench::html
