/// The trace of a run, and what each of its profiles says.
#pragma once

#include <string>

#include "core/json.h"
#include "document/results.h"
#include "measure/runner.h"
#include "plan/plan.h"
#include "record/clock.h"
#include "trace/model.h"

namespace normbench {

class RunTrace {
 public:
  /// A trace that begins now, of this process and of the device that `environment` describes.
  RunTrace(const Plan& plan, const Json& environment, Clock& clock);

  /// Adds a profile and fills in its rows, times and losses.
  void add(const ProfileTrace& profile, CaseProfile& result);

  /// The finished trace, of which this was the last. `no_cupti`: why device times do not come from
  /// there, or "".
  TraceModel finish(const std::string& no_cupti);

 private:
  TraceModel empty_;  // what the trace of one profile alone begins with too
  TraceModel all_;
  bool by_shape_;
};

}  // namespace normbench
