/// What a run needs for its profile pass, which records a few iterations of each case after the
/// measurements: attached tools, the source of device times, and the trace.
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
  bool takes_cupti = true;  // the tool uses CUPTI, so this process must not use it
};

/// Returns the tool that is attached to this process, or nothing. A tool is recognised by the
/// environment variables that it sets for the programs that it starts. If only
/// NVTX_INJECTION64_PATH is set, there is a tool only if NVTX has loaded the library at that path.
std::optional<AttachedTool> attached_tool();

/// Returns a tracer that records device work by CUPTI. Returns null if `environment` has no GPU, or
/// if `tool` uses CUPTI itself.
std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool);

/// Returns the reason why device times come from CUDA events instead of CUPTI. Returns "" if no
/// profile has device times from CUDA events. `untraced` is the reason why CUPTI's tracer was not
/// used or gave up, or "".
std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced);

/// The trace of a run: the recordings of all profiled cases.
class RunTrace {
 public:
  /// Begins a trace of this process and of the device that `environment` describes. The trace
  /// starts at the current time.
  RunTrace(const Plan& plan, const Json& environment, Clock& clock);

  /// Adds the recording of one case to the trace. Also sets three members of `result`: `rows` (the
  /// rows of the profiler table), `times`, and `losses` (the counts of lost records).
  void add(const ProfileTrace& profile, CaseProfile& result);

  /// Finishes the trace; call this last. `no_cupti` is the result of why_not_cupti().
  TraceModel finish(const std::string& no_cupti);

 private:
  TraceModel empty_;  // add() copies it to begin the trace of one profile
  TraceModel all_;
  bool by_shape_;
};

}  // namespace normbench
