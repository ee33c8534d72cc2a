#include "analysis/per_image.h"

#include <algorithm>

#include "analysis/case_analysis.h"

namespace normbench {

namespace {

/// Packages and GPU together; one of them alone where the other has no meter.
std::optional<double> joules(const ProfileCounters& counters) {
  if (!counters.cpu_joules && !counters.gpu_joules) return std::nullopt;
  return counters.cpu_joules.value_or(0) + counters.gpu_joules.value_or(0);
}

}  // namespace

std::optional<double> cpu_seconds_per_image(const CaseResult& result) {
  if (!measured(result) || result.images <= 0) return std::nullopt;
  const double images = static_cast<double>(result.iterations * result.images);
  const auto is_told = [](const Round& round) { return round.cpu_ns > 0; };
  if (!result.peer.empty() && std::ranges::none_of(result.rounds, is_told)) return std::nullopt;
  std::vector<double> seconds;
  for (const Round& round : result.rounds)
    seconds.push_back(static_cast<double>(round.cpu_ns) / images / 1e9);
  return median(std::move(seconds));
}

Counted counted_per_image(const CaseResult& result, const CaseProfile& profile) {
  const double images = static_cast<double>(profile.steps * result.images);
  if (!profile.counters || images <= 0) return {};
  const ProfileCounters& counters = *profile.counters;
  Counted counted;
  if (counters.cycles) counted.cycles = static_cast<double>(*counters.cycles) / images;
  if (counters.cache_misses)
    counted.cache_misses = static_cast<double>(*counters.cache_misses) / images;
  if (counters.instructions && counters.cycles.value_or(0) > 0)
    counted.instructions_per_cycle =
        static_cast<double>(*counters.instructions) / static_cast<double>(*counters.cycles);
  if (const auto used = joules(counters)) counted.joules = *used / images;
  return counted;
}

const CaseProfile* find_profile(const GroupResult& group, const std::string& variant) {
  const auto at = std::ranges::find(group.profile, variant, &CaseProfile::variant);
  return at == group.profile.end() ? nullptr : &*at;
}

}  // namespace normbench
