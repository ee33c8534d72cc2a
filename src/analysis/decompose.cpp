#include "analysis/decompose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/case_analysis.h"
#include "analysis/cause.h"
#include "analysis/factors.h"
#include "analysis/pairs.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

/// Some of the factors, and two cases that differ in just these.
struct Step {
  std::vector<Factor> factors;
  int from = 0, to = 0;
};

bool all_among(const std::vector<Factor>& some, const std::vector<Factor>& all) {
  return std::ranges::all_of(
      some, [&](const Factor& factor) { return std::ranges::find(all, factor) != all.end(); });
}

/// The way from `a` to `b` over a case between them, on which each factor changes once and one
/// changes alone; empty when no measured case allows that.
std::vector<Step> way(const GroupResult& group, int a, int b, const std::vector<Factor>& all) {
  for (int c = 0; c < static_cast<int>(group.cases.size()); ++c) {
    if (c == a || c == b || !measured(group.cases[c])) continue;
    Step first{factors(group.cases[a], group.cases[c]), a, c};
    Step second{factors(group.cases[c], group.cases[b]), c, b};
    const std::size_t least = std::min(first.factors.size(), second.factors.size());
    if (least == 1 && first.factors.size() + second.factors.size() == all.size() &&
        all_among(first.factors, all) && all_among(second.factors, all))
      return {first, second};
  }
  return {};
}

std::int64_t fresh_outputs(const CaseResult& result) {
  return std::ranges::count(result.stages, name_of(OutputPolicy::Fresh), &StageResult::output);
}

std::string plural(std::int64_t count, const std::string& noun) {
  return fmt::format("{} more {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

/// What was counted of a step that makes a case slower by where it writes: ": 1 more fresh buffer,
/// 24,577 more page faults = 95 % of it", or "".
std::string faults_added(const GroupResult& group, const Step& step, const Results& results) {
  const CaseResult &from = group.cases[step.from], &to = group.cases[step.to];
  const std::int64_t buffers = fresh_outputs(to) - fresh_outputs(from);
  const double faults = faults_per_iteration(to) - faults_per_iteration(from);
  const double slower = median_ns(to, results) - median_ns(from, results);
  if (!only_outputs(step.factors) || buffers <= 0 || faults < 1 || slower <= 0) return "";
  const std::string text = fmt::format(": {}, {}", plural(buffers, "fresh buffer"),
                                       plural(std::llround(faults), "page fault"));
  const auto cost = fault_cost(group, step.to, results);
  if (!cost) return text;
  return text +
         fmt::format(" = {} of it", format_percent(std::min(1.0, cost->cost_ns * faults / slower)));
}

/// "constants", "ops and outputs together".
std::string names(const Step& step) {
  std::vector<std::string> list;
  for (const Factor& factor : step.factors) list.push_back(factor.name);
  return enumerate(list) + (list.size() > 1 ? " together" : "");
}

/// The parts that the two steps have in the difference; "" without rounds enough.
std::string shares(const GroupResult& group, const GroupAnalysis& analysis,
                   const std::vector<Step>& steps, const Results& results) {
  std::vector<std::string> seen, unseen;
  for (const Step& step : steps) {
    const auto pair = pair_of(analysis.pairs, step.to, step.from);
    if (!pair || !pair->covered) return "";
    if (pair->different)
      seen.push_back(fmt::format("{} ({}{})", names(step), factor(pair->ratio.value),
                                 faults_added(group, step, results)));
    else
      unseen.push_back(fmt::format("{}{} at most {}", names(step),
                                   step.factors.size() > 1 ? "" : " alone",
                                   format_percent(widest_difference(*pair))));
  }
  std::string text = seen.empty() ? "" : "it comes from " + enumerate(seen);
  if (!unseen.empty())
    text += fmt::format("{}{}", text.empty() ? "of it " : ", ", enumerate(unseen));
  return text;
}

}  // namespace

std::string caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                   const Results& results) {
  const auto pair = pair_of(analysis.pairs, a, b);
  if (!pair) return "";
  // Told from the faster to the slower, so that what costs time has a share above 1.
  if (pair->ratio.value > 1) std::swap(a, b);
  const std::vector<Factor> all = factors(group.cases[a], group.cases[b]);
  if (all.size() < 2) return "";
  const std::string text =
      fmt::format("but they differ in {} factors: {}", all.size(), factor_names(all));
  const std::string parts = shares(group, analysis, way(group, a, b, all), results);
  return parts.empty() ? text : text + "; " + parts;
}

}  // namespace normbench
