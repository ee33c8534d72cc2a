/// Recorders and counters that are switched on around the steps of the profile pass.
#pragma once

#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "measure/device_tracing.h"
#include "measure/run_context.h"

namespace normbench {

/// While this object lives, the recorder records ranges of the host, and the tracer records device
/// work. stop() ends the recording earlier.
class Recording {
 public:
  /// `tracing` is null if the tracer is not used.
  Recording(Recorder& recorder, DeviceTracing* tracing);
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Ends recording. Returns what the tracer has recorded; an empty trace if it is not used.
  DeviceTrace stop();

 private:
  Recorder& recorder_;
  DeviceTracing* tracing_;
};

/// Counts page faults, context switches and processor events in each recorded step of the profile
/// pass. Measures the energy of successive recorded steps as a whole, from the start of the first
/// one to the end of the last one. Create it after all threads have been started. It never throws:
/// counters() contains the reason why something could not be counted.
class StepCounters {
 public:
  StepCounters(const RunContext& context, bool uses_gpu);

  /// Call begin() before each recorded step and end() after it. `first` and `last` tell whether the
  /// step is the first or the last one of the successive steps whose energy is measured together.
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
