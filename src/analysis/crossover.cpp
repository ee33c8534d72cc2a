#include "analysis/crossover.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/pairs.h"
#include "analysis/words.h"

namespace normbench {

namespace {

/// The variant of the two that is beyond doubt faster in this group, or "".
std::string faster_variant(const GroupResult& group, const GroupAnalysis& analysis, int a, int b) {
  const auto pair = pair_of(analysis.pairs, a, b);
  if (!pair || !pair->different) return "";
  return group.cases[faster(*pair) ? a : b].variant;
}

}  // namespace

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
    const std::string now = faster_variant(*experiment.groups[point.group],
                                           experiment.analyses[point.group], *one, *other);
    if (now.empty()) continue;
    ++crossing.decided;
    if (!leader.empty() && now != leader)
      crossing.changes.push_back({.from = leader, .to = now, .after = after, .by = point.value});
    leader = now;
    after = point.value;
  }
  if (crossing.changes.empty()) crossing.leader = leader;
  return crossing;
}

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

std::vector<Change> winner_changes(const Experiment& experiment, const AxisLine& line) {
  std::vector<Change> changes;
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

std::string change_text(const AxisLine& line, const Change& change) {
  const std::string by = axis_value(change.by);
  return fmt::format("From {} {} on{}, {} wins: it overtakes {} between {} and {}", line.axis, by,
                     line.where(), spoken(change.to), spoken(change.from), axis_value(change.after),
                     by);
}

std::string crossing_text(const Crossing& crossing) {
  std::string text;
  for (const Change& change : crossing.changes) {
    const std::string by = axis_value(change.by);
    text += fmt::format("{}{} {} (between {} and {})", text.empty() ? "" : "; ",
                        change.to == crossing.b ? "from" : "no longer from", by + " on",
                        axis_value(change.after), by);
  }
  if (!text.empty()) return text;
  const std::string last = axis_value(crossing.last);
  if (crossing.leader == crossing.a) return "never, up to " + last;
  if (crossing.leader.empty()) return "not beyond doubt, up to " + last;
  if (crossing.decided == crossing.points) return fmt::format("at all {} points", crossing.points);
  return fmt::format("at {} of {} points, never slower", crossing.decided, crossing.points);
}

}  // namespace normbench
