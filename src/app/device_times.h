/// Where the times of device work come from, and why not from CUPTI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/tool_attached.h"
#include "core/json.h"
#include "document/results.h"
#include "record/device_trace.h"

namespace normbench {

/// CUPTI where the environment has a GPU and no tool that needs it for itself; else null.
std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool);

/// One sentence when a profile has device times that CUPTI did not give, else "". `untraced` is
/// what a tracer that was there says.
std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced);

}  // namespace normbench
