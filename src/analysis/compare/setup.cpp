#include "analysis/compare/setup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/case_analysis.h"
#include "plan/config.h"

namespace normbench {
namespace {

// Memory sizes that differ by less than this share count as equal, because Linux reserves a varying
// amount.
constexpr double kSameMemory = 0.01;

/// Members of an experiment in the config that describe its results and do not affect a run.
constexpr auto kSaidOfResults =
    std::to_array<std::string_view>({"question", "ids", "claims", "published"});

/// A fact, and the function that reads it from a document. The function returns nothing if the
/// document lacks the fact.
struct Fact {
  SetupFact fact;
  std::optional<Json> (*of)(const Results&);
};

std::optional<Json> at(const Json& json, const std::string& pointer) {
  const Json& value = value_at(json, pointer);
  return value.is_null() ? std::nullopt : std::optional(value);
}

/// Returns the GPU's name, or JSON null if the document records that there was no GPU.
std::optional<Json> gpu_name(const Results& results) {
  const Json::json_pointer gpu("/gpu");
  if (results.environment.contains(gpu) && results.environment.at(gpu).is_null())
    return std::optional<Json>(std::in_place);
  return at(results.environment, "/gpu/name");
}

/// Returns the groups whose batches were made smaller so that they fit in memory. [{"large": 128}]
/// means that a group of the experiment "large" has 128 images in its batch.
std::optional<Json> scaled_groups(const Results& results) {
  Json scaled = Json::array();
  for (const GroupResult& group : results.groups)
    if (group.scaled_from > 0) scaled.push_back({{group.experiment, images_of(group)}});
  return scaled;
}

constexpr auto kFacts = std::to_array<Fact>({
    {SetupFact::Host, [](const Results& r) { return at(r.environment, "/host"); }},
    {SetupFact::Gpu, &gpu_name},
    {SetupFact::GpuDriver, [](const Results& r) { return at(r.environment, "/gpu/driver"); }},
    {SetupFact::Cpu, [](const Results& r) { return at(r.environment, "/cpu/model"); }},
    {SetupFact::CpuFeatures, [](const Results& r) { return at(r.environment, "/cpu/flags"); }},
    {SetupFact::CpuCores, [](const Results& r) { return at(r.environment, "/cpu/cores"); }},
    {SetupFact::CpuCaches, [](const Results& r) { return at(r.environment, "/cpu/caches"); }},
    {SetupFact::Threads, [](const Results& r) { return at(r.environment, "/available_threads"); }},
    {SetupFact::InstructionSet, [](const Results& r) { return at(r.environment, "/simd"); }},
    {SetupFact::BuildType, [](const Results& r) { return at(r.tool, "/build"); }},
    {SetupFact::Compiler, [](const Results& r) { return at(r.tool, "/compiler"); }},
    {SetupFact::Sanitizers, [](const Results& r) { return at(r.tool, "/sanitizers"); }},
    {SetupFact::Clock, [](const Results& r) { return std::optional<Json>(name_of(r.clock)); }},
    {SetupFact::Cache, [](const Results& r) { return std::optional<Json>(name_of(r.cache)); }},
    {SetupFact::Quick, [](const Results& r) { return std::optional<Json>(r.quick); }},
    {SetupFact::Traced, [](const Results& r) { return std::optional<Json>(r.traced); }},
    {SetupFact::ScaledDown, &scaled_groups},
    {SetupFact::CompilerFlags, [](const Results& r) { return at(r.tool, "/flags"); }},
    {SetupFact::Kernel, [](const Results& r) { return at(r.environment, "/kernel"); }},
    {SetupFact::Microcode, [](const Results& r) { return at(r.environment, "/cpu/microcode"); }},
    {SetupFact::Governor, [](const Results& r) { return at(r.environment, "/cpu/governor"); }},
    {SetupFact::HugePages,
     [](const Results& r) { return at(r.environment, "/memory/transparent_huge_pages"); }},
    {SetupFact::Memory, [](const Results& r) { return at(r.environment, "/memory/total_bytes"); }},
    {SetupFact::CudaRuntime,
     [](const Results& r) { return at(r.environment, "/gpu/runtime_cuda"); }},
    {SetupFact::PcieGeneration,
     [](const Results& r) { return at(r.environment, "/gpu/pcie/generation"); }},
    {SetupFact::PcieWidth, [](const Results& r) { return at(r.environment, "/gpu/pcie/width"); }},
    {SetupFact::GpuPowerLimit,
     [](const Results& r) { return at(r.environment, "/gpu/power_limit_w"); }},
});

/// Returns the distinct values that `of` finds in a side's documents.
template <class Of>
std::vector<Json> values(const std::vector<Results>& runs, const Of& of) {
  std::vector<Json> distinct;
  for (const Results& results : runs)
    if (std::optional<Json> value = of(results);
        value && std::ranges::find(distinct, *value) == distinct.end())
      distinct.push_back(*std::move(value));
  return distinct;
}

/// Returns true if all values are numbers that differ by less than 1 %.
bool about_the_same(const std::vector<Json>& base, const std::vector<Json>& now) {
  std::vector<double> amounts;
  for (const auto* side : {&base, &now})
    for (const Json& value : *side)
      if (value.is_number()) amounts.push_back(value.get<double>());
  if (amounts.size() < base.size() + now.size()) return false;
  const auto [least, most] = std::ranges::minmax(amounts);
  return most - least < kSameMemory * most;
}

void compare_fact(const Fact& fact, const std::vector<Results>& base,
                  const std::vector<Results>& now, std::vector<SetupDifference>& differences) {
  const auto of_base = values(base, fact.of), of_now = values(now, fact.of);
  if (of_base.empty() || of_now.empty()) return;
  if (of_base.size() == 1 && of_base == of_now) return;
  if (fact.fact == SetupFact::Memory && about_the_same(of_base, of_now)) return;
  differences.push_back({fact.fact, of_base, of_now});
}

/// Returns true if the member `key` does not affect a run: it is free text, or it belongs to an
/// experiment and kSaidOfResults contains it. `pointer` points to the object with the member. The
/// pointer of an experiment, such as "/experiments/0", has two slashes.
bool decides_nothing(const std::string& pointer, const std::string& key) {
  if (is_free_text(key)) return true;
  return std::ranges::count(pointer, '/') == 2 &&
         std::ranges::find(kSaidOfResults, key) != kSaidOfResults.end();
}

void walk(const std::string& pointer, const Json& a, const Json& b,
          std::vector<std::string>& differences) {
  if (a.is_object() && b.is_object()) {
    const auto walk_member = [&](const std::string& key) {
      if (!decides_nothing(pointer, key))
        walk(pointer + '/' + pointer_token(key), a.value(key, Json()), b.value(key, Json()),
             differences);
    };
    for (const auto& [key, value] : a.items()) walk_member(key);
    for (const auto& [key, value] : b.items())
      if (!a.contains(key)) walk_member(key);
  } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      walk(pointer + '/' + std::to_string(i), a[i], b[i], differences);
  } else if (a != b) {
    differences.push_back(pointer);
  }
}

void compare_configs(const std::vector<Results>& base, const std::vector<Results>& now,
                     std::vector<SetupDifference>& differences) {
  std::set<std::string> pointers;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side)
      for (std::string& pointer : config_differences(base[0].config, results.config))
        pointers.insert(std::move(pointer));
  for (const std::string& pointer : pointers) {
    const auto of = [&](const Results& results) {
      return std::optional<Json>(std::in_place, value_at(results.config, pointer));
    };
    differences.push_back({SetupFact::Config, values(base, of), values(now, of), pointer});
  }
}

}  // namespace

std::vector<std::string> config_differences(const Json& a, const Json& b) {
  std::vector<std::string> differences;
  walk("", a, b, differences);
  return differences;
}

std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now) {
  std::vector<SetupDifference> differences;
  for (const Fact& fact : kFacts) compare_fact(fact, base, now, differences);
  // A profiling tool makes times useless, so traced documents must not be compared. If all
  // documents are traced, compare_fact() finds no difference, so one is added here.
  if (std::ranges::all_of(base, &Results::traced) && std::ranges::all_of(now, &Results::traced))
    differences.push_back({SetupFact::Traced, {true}, {true}});
  compare_configs(base, now, differences);
  return differences;
}

bool built_alike(const std::vector<SetupDifference>& differences) {
  using enum SetupFact;
  constexpr std::array of_build{InstructionSet, BuildType, Compiler, Sanitizers, CompilerFlags};
  return std::ranges::none_of(differences, [&](const SetupDifference& difference) {
    return std::ranges::find(of_build, difference.fact) != of_build.end();
  });
}

}  // namespace normbench
