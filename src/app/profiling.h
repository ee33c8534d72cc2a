/// The profile pass of a run: attached tools, the source of device times, and the trace.
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

/// An external profiler or checker, such as Nsight Systems or compute-sanitizer, that is attached
/// to this process.
struct AttachedTool {
  std::string name;         // like "Nsight Systems"
  bool takes_cupti = true;  // it traces CUDA through CUPTI, which this process must then not use
};

/// Returns the attached tool, recognised by environment variables that it sets for the programs it
/// starts. A tool that uses only NVTX counts only if NVTX has loaded it. Returns nothing if no tool
/// is attached.
std::optional<AttachedTool> attached_tool();

/// Returns CUPTI's tracer if the environment has a GPU and no tool that needs CUPTI itself; else
/// null.
std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool);

/// Returns a sentence on why the device times of profiles are not CUPTI's. Returns "" if they are,
/// or if there are none. `untraced` is why the tracer was not used or gave up, or "".
std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced);

/// The trace of a run. Adding a profile to the trace also fills in the results of that profile.
class RunTrace {
 public:
  /// Begins a trace of this process and of the device that `environment` describes. The trace
  /// starts at the current time.
  RunTrace(const Plan& plan, const Json& environment, Clock& clock);

  /// Adds a profile to the trace, and fills in the rows, times and losses of `result`.
  void add(const ProfileTrace& profile, CaseProfile& result);

  /// Finishes the trace; call this last. `no_cupti` is why device times are not CUPTI's, or "".
  TraceModel finish(const std::string& no_cupti);

 private:
  TraceModel empty_;  // the trace of a single profile starts as a copy of it
  TraceModel all_;
  bool by_shape_;
};

}  // namespace normbench
