/// The profile pass of a run: other tools attached, the source of device times, and the trace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/json.h"
#include "document/results.h"
#include "measure/runner.h"
#include "plan/plan.h"
#include "record/clock.h"
#include "record/device_trace.h"
#include "trace/model.h"

namespace normbench {

/// A profiler or checker of others.
struct AttachedTool {
  std::string name;         // "Nsight Systems"
  bool takes_cupti = true;  // it traces CUDA itself: ours would take its place, or disturb it
};

/// The tool, by the environment that such tools give to what they start; nothing without one, or
/// when NVTX cannot load the one that is asked for.
std::optional<AttachedTool> attached_tool();

/// CUPTI where the environment has a GPU and no tool that needs it for itself; else null.
std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool);

/// One sentence when a profile has device times that CUPTI did not give, else "". `untraced` is
/// what a tracer that was there says.
std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced);

/// The trace of a run, and what each of its profiles says.
class RunTrace {
 public:
  /// A trace that begins now, of this process and of the device that `environment` describes.
  RunTrace(const Plan& plan, const Json& environment, Clock& clock);

  /// Adds a profile and fills in its rows, times and losses.
  void add(const ProfileTrace& profile, CaseProfile& result);

  /// The finished trace; call this last. `no_cupti`: why device times are not CUPTI's, or "".
  TraceModel finish(const std::string& no_cupti);

 private:
  TraceModel empty_;  // what the trace of one profile alone begins with too
  TraceModel all_;
  bool by_shape_;
};

}  // namespace normbench
