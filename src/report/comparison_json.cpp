#include <cmath>

#include "analysis/compare_gate.h"
#include "core/json.h"
#include "report/comparison.h"

namespace normbench {
namespace {

/// Documents hold finite numbers only.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json named(const CaseName& name) {
  return {{"experiment", name.experiment}, {"point", name.point}, {"variant", name.variant}};
}

Json names(const std::vector<CaseName>& cases) {
  Json list = Json::array();
  for (const CaseName& name : cases) list.push_back(named(name));
  return list;
}

Json finding(const CaseFinding& one) {
  return {{"kind", one.kind}, {"base", one.base}, {"new", one.now}, {"text", one.text}};
}

Json ratio(const ComparedCase& one) {
  if (!one.ratio) return {};
  Json json = {{"value", number(one.ratio->value)}};
  // Without replicates enough the extremes are no interval.
  json["low"] = one.visible ? number(one.ratio->low) : Json();
  json["high"] = one.visible ? number(one.ratio->high) : Json();
  return json;
}

Json compared(const ComparedCase& one) {
  Json json = named(one.name);
  json["verdict"] = name_of(one.change);
  json["certain"] = one.certain;
  json["base_ns"] = number(one.base_ns);
  json["new_ns"] = number(one.now_ns);
  json["ratio"] = ratio(one);
  json["visible"] = number(one.visible);
  json["p_value"] = one.visible ? number(one.p_value) : Json();
  json["replicates"] = one.replicates;
  json["why"] = one.why;
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
  int certain = 0;
  for (const ComparedCase& one : comparison.cases) certain += one.certain ? 1 : 0;
  json["certain"] = certain;
  return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"schema", 1},
               {"kind", "comparison"},
               {"name", comparison.name},
               {"clock", name_of(comparison.clock)},
               {"gate", name_of(gate(comparison))},
               {"base", side(comparison.base)},
               {"new", side(comparison.now)},
               {"pairs", comparison.pairs},
               {"replicates", comparison.run_pairs ? "runs" : "rounds"},
               {"margin", number(comparison.margin)},
               {"margin_reason", comparison.margin_reason},
               {"summary", summary(comparison)},
               {"differences", Json::array()},
               {"warnings", comparison.warnings},
               {"cases", Json::array()},
               {"base_only", names(comparison.base_only)},
               {"new_only", names(comparison.new_only)}};
  for (const SetupDifference& one : comparison.differences)
    json["differences"].push_back(
        {{"what", one.what}, {"base", one.base}, {"new", one.now}, {"forbids", one.forbids}});
  for (const ComparedCase& one : comparison.cases) json["cases"].push_back(compared(one));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace normbench
