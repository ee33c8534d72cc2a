#include "analysis/compare_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/compare_config.h"

namespace normbench {
namespace {

/// One thing that documents say of how they came about; null where one does not say it.
struct Fact {
  std::string_view name;
  bool forbids;
  Json (*of)(const Results&);
};

Json at(const Json& json, const std::string& pointer) {
  const Json::json_pointer where(pointer);
  return json.contains(where) ? json.at(where) : Json();
}

/// "none" where the document says that there was no GPU.
Json gpu_name(const Results& results) {
  if (!results.environment.contains("gpu")) return {};
  return results.environment["gpu"].is_null() ? Json("none") : at(results.environment, "/gpu/name");
}

constexpr auto kFacts = std::to_array<Fact>({
    {"GPU", true, &gpu_name},
    {"GPU driver", true, [](const Results& r) { return at(r.environment, "/gpu/driver"); }},
    {"CPU", true, [](const Results& r) { return at(r.environment, "/cpu/model"); }},
    {"CPU features", true, [](const Results& r) { return at(r.environment, "/cpu/flags"); }},
    {"CPU cores", true, [](const Results& r) { return at(r.environment, "/cpu/cores"); }},
    {"CPU caches", true, [](const Results& r) { return at(r.environment, "/cpu/caches"); }},
    {"threads", true, [](const Results& r) { return at(r.environment, "/available_threads"); }},
    {"instruction set", true, [](const Results& r) { return at(r.environment, "/simd"); }},
    {"build type", true, [](const Results& r) { return at(r.tool, "/build"); }},
    {"compiler", true, [](const Results& r) { return at(r.tool, "/compiler"); }},
    {"sanitizers", true, [](const Results& r) { return at(r.tool, "/sanitizers"); }},
    {"clock", true, [](const Results& r) { return Json(name_of(r.clock)); }},
    {"cache", true, [](const Results& r) { return Json(name_of(r.cache)); }},
    {"quick", true, [](const Results& r) { return Json(r.quick); }},
    {"traced", true, [](const Results& r) { return Json(r.traced); }},
    {"compiler flags", false, [](const Results& r) { return at(r.tool, "/flags"); }},
    {"host", false, [](const Results& r) { return at(r.environment, "/host"); }},
    {"kernel", false, [](const Results& r) { return at(r.environment, "/kernel"); }},
    {"microcode", false, [](const Results& r) { return at(r.environment, "/cpu/microcode"); }},
    {"governor", false, [](const Results& r) { return at(r.environment, "/cpu/governor"); }},
    {"huge pages", false,
     [](const Results& r) { return at(r.environment, "/memory/transparent_huge_pages"); }},
    {"memory", false, [](const Results& r) { return at(r.environment, "/memory/total_bytes"); }},
    {"CUDA runtime", false,
     [](const Results& r) { return at(r.environment, "/gpu/runtime_cuda"); }},
    {"PCIe generation", false,
     [](const Results& r) { return at(r.environment, "/gpu/pcie/generation"); }},
    {"PCIe width", false, [](const Results& r) { return at(r.environment, "/gpu/pcie/width"); }},
    {"GPU power limit", false,
     [](const Results& r) { return at(r.environment, "/gpu/power_limit_w"); }},
});

/// The distinct values that a side's documents give for a fact.
std::vector<Json> values(const Fact& fact, const std::vector<Results>& runs) {
  std::vector<Json> distinct;
  for (const Results& results : runs)
    if (Json value = fact.of(results);
        !value.is_null() && std::ranges::find(distinct, value) == distinct.end())
      distinct.push_back(std::move(value));
  return distinct;
}

/// The items of a list that the other list lacks: "also avx512f, amx_tile", or "no more".
std::string more_than(const Json& list, const Json& other) {
  std::vector<std::string> items;
  for (const Json& item : list)
    if (std::ranges::find(other, item) == other.end()) items.push_back(value_text(item));
  return items.empty() ? "no more" : fmt::format("also {}", fmt::join(items, ", "));
}

/// "a or b"; "absent" for what is not there.
std::string joined(const std::vector<Json>& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(value_text(value));
  return fmt::format("{}", fmt::join(texts, " or "));
}

void compare_fact(const Fact& fact, const std::vector<Results>& base,
                  const std::vector<Results>& now, std::vector<SetupDifference>& differences) {
  const auto of_base = values(fact, base), of_now = values(fact, now);
  if (of_base.empty() || of_now.empty()) return;
  if (of_base.size() == 1 && of_base == of_now) return;
  SetupDifference difference{.what = std::string(fact.name),
                             .base = joined(of_base),
                             .now = joined(of_now),
                             .forbids = fact.forbids};
  if (of_base.size() == 1 && of_now.size() == 1 && of_base[0].is_array() && of_now[0].is_array()) {
    difference.base = more_than(of_base[0], of_now[0]);
    difference.now = more_than(of_now[0], of_base[0]);
  }
  differences.push_back(std::move(difference));
}

/// What a side's configs hold at a pointer.
std::string config_values(const std::string& pointer, const std::vector<Results>& runs) {
  std::vector<Json> distinct;
  for (const Results& results : runs)
    if (Json value = at(results.config, pointer);
        std::ranges::find(distinct, value) == distinct.end())
      distinct.push_back(std::move(value));
  return joined(distinct);
}

void compare_configs(const std::vector<Results>& base, const std::vector<Results>& now,
                     std::vector<SetupDifference>& differences) {
  std::set<std::string> pointers;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side)
      for (std::string& pointer : config_differences(base[0].config, results.config))
        pointers.insert(std::move(pointer));
  for (const std::string& pointer : pointers)
    differences.push_back({.what = "config " + pointer,
                           .base = config_values(pointer, base),
                           .now = config_values(pointer, now),
                           .forbids = true});
}

/// Under a profiling tool nothing is ranked, so nothing is compared either.
bool all_traced(const std::vector<Results>& base, const std::vector<Results>& now) {
  return std::ranges::all_of(base, &Results::traced) && std::ranges::all_of(now, &Results::traced);
}

}  // namespace

std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now) {
  std::vector<SetupDifference> differences;
  for (const Fact& fact : kFacts) compare_fact(fact, base, now, differences);
  if (all_traced(base, now))
    differences.push_back({.what = "traced", .base = "true", .now = "true", .forbids = true});
  compare_configs(base, now, differences);
  return differences;
}

}  // namespace normbench
