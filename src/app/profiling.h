/// The profile pass of a run: other tools attached, the source of device times, and the trace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/json.h"
#include "document/results.h"
#include "plan/plan.h"
#include "record/clock.h"
#include "record/device_trace.h"
#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// A profiler or checker that others made.
struct AttachedTool {
  std::string name;         // "Nsight Systems"
  bool takes_cupti = true;  // it traces CUDA itself: our tracing would displace or disturb it
};

/// The attached tool, by variables that such tools set for programs they start; nothing without
/// one, or when NVTX cannot load it.
std::optional<AttachedTool> attached_tool();

/// CUPTI's tracer where the environment has a GPU and no tool that needs CUPTI itself; else null.
std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool);

/// A sentence on why a profile's device times are not CUPTI's; "" when they are or there are none.
/// `untraced` is what an attached tracer says.
std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced);

/// The trace of a run. It also fills in the profiles' results.
class RunTrace {
 public:
  /// A trace that begins now, of this process and of the device that `environment` describes.
  RunTrace(const Plan& plan, const Json& environment, Clock& clock);

  /// Adds a profile, and fills in its rows, times and losses.
  void add(const ProfileTrace& profile, CaseProfile& result);

  /// Finishes the trace; call this last. `no_cupti`: why device times are not CUPTI's, or "".
  TraceModel finish(const std::string& no_cupti);

 private:
  TraceModel empty_;  // what each profile's own trace begins with, too
  TraceModel all_;
  bool by_shape_;
};

}  // namespace normbench
