#include "app/device_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/cupti/cupti.h"

namespace normbench {
namespace {

std::string with_consequence(const std::string& why) {
  const std::string consequence = ": device times come from CUDA events";
  return why.ends_with(consequence) ? why : why + consequence;
}

}  // namespace

std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool) {
  if (!environment.at("gpu").is_object() || (tool && tool->takes_cupti)) return nullptr;
  return make_cupti_tracer();
}

std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced) {
  const bool any = std::ranges::any_of(results.groups, [](const GroupResult& group) {
    return std::ranges::any_of(group.profile, [](const CaseProfile& profile) {
      return profile.device_times == DeviceTimes::CudaEvents;
    });
  });
  if (!any) return "";
  if (tool && tool->takes_cupti)
    return with_consequence(fmt::format("{} is attached and has CUPTI", tool->name));
  return with_consequence(untraced.empty() ? "CUPTI was not used when profiles were kept"
                                           : untraced);
}

}  // namespace normbench
