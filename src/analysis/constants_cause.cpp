#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes.h"
#include "analysis/per_image.h"
#include "analysis/twin.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kConstantsShare = 0.2;  // of the time: below this they explain nothing

double part(std::int64_t own_ns, std::int64_t all_ns) {
  return all_ns > 0 ? static_cast<double>(own_ns) / static_cast<double>(all_ns) : 0;
}

/// The part of the profiled time that ranges of this name took: of the host's time, or of the
/// steps' on a device, whichever is more. The calls inside them are theirs, and so is the device's
/// time from the first to the last work that they submitted.
double profiled_share(const Subject& subject, const std::string& name) {
  const CaseProfile* const profile = find_profile(subject.group, subject.result().variant);
  if (profile == nullptr) return 0;
  std::int64_t total_ns = 0, host_ns = 0, device_ns = 0;
  for (const ProfileRow& row : profile->rows) {
    total_ns += row.self_cpu_ns;
    if (row.name != name) continue;
    host_ns += row.cpu_ns;
    if (row.place != Place::Cpu) device_ns += row.device_ns;
  }
  return std::max(part(host_ns, total_ns), part(device_ns, profile->times.wall_ns));
}

bool caches_constants(std::span<const Factor> factors) {
  const Factor* constants = only_factor(factors, "constants");
  return constants != nullptr && constants->left == name_of(Constants::PerCall);
}

}  // namespace

Cause constants_cause(const Subject& subject) {
  if (const auto cached = twin(subject, caches_constants)) {
    if (!cached->faster || cached->share < kConstantsShare) return {};
    return {"constants",
            fmt::format("constants. Preparing them on every call takes {} of its time; cached, the "
                        "same ops take {} ms.",
                        format_percent(cached->share), format_ms(cached->time_ns)),
            cached->share, true};
  }
  const double share = profiled_share(subject, "constants");
  if (share < kConstantsShare) return {};
  return {"constants",
          fmt::format("constants. Preparing them on every call takes {} of its time (profiled).",
                      format_percent(share)),
          share};
}

}  // namespace normbench
