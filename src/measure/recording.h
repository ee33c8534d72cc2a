/// Records and counts around the steps of the profile pass.
#pragma once

#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "measure/device_tracing.h"
#include "measure/run_context.h"

namespace normbench {

/// The recorder and the tracer record from the construction of this object until stop() or its
/// destruction.
class Recording {
 public:
  /// `tracing` is null if no tracer takes part.
  Recording(Recorder& recorder, DeviceTracing* tracing);
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Ends recording. Returns what the tracer recorded; an empty trace without a tracer.
  DeviceTrace stop();

 private:
  Recorder& recorder_;
  DeviceTracing* tracing_;
};

/// Counts page faults, context switches and events of the processor in each recorded step, and
/// measures the energy of each stretch of successive steps. Make it after all threads have been
/// started. Never throws: counters() names what could not be counted, with the reason.
class StepCounters {
 public:
  StepCounters(const RunContext& context, bool uses_gpu);

  /// Call begin() before and end() after each recorded step. `first`, `last`: the step is the first
  /// or the last one of a stretch.
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
