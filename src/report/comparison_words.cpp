#include "report/comparison_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "analysis/compare_gate.h"
#include "analysis/words.h"
#include "core/markdown.h"
#include "core/units.h"
#include "report/document_text.h"

namespace normbench {
namespace {

/// "+8.9", "-0.3", "0.0": a ratio as percent more or less.
std::string signed_percent(double ratio) {
  const double percent = (ratio - 1) * 100;
  if (std::abs(percent) < 0.05) return "0.0";
  return std::abs(percent) >= 9.95 ? fmt::format("{:+.0f}", percent)
                                   : fmt::format("{:+.1f}", percent);
}

std::string side_text(const ComparedSide& side) {
  return fmt::format("{} run{} of {} ({})", side.runs, side.runs == 1 ? "" : "s",
                     text_at(side.tool, "/version", "?"), text_at(side.tool, "/revision", "?"));
}

std::string times_text(const ComparedCase& one) {
  return fmt::format("from {} to {} ms", format_ms(*one.base_ns), format_ms(*one.now_ns));
}

}  // namespace

std::string comparison_summary(const Comparison& comparison) {
  const int failed = count(comparison, Change::Failed);
  const int regressed = count(comparison, Change::Regressed);
  const int left_out = count(comparison, Change::NotCompared);
  const auto doubtful = std::ranges::count_if(comparison.cases, [](const ComparedCase& one) {
    return one.change == Change::Regressed && !one.certain;
  });
  std::string text = failed > 0 ? fmt::format("{} failed, ", failed) : "";
  text += fmt::format("{} regressed", regressed);
  if (doubtful > 0) text += fmt::format(" ({} not beyond doubt)", doubtful);
  text +=
      fmt::format(", {} improved, {} same, {} inconclusive", count(comparison, Change::Improved),
                  count(comparison, Change::Same), count(comparison, Change::Inconclusive));
  if (left_out > 0) text += fmt::format(", {} not compared", left_out);
  return text + fmt::format(" of {} case{}; margin {}", comparison.cases.size(),
                            comparison.cases.size() == 1 ? "" : "s",
                            format_percent(comparison.margin));
}

std::string comparison_setting(const Comparison& comparison) {
  return fmt::format("{} · BASE: {} · NEW: {} · {}{} · margin: {}", on_one_line(comparison.name),
                     side_text(comparison.base), side_text(comparison.now),
                     machine_text(comparison.now.environment),
                     comparison.clock == DecidingClock::Device ? " · device times" : "",
                     comparison.margin_reason);
}

std::string variant_text(const CaseName& name) {
  const std::string point = point_text(name.point);
  return on_one_line(name.variant + (point.empty() ? "" : " (" + point + ")"));
}

std::string case_text(const CaseName& name) {
  return on_one_line(name.experiment) + " / " + variant_text(name);
}

std::string verdict_text(const ComparedCase& one) {
  if (one.change == Change::NotCompared) return "not compared";
  std::string text(name_of(one.change));
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return one.change == Change::Regressed && !one.certain ? text + "?" : text;
}

std::string change_text(const ComparedCase& one) {
  return one.ratio ? signed_percent(one.ratio->value) + " %" : "";
}

std::string interval_text(const ComparedCase& one) {
  return one.visible ? fmt::format("{} to {} %", signed_percent(one.ratio->low),
                                   signed_percent(one.ratio->high))
                     : "";
}

std::string case_sentence(const ComparedCase& one) {
  if (!one.visible) return on_one_line(one.why);
  std::string text = fmt::format("{} (95 %: {}), {}; could have seen {}", change_text(one),
                                 interval_text(one), times_text(one), format_percent(*one.visible));
  if (one.change == Change::Regressed)
    text += fmt::format("; p = {:.2g}{}", one.p_value,
                        one.certain ? "" : ", not beyond doubt over all cases");
  return text;
}

std::string difference_text(const SetupDifference& difference) {
  return on_one_line(
      fmt::format("{}: {} in BASE, {} in NEW", difference.what, difference.base, difference.now));
}

std::vector<std::string> cautions(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const bool forbids : {true, false})
    for (const SetupDifference& difference : comparison.differences)
      if (difference.forbids == forbids)
        texts.push_back((forbids ? "Not comparable, compared by force: " : "Not the same: ") +
                        difference_text(difference));
  for (const std::string& warning : comparison.warnings) texts.push_back("Caution: " + warning);
  return texts;
}

}  // namespace normbench
