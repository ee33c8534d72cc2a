#include "report/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/sweep/trends.h"
#include "core/text.h"
#include "core/units.h"
#include "report/cause_text.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Statements in the order in which they were added, each with the indices of the points of the
/// sweep at which it holds.
using Said = InOrder<std::vector<std::size_t>>;

std::string points_text(const Experiment& experiment, const std::vector<std::size_t>& points) {
  if (points.size() == experiment.groups.size() && points.size() > 1)
    return fmt::format(
        "at all {} points{}", points.size(),
        experiment.not_reached > 0
            ? fmt::format(" that were reached, of {}", points.size() + experiment.not_reached)
            : "");
  std::vector<std::string> names;
  for (const std::size_t point : points)
    names.push_back(point_text(experiment.groups[point]->point));
  return "at " + enumerate(names);
}

std::string outcome_text(const GroupResult& group, const GroupAnalysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  std::vector<std::string> names;
  for (const int i : verdict.fastest) names.push_back(spoken(group.cases[i].variant));
  const std::string fastest = enumerate(names);
  switch (verdict.outcome) {
    case Outcome::NothingRan:
      return failed_text(group).empty()
                 ? "Nothing could be measured"
                 : fmt::format("Nothing was measured ({})", failed_text(group));
    case Outcome::Traced:
      return std::ranges::any_of(group.cases, measured)
                 ? "Not ranked, a profiling tool was attached"
                 : "Measured nothing, a profiling tool was attached";
    case Outcome::Busy:
      return analysis.busy->crowded == analysis.busy->cases
                 ? "Not ranked, more threads than CPUs"
                 : "Not ranked, other programs had the processors";
    case Outcome::Unfair:
      return "No winner, the outputs are not alike";
    case Outcome::Alone:
      return group.cases.size() == 1 ? "Measured: " + fastest : "Only " + fastest + " ran";
    case Outcome::Winner:
      return "Fastest: " + fastest;
    case Outcome::Tie:
      return "Tied: " + fastest;
    case Outcome::Inconclusive:
      return "Inconclusive between " + fastest;
    case Outcome::TooFast:
      return "No winner: faster than the limit";
  }
  return "";
}

/// Returns the claims of all points of the sweep, each once. Claims about trends along an axis are
/// left out.
std::vector<Claim> claims_of(const Experiment& experiment) {
  std::vector<Claim> claims;
  for (const GroupResult* group : experiment.groups)
    for (const Claim& claim : group->claims)
      if (!claim.across && std::ranges::find(claims, claim) == claims.end())
        claims.push_back(claim);
  return claims;
}

/// Returns the outcome of a claim at each of its points, and details on the outcome at the last of
/// these points.
std::string claim_line(const Experiment& experiment, const Claim& claim, double precision) {
  Said said;
  std::string why;
  for (std::size_t i = 0; i < experiment.groups.size(); ++i) {
    const GroupResult& group = *experiment.groups[i];
    const auto found = std::ranges::find(group.claims, claim);
    const Judgement& judgement =
        experiment.analyses[i]
            .verdict.claims[static_cast<std::size_t>(found - group.claims.begin())];
    if (judgement.outcome == Judgement::Outcome::NotJudged) continue;
    said.under(std::string(name_of(judgement.outcome))).push_back(i);
    const std::string detail = judgement_detail(group, claim, judgement, precision);
    why = detail.empty()
              ? ""
              : fmt::format(" ({}: {}{}{})", point_text(group.point), detail,
                            judgement.caveat ? ", but " : "", caveat_text(judgement.caveat));
  }
  std::string text;
  for (const auto& [outcome, points] : said)
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : "; ", outcome, points_text(experiment, points));
  if (said.empty())
    text = fmt::format("{} ({} was not measured)", name_of(Judgement::Outcome::NotRun),
                       point_text(claim.point));
  return fmt::format("Claim \"{}\": {}{}.", claim.text, text, why);
}

/// Returns the outcome of a claim that a ratio changes along an axis, like "confirmed (from 2.10x
/// (2.05-2.15) at threads=1 to 1.31x (1.28-1.33) at threads=4)".
std::string trend_text(const TrendJudgement& judgement) {
  const ClaimedTrend& claimed = *judgement.claim.across;
  const std::string outcome =
      fmt::format("{}{}{}", name_of(judgement.outcome), judgement.fixed.empty() ? "" : " at ",
                  point_text(judgement.fixed));
  if (judgement.from.is_null()) return fmt::format("{} ({})", outcome, trend_needs(judgement));
  return fmt::format("{} (from {} at {}={} to {} at {}={})", outcome, times_text(judgement.first),
                     claimed.axis, axis_value(judgement.from), times_text(judgement.last),
                     claimed.axis, axis_value(judgement.to));
}

/// Adds one line for each claim about a trend along an axis. If there are other axes, the line has
/// a judgement for each combination of their values.
void add_trends(const Experiment& experiment, const Results& results,
                std::vector<std::string>& lines) {
  const Claim* last = nullptr;
  const std::vector<TrendJudgement> judgements = judge_trends(experiment, results);
  for (const TrendJudgement& judgement : judgements) {
    if (last && *last == judgement.claim)
      lines.back().replace(lines.back().size() - 1, 1, "; " + trend_text(judgement) + ".");
    else
      lines.push_back(
          fmt::format("Claim \"{}\": {}.", judgement.claim.text, trend_text(judgement)));
    last = &judgement.claim;
  }
}

/// Returns the fixed values of the axes other than `line.axis`, like " at memory=pinned", or "" if
/// there are none.
std::string where(const AxisLine& line) {
  return line.fixed.empty() ? "" : " at " + point_text(line.fixed);
}

/// Returns an axis and the fixed values of the other axes, like "batch at memory=pinned".
std::string axis_text(const AxisLine& line) { return line.axis + where(line); }

/// Returns an amount on the axis of the line, rounded up, like "batch 24" or "230,400 pixels".
std::string amount_text(const AxisLine& line, double amount) {
  const std::string count = format_count(std::llround(std::ceil(amount)));
  return line.points.front().value.is_array() ? count + " pixels" : line.axis + " " + count;
}

/// Adds fit_text() of the variant that wins at the last point of the sweep. It tells the variant's
/// fixed cost, which is the time that does not depend on the bytes. Each of `axes` is a line of
/// points that differ only in one axis. A line without the last point adds no text.
void add_winner_fits(const Experiment& experiment, const std::vector<AxisLine>& axes,
                     std::vector<std::string>& sentences) {
  const std::size_t last = experiment.groups.size() - 1;
  for (const AxisLine& line : axes) {
    if (std::ranges::find(line.points, last, &AxisLine::Point::group) == line.points.end())
      continue;
    for (const AxisFit& fit : fits(experiment, line))
      if (fit.variant == experiment.analyses[last].verdict.winner)
        sentences.push_back(fit_text(line, fit));
  }
}

/// Returns at most three sentences about numeric axes: variants whose time does not grow with their
/// bytes, points where the winner changes, and the fixed cost of the winner at the last point.
std::vector<std::string> axis_sentences(const Experiment& experiment) {
  constexpr std::size_t kMost = 3;
  const std::vector<AxisLine> axes = axis_lines(experiment);
  std::vector<std::string> sentences;
  for (const AxisLine& line : axes)
    for (const Unscaled& result : unscaled(experiment, line))
      sentences.push_back(unscaled_text(line, result));
  for (const AxisLine& line : axes)
    for (const Overtaking& change : winner_changes(experiment, line))
      sentences.push_back(overtaking_text(line, change));
  add_winner_fits(experiment, axes, sentences);
  std::erase(sentences, "");
  if (sentences.size() > kMost) sentences.resize(kMost);
  return sentences;
}

/// Adds a line for each outcome, with the points of the sweep that have it. If there is a winner at
/// the last point, its advantage at that point follows.
void add_outcomes(const Experiment& experiment, std::vector<std::string>& lines) {
  const std::size_t count = experiment.groups.size();
  Said said;
  for (std::size_t i = 0; i < count; ++i)
    said.under(outcome_text(*experiment.groups[i], experiment.analyses[i])).push_back(i);
  const GroupResult& last = *experiment.groups.back();
  for (const auto& [outcome, points] : said) {
    lines.push_back(outcome + " " + points_text(experiment, points));
    if (points.back() + 1 == count && experiment.analyses.back().verdict.advantage)
      lines.back() += fmt::format("; at {} {}", point_text(last.point),
                                  advantage_text(last, experiment.analyses.back()));
    else if (points.back() + 1 == count)
      if (const std::string lead = lead_text(experiment.analyses.back().verdict); !lead.empty())
        lines.back() += fmt::format("; at {}{}", point_text(last.point), lead.substr(1));
    lines.back() += ".";
  }
}

/// Returns the largest relative distance of a point from the fitted line: "within 2.1 %", or "no
/// line fits: off by 12 %".
std::string explains_text(const AxisFit& fit) {
  if (fit.fitted.worst < 0.001) return "within 0.1 %";
  return fmt::format("{} {}", fit.explains ? "within" : "no line fits: off by",
                     format_percent(fit.fitted.worst));
}

std::string amount90_text(const AxisLine& line, const AxisFit& fit) {
  if (fit.amount90 <= line.points.front().amount) return "every point";
  return format_count(std::llround(std::ceil(fit.amount90)));
}

/// Returns a row of fit_table(). If the fitted line does not explain the times, the cells for its
/// figures are empty.
std::vector<std::string> fit_cells(const AxisLine& line, const AxisFit& fit) {
  const std::string points = std::to_string(fit.points);
  if (!fit.explains)
    return {axis_text(line), fit.variant, points, "", "", "", "", explains_text(fit)};
  return {axis_text(line),
          fit.variant,
          points,
          format_ms(fit.fitted.fixed_ns),
          format_significant(fit.fitted.gb_per_s(), 3),
          format_bytes(fit.fitted.half_bytes()),
          amount90_text(line, fit),
          explains_text(fit)};
}

}  // namespace

std::string trend_needs(const TrendJudgement& judgement) {
  return fmt::format("needs both sides at two values of {}{}", judgement.claim.across->axis,
                     judgement.outcome == Judgement::Outcome::Interrupted
                         ? ", which the run did not come to"
                         : "");
}

std::vector<std::string> verdict_lines(const Experiment& experiment, const Results& results) {
  std::vector<std::string> lines;
  for (const GroupResult* group : experiment.groups)
    if (group->scaled_from > 0)
      lines.push_back(fmt::format(
          "Scaled down{}: {} images in place of {}, which do not fit in memory; so many exceed "
          "three caches.",
          group->point.empty() ? "" : " at " + point_text(group->point), images_of(*group),
          group->scaled_from));
  for (const EmptyInput& empty : empty_inputs(experiment))
    lines.push_back(empty_input_text(experiment, empty) + ".");
  const GroupResult& last = *experiment.groups.back();
  const GroupAnalysis& analysis = experiment.analyses.back();
  if (experiment.groups.size() == 1 && experiment.not_reached == 0) {
    std::ranges::move(verdict_text(last, analysis, results), std::back_inserter(lines));
    for (const Claim& claim : claims_of(experiment))
      if (!results.traced && !agree(claim.point, last.point))
        lines.push_back(claim_line(experiment, claim, precision_of(last, results)));
    add_trends(experiment, results, lines);
    return lines;
  }
  add_outcomes(experiment, lines);
  for (const std::string& sentence : axis_sentences(experiment)) lines.push_back(sentence + ".");
  for (const std::string& reason : reasons(last, analysis))
    lines.push_back("At " + point_text(last.point) + ": " + reason);
  for (const Claim& claim : claims_of(experiment))
    if (!results.traced)
      lines.push_back(claim_line(experiment, claim, precision_of(last, results)));
  add_trends(experiment, results, lines);
  return lines;
}

std::string overtaking_text(const AxisLine& line, const Overtaking& change) {
  const std::string by = axis_value(change.by);
  return fmt::format("From {} {} on{}, {} wins: it overtakes {} between {} and {}", line.axis, by,
                     where(line), spoken(change.to), spoken(change.from), axis_value(change.after),
                     by);
}

std::string crossing_text(const Crossing& crossing) {
  std::string text;
  for (const Overtaking& change : crossing.changes) {
    const std::string by = axis_value(change.by);
    text += fmt::format("{}{} {} on (between {} and {})", text.empty() ? "" : "; ",
                        change.to == crossing.b ? "from" : "no longer from", by,
                        axis_value(change.after), by);
  }
  if (!text.empty()) return text;
  const std::string last = axis_value(crossing.last);
  if (crossing.leader == crossing.a) return "never, up to " + last;
  if (crossing.leader.empty()) return "not beyond doubt, up to " + last;
  if (crossing.decided == crossing.points) return fmt::format("at all {} points", crossing.points);
  return fmt::format("at {} of {} points, never slower", crossing.decided, crossing.points);
}

std::string fit_text(const AxisLine& line, const AxisFit& fit) {
  if (!fit.explains || fit.amount90 <= line.points.front().amount) return "";
  return fmt::format("Fixed cost of {}{}: {} ms; then {} GB/s, 90 % of it from {} on",
                     spoken(fit.variant), where(line), format_ms(fit.fitted.fixed_ns),
                     format_significant(fit.fitted.gb_per_s(), 3), amount_text(line, fit.amount90));
}

std::string unscaled_text(const AxisLine& line, const Unscaled& result) {
  return fmt::format(
      "Does not scale: {}{} takes no longer at {} {} than at {}, for {} the bytes; it measured "
      "something else, or a fixed cost of {} ms bounds it",
      spoken(result.variant), where(line), line.axis, axis_value(result.large),
      axis_value(result.small), factor(result.work), format_ms(result.fixed_ns));
}

std::string empty_input_text(const Experiment& experiment, const EmptyInput& empty) {
  const GroupResult& group = *experiment.groups[empty.group];
  const CaseResult& result = group.cases[empty.index];
  return fmt::format(
      "No input: {}{} ({} images, {}), so its time means nothing", spoken(result.variant),
      group.point.empty() ? "" : " at " + point_text(group.point), format_count(result.images),
      format_bytes(static_cast<double>(result.source_bytes)));
}

std::string crossover_table(const Experiment& experiment) {
  Rows rows({"axis", "variant", "against", "faster"});
  for (const AxisLine& line : axis_lines(experiment))
    for (const Crossing& crossing : crossings(experiment, line))
      rows.add({axis_text(line), crossing.b, crossing.a, crossing_text(crossing)});
  return rows.text({0, 1, 2, 3});
}

std::string fit_table(const Experiment& experiment) {
  Rows rows(
      {"axis", "variant", "points", "fixed ms", "GB/s", "half of it at", "90 % from", "fits"});
  std::string flags;
  for (const AxisLine& line : axis_lines(experiment)) {
    for (const AxisFit& fit : fits(experiment, line)) rows.add(fit_cells(line, fit));
    for (const Unscaled& result : unscaled(experiment, line))
      flags += wrapped(unscaled_text(line, result), 2);
  }
  return rows.text({0, 1, 7}) + flags;
}

}  // namespace normbench
