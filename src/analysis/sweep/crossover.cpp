#include "analysis/sweep/sweep.h"

namespace normbench {
namespace {

Crossing cross(const Experiment& experiment, const AxisLine& line, const std::string& a,
               const std::string& b) {
  Crossing crossing;
  crossing.a = a;
  crossing.b = b;
  std::string leader;
  Json after;
  for (const AxisLine::Point& point : line.points) {
    const auto one = measured_case(experiment, point.group, a);
    const auto other = measured_case(experiment, point.group, b);
    if (!one || !other) continue;
    if (crossing.points++ == 0) crossing.first = point.value;
    crossing.last = point.value;
    const auto pair = experiment.analyses[point.group].pairs.of(*one, *other);
    if (!pair || !pair->different) continue;
    const std::string& now = faster(*pair) ? a : b;
    ++crossing.decided;
    if (!leader.empty() && now != leader)
      crossing.changes.push_back({.from = leader, .to = now, .after = after, .by = point.value});
    leader = now;
    after = point.value;
  }
  if (crossing.changes.empty()) crossing.leader = leader;
  return crossing;
}

}  // namespace

std::vector<Crossing> crossings(const Experiment& experiment, const AxisLine& line) {
  std::vector<Crossing> list;
  const std::string& baseline = experiment.groups.back()->baseline;
  for (const std::string& variant : measured_variants(experiment, line)) {
    if (variant == baseline) continue;
    Crossing crossing = cross(experiment, line, baseline, variant);
    if (crossing.points >= 2) list.push_back(std::move(crossing));
  }
  return list;
}

std::vector<Overtaking> winner_changes(const Experiment& experiment, const AxisLine& line) {
  std::vector<Overtaking> changes;
  std::string winner;
  Json after;
  for (const AxisLine::Point& point : line.points) {
    const Verdict& verdict = experiment.analyses[point.group].verdict;
    if (verdict.outcome != Outcome::Winner) continue;
    if (!winner.empty() && verdict.winner != winner)
      changes.push_back({.from = winner, .to = verdict.winner, .after = after, .by = point.value});
    winner = verdict.winner;
    after = point.value;
  }
  return changes;
}

}  // namespace normbench
