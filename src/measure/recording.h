/// What the profile pass switches on and reads around the steps that it records.
#pragma once

#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "measure/device_tracing.h"
#include "measure/runner.h"

namespace normbench {

/// Recorder and tracer record while this lives and no longer, however it ends.
class Recording {
 public:
  /// `tracing` may be null: no tracer takes part.
  Recording(Recorder& recorder, DeviceTracing* tracing);
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// What the tracer recorded.
  DeviceTrace stop();

 private:
  Recorder& recorder_;
  DeviceTracing* tracing_;
};

/// Counts steps one by one, and energy over each stretch of steps that follow one another. Make it
/// when all threads have been started. Never throws: what cannot be counted says why.
class StepCounters {
 public:
  StepCounters(const RunContext& context, bool uses_gpu);

  /// Stand around a recorded step, which may be the first or the last of a stretch.
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
