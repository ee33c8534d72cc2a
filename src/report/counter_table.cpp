#include <fmt/format.h>

#include <cmath>
#include <set>

#include "analysis/per_image.h"
#include "core/units.h"
#include "report/group_tables.h"
#include "report/rows.h"
#include "report/text.h"

namespace normbench {

namespace {

/// "12,345", "0.25"; "" for what was not counted.
std::string number_text(const std::optional<double>& value) {
  if (!value) return "";
  const bool whole = *value >= 100 || *value == std::round(*value);
  return whole ? format_count(std::llround(*value)) : format_significant(*value, 3);
}

std::string per_step(std::int64_t count, const CaseProfile& profile) {
  return number_text(static_cast<double>(count) / static_cast<double>(profile.steps));
}

const CaseResult* result_of(const GroupResult& group, const std::string& variant) {
  for (const CaseResult& result : group.cases)
    if (result.variant == variant) return &result;
  return nullptr;
}

std::vector<std::string> row(const CaseResult& result, const CaseProfile& profile) {
  const Counters& software = profile.counters->software;
  const Counted counted = counted_per_image(result, profile);
  return {profile.variant,
          per_step(software.minor_faults, profile),
          per_step(software.major_faults, profile),
          per_step(software.voluntary_switches, profile),
          per_step(software.involuntary_switches, profile),
          number_text(counted.instructions_per_cycle),
          number_text(counted.cycles),
          number_text(counted.cache_misses),
          number_text(counted.joules)};
}

/// One line per reason, however many variants it is true of.
std::string missing_lines(const GroupResult& group) {
  std::set<std::string> reasons;
  for (const CaseProfile& profile : group.profile) {
    if (!profile.counters) continue;
    if (const std::string& why = profile.counters->hardware_missing; !why.empty())
      reasons.insert("no cycles, instructions, LLC misses: " + why);
    if (const std::string& why = profile.counters->energy_missing; !why.empty())
      reasons.insert(
          (profile.counters->gpu_joules ? "joules are of the GPU alone: " : "no joules: ") + why);
  }
  std::string text;
  for (const std::string& reason : reasons) text += wrapped(reason, 2);
  return text;
}

}  // namespace

std::string counter_table(const GroupResult& group) {
  Rows rows({"variant", "faults/step", "major", "switches/step", "forced", "IPC", "cycles/image",
             "LLC misses/image", "J/image"});
  for (const CaseProfile& profile : group.profile) {
    const CaseResult* const result = result_of(group, profile.variant);
    if (profile.counters && profile.steps > 0 && result != nullptr) rows.add(row(*result, profile));
  }
  return rows.text({0}) + missing_lines(group);
}

}  // namespace normbench
