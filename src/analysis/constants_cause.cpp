#include <fmt/format.h>

#include "analysis/causes.h"
#include "analysis/twin.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kConstantsShare = 0.2;  // of the time: below this they explain nothing

/// The part of the profiled time that ranges of this name took themselves.
double profiled_share(const Subject& subject, const std::string& name) {
  double total = 0, own = 0;
  for (const CaseProfile& profile : subject.group.profile) {
    if (profile.variant != subject.result().variant) continue;
    for (const ProfileRow& row : profile.rows) {
      total += static_cast<double>(row.self_cpu_ns);
      if (row.name == name) own += static_cast<double>(row.self_cpu_ns);
    }
  }
  return total > 0 ? own / total : 0;
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
