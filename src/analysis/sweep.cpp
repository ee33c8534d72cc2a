#include "analysis/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/case_analysis.h"
#include "analysis/crossover.h"
#include "analysis/fit.h"
#include "analysis/scaling.h"
#include "analysis/verdict.h"
#include "analysis/words.h"

namespace normbench {

namespace {

/// Something said of points -> those points, in order of first mention.
using Said = std::vector<std::pair<std::string, std::vector<std::size_t>>>;

void add(Said& said, const std::string& what, std::size_t point) {
  const auto at = std::ranges::find(said, what, [](const auto& entry) { return entry.first; });
  if (at == said.end())
    said.push_back({what, {point}});
  else
    at->second.push_back(point);
}

std::string points_text(const Experiment& experiment, const std::vector<std::size_t>& points) {
  if (points.size() == experiment.groups.size())
    return fmt::format("at all {} points", points.size());
  std::vector<std::string> names;
  for (const std::size_t point : points)
    names.push_back(point_text(experiment.groups[point]->point));
  return "at " + enumerate(names);
}

std::string outcome_text(const GroupResult& group, const Verdict& verdict) {
  std::vector<std::string> fastest;
  for (const int i : verdict.fastest) fastest.push_back(spoken(group.cases[i].variant));
  switch (verdict.outcome) {
    case Outcome::NothingRan:
      return "nothing could be measured";
    case Outcome::Traced:
      return std::ranges::any_of(group.cases, measured)
                 ? "not ranked, a profiling tool was attached"
                 : "measured nothing, a profiling tool was attached";
    case Outcome::Unfair:
      return "no winner, the outputs are not alike";
    case Outcome::Alone:
      return "only " + enumerate(fastest) + " ran";
    case Outcome::Winner:
      return "fastest: " + enumerate(fastest);
    case Outcome::Tie:
      return "tied: " + enumerate(fastest);
    case Outcome::Inconclusive:
      return "inconclusive between " + enumerate(fastest);
  }
  return "";
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

void add_claims(const Experiment& experiment, std::vector<std::string>& lines) {
  for (std::size_t c = 0; c < experiment.analyses.back().verdict.claims.size(); ++c) {
    Said said;
    for (std::size_t i = 0; i < experiment.groups.size(); ++i)
      if (const auto& claims = experiment.analyses[i].verdict.claims; c < claims.size())
        add(said, claims[c].verdict, i);
    const Judgement& last = experiment.analyses.back().verdict.claims[c];
    std::string text;
    for (const auto& [verdict, points] : said)
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", verdict,
                          points_text(experiment, points));
    if (!last.detail.empty())
      text += fmt::format(" ({}: {}{}{})", point_text(experiment.groups.back()->point), last.detail,
                          last.caveat.empty() ? "" : ", ", last.caveat);
    lines.push_back(fmt::format("Claim \"{}\": {}.", last.claim, text));
  }
}

/// The fixed cost of the last point's winner, along the lines through that point.
std::vector<std::string> winner_fits(const Experiment& experiment,
                                     const std::vector<AxisLine>& axes) {
  std::vector<std::string> sentences;
  const std::size_t last = experiment.groups.size() - 1;
  for (const AxisLine& line : axes) {
    if (std::ranges::find(line.points, last, &AxisLine::Point::group) == line.points.end())
      continue;
    for (const LinearFit& fit : fits(experiment, line))
      if (fit.variant == experiment.analyses[last].verdict.winner)
        sentences.push_back(fit_text(line, fit));
  }
  std::erase(sentences, "");
  return sentences;
}

/// What the points of the numeric axes say together, at most three sentences: results that do not
/// follow their work, where the winner changes, and the last winner's fixed cost.
std::vector<std::string> axis_sentences(const Experiment& experiment) {
  constexpr std::size_t kMost = 3;
  const std::vector<AxisLine> axes = axis_lines(experiment);
  std::vector<std::string> sentences;
  for (const AxisLine& line : axes)
    for (const Unscaled& result : unscaled(experiment, line))
      sentences.push_back(unscaled_text(line, result));
  for (const AxisLine& line : axes)
    for (const Change& change : winner_changes(experiment, line))
      sentences.push_back(change_text(line, change));
  std::ranges::move(winner_fits(experiment, axes), std::back_inserter(sentences));
  if (sentences.size() > kMost) sentences.resize(kMost);
  return sentences;
}

/// Before the lines, what was measured on nothing.
std::vector<std::string> with_empty_inputs(const Experiment& experiment,
                                           std::vector<std::string> lines) {
  std::vector<std::string> all;
  for (const std::string& text : empty_inputs(experiment)) all.push_back(text + ".");
  std::ranges::move(lines, std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<Experiment> experiments(const Results& results) {
  std::vector<Experiment> list;
  for (const GroupResult& group : results.groups) {
    if (list.empty() || list.back().groups[0]->experiment != group.experiment) list.emplace_back();
    list.back().groups.push_back(&group);
    list.back().analyses.push_back(analyse(group, results));
  }
  return list;
}

std::vector<std::string> verdict_lines(const Experiment& experiment) {
  const Verdict& last = experiment.analyses.back().verdict;
  if (experiment.groups.size() == 1) return with_empty_inputs(experiment, last.text);
  Said said;
  for (std::size_t i = 0; i < experiment.groups.size(); ++i)
    add(said, outcome_text(*experiment.groups[i], experiment.analyses[i].verdict), i);
  std::vector<std::string> lines;
  const std::string last_point = point_text(experiment.groups.back()->point);
  for (const auto& [outcome, points] : said) {
    lines.push_back(capitalised(outcome) + " " + points_text(experiment, points));
    if (points.back() + 1 == experiment.groups.size() && last.outcome == Outcome::Winner)
      lines.back() += fmt::format("; at {} {}", last_point, last.advantage);
    lines.back() += ".";
  }
  for (const std::string& sentence : axis_sentences(experiment)) lines.push_back(sentence + ".");
  const std::string where = "At " + last_point + ": ";
  for (const std::string& reason : last.reasons) lines.push_back(where + reason);
  add_claims(experiment, lines);
  return with_empty_inputs(experiment, std::move(lines));
}

}  // namespace normbench
