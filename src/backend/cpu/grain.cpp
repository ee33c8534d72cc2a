#include "backend/cpu/grain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/units.h"

namespace normbench {
namespace {

constexpr double kMargin = 1.25;
constexpr double kTooMany = 0x1p62;  // bytes

std::string microseconds(double ns) { return format_significant(ns / 1e3, 2) + " us"; }

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

/// "a team of 2 pays from 1.2 MB on".
std::string pays_from(int threads, const TeamCosts& costs, bool awake) {
  return fmt::format("a team of {} pays from {} on", threads,
                     bytes_text(grain_bytes(threads, costs, awake)));
}

std::string rates_text(const TeamCosts& costs) {
  return fmt::format("One thread moves {} GB/s within {}, {} GB/s beyond.",
                     format_significant(costs.cached_bytes_per_ns, 2),
                     bytes_text(costs.cache_bytes),
                     format_significant(costs.uncached_bytes_per_ns, 2));
}

}  // namespace

std::int64_t grain_bytes(int threads, const TeamCosts& costs, bool awake) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  if (threads <= 1) return never;
  const double ns = kMargin * (awake ? costs.awake_ns : costs.asleep_ns) / (1 - 1.0 / threads);
  const double cached = std::ceil(ns * costs.cached_bytes_per_ns);
  if (cached <= static_cast<double>(costs.cache_bytes)) return static_cast<std::int64_t>(cached);
  const double uncached = std::ceil(ns * costs.uncached_bytes_per_ns);
  if (!(uncached < kTooMany)) return never;
  return std::max(costs.cache_bytes + 1, static_cast<std::int64_t>(uncached));
}

std::string grain_text(int threads, const TeamCosts& costs) {
  if (threads <= 1) return "one thread, no team";
  if (std::isinf(costs.awake_ns)) return fmt::format("OpenMP gives no team of {}", threads);
  if (std::isinf(costs.loop_ns))
    return fmt::format("{}: start and join cost {}, its threads never sleep. {}",
                       pays_from(threads, costs, true), microseconds(costs.awake_ns),
                       rates_text(costs));
  return fmt::format(
      "{} within {} ms of the last, while its threads wait in a loop, from {} on after that: start "
      "and join cost {} awake, {} asleep. Work between the two wakes them where it comes often. {}",
      pays_from(threads, costs, true), format_significant(costs.loop_ns / 1e6, 2),
      bytes_text(grain_bytes(threads, costs, false)), microseconds(costs.awake_ns),
      microseconds(costs.asleep_ns), rates_text(costs));
}

TeamChoice::TeamChoice(int threads, const TeamCosts& costs)
    : threads_(threads),
      costs_(costs),
      awake_grain_(grain_bytes(threads, costs, true)),
      asleep_grain_(grain_bytes(threads, costs, false)) {}

}  // namespace normbench
