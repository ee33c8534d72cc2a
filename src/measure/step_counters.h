/// What the profile pass counts over its recorded steps.
#pragma once

#include <optional>
#include <string>

#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "document/results.h"
#include "measure/runner.h"

namespace normbench {

/// Counts steps one by one, and energy over each stretch of steps that follow one another. Make it
/// when all threads have been started. Never throws: what cannot be counted says why.
class StepCounters {
 public:
  StepCounters(const RunContext& context, bool uses_gpu);

  /// Around a recorded step, which may be the first or the last of a stretch.
  void begin(bool first);
  void end(bool last);

  ProfileCounters counters() const;

 private:
  Clock& clock_;
  std::optional<HardwareCounters> hardware_;
  std::optional<EnergyMeter> energy_;
  Counters software_, at_begin_;
  std::int64_t stretch_start_ns_ = 0;
};

}  // namespace normbench
