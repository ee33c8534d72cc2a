#include "report/comparison.h"

#include <algorithm>
#include <array>

#include "analysis/compare/effect.h"
#include "report/comparison_words.h"
#include "report/document_text.h"

namespace normbench {
namespace {

constexpr std::array<ComparisonReport, 5> kComparisonReports{{
    {"text", "a table for people", &comparison_text},
    {"markdown", "a comment for a pull request", &on_any_screen<Comparison, &comparison_markdown>},
    {"html", "a page to look at", &on_any_screen<Comparison, &comparison_html>},
    {"json", "everything, for programs", &on_any_screen<Comparison, &comparison_json>},
    {"junit", "test results, as CI systems read them",
     &on_any_screen<Comparison, &comparison_junit>},
}};

Json named(const CaseName& name) {
  return {{"experiment", name.experiment}, {"point", name.point}, {"variant", name.variant}};
}

Json json_names(const std::vector<CaseName>& cases) {
  Json list = Json::array();
  for (const CaseName& name : cases) list.push_back(named(name));
  return list;
}

struct ToJson {
  Json operator()(const RunBy& by) const { return run_by_text(by); }
  Json operator()(Status status) const { return name_of(status); }
  Json operator()(auto number) const { return number; }
};

Json finding(const CaseFinding& one) {
  return {{"kind", name_of(one.kind)},
          {"base", std::visit(ToJson{}, one.base)},
          {"new", std::visit(ToJson{}, one.now)},
          {"text", finding_text(one)}};
}

/// Returns a ratio with its interval as JSON. If `covered` is false, there are too few pairs of
/// runs or rounds for an interval, and "low" and "high" are null.
Json ratio_json(const std::optional<Interval>& ratio, bool covered) {
  if (!ratio) return {};
  return {{"value", finite(ratio->value)},
          {"low", covered ? finite(ratio->low) : Json()},
          {"high", covered ? finite(ratio->high) : Json()}};
}

Json compared(const ComparedCase& one) {
  Json json = named(one.name);
  json["verdict"] = name_of(one.change);
  json["certain"] = one.certain;
  json["base_ns"] = finite(one.base_ns);
  json["new_ns"] = finite(one.now_ns);
  json["ratio"] = ratio_json(one.ratio, one.visible.has_value());
  json["ratio_over_limits"] = ratio_json(one.over_limits, one.visible.has_value());
  const bool has_times = one.ratio && one.base_ns && one.now_ns;
  json["ratio_of_medians"] = has_times ? finite(*one.now_ns / *one.base_ns) : Json();
  json["visible"] = finite(one.visible);
  json["drift"] = finite(one.drift);
  json["p_value"] = one.visible ? finite(one.p_value) : Json();
  json["replicates"] = one.replicates;
  json["why"] = why_text(one);
  json["findings"] = Json::array();
  for (const CaseFinding& found : one.findings) json["findings"].push_back(finding(found));
  return json;
}

Json side(const ComparedSide& of) {
  return {{"runs", of.runs}, {"tool", of.tool}, {"environment", of.environment}};
}

Json summary(const Comparison& comparison) {
  Json json = {{"cases", comparison.cases.size()}};
  for (const auto& word : words(Change{}))
    json[std::string(word.name)] = count(comparison, word.value);
  json["fails_gate"] = std::ranges::count_if(comparison.cases, &ComparedCase::fails_gate);
  return json;
}

}  // namespace

std::span<const ComparisonReport> comparison_reports() { return kComparisonReports; }

const ComparisonReport& comparison_report_named(std::string_view name) {
  const auto at = std::ranges::find(kComparisonReports, name, &ComparisonReport::name);
  if (at != kComparisonReports.end()) return *at;
  std::vector<std::string> known;
  for (const ComparisonReport& report : kComparisonReports) known.emplace_back(report.name);
  throw Invalid(unknown_of("format", name, known));
}

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"schema", 1},
               {"kind", "comparison"},
               {"name", comparison.name},
               {"clock", name_of(comparison.clock)},
               {"gate", name_of(gate(comparison))},
               {"base", side(comparison.base)},
               {"new", side(comparison.now)},
               {"pairs", comparison.pairs},
               {"pairs_needed", kFewestPairs},
               {"replicates", comparison.run_pairs ? "runs" : "rounds"},
               {"margin", finite(comparison.margin.value)},
               {"margin_reason", margin_reason(comparison.margin)},
               {"summary", summary(comparison)},
               {"differences", Json::array()},
               {"warnings", Json::array()},
               {"cases", Json::array()},
               {"base_only", json_names(comparison.base_only)},
               {"new_only", json_names(comparison.new_only)}};
  for (const SetupDifference& one : comparison.differences) {
    const auto [what, base, now] = difference_text(one);
    json["differences"].push_back(
        {{"what", what}, {"base", base}, {"new", now}, {"forbids", one.forbids()}});
  }
  for (const Caution& caution : comparison.cautions)
    json["warnings"].push_back(caution_text(caution));
  for (const ComparedCase& one : comparison.cases) json["cases"].push_back(compared(one));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace normbench
