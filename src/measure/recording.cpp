#include "measure/recording.h"

#include "document/note.h"

namespace normbench {
namespace {

EnergyMeter::GpuEnergy gpu_energy(const Backends& backends, bool uses_gpu) {
  Backend* const gpu = uses_gpu ? backends.at(Place::Cuda) : nullptr;
  if (gpu == nullptr) return {};
  return [gpu] { return used_energy_mj(*gpu); };
}

}  // namespace

Recording::Recording(Recorder& recorder, DeviceTracing* tracing)
    : recorder_(recorder), tracing_(tracing) {
  if (tracing_ != nullptr) tracing_->start();
  recorder_.enable(true);
}

DeviceTrace Recording::stop() {
  recorder_.enable(false);
  return tracing_ != nullptr ? tracing_->stop() : DeviceTrace{};
}

StepCounters::StepCounters(const RunContext& context, bool uses_gpu) : clock_(context.clock) {
  if (context.perf_events != nullptr) hardware_.emplace(*context.perf_events);
  if (context.rapl != nullptr)
    energy_.emplace(*context.rapl, gpu_energy(context.backends, uses_gpu));
}

void StepCounters::begin(bool first) {
  if (first && energy_) energy_->start();
  if (first) stretch_start_ns_ = clock_.now_ns();
  at_begin_ = clock_.counters();
  if (hardware_) hardware_->enable(true);
}

void StepCounters::end(bool last) {
  if (hardware_) hardware_->enable(false);
  software_ = software_ + (clock_.counters() - at_begin_);
  if (last && energy_) energy_->stop(clock_.now_ns() - stretch_start_ns_);
}

ProfileCounters StepCounters::counters() const {
  const HardwareCounts hardware =
      hardware_ ? hardware_->counts() : HardwareCounts{.missing = kNotLookedFor};
  return {.software = software_,
          .cycles = hardware.cycles,
          .instructions = hardware.instructions,
          .cache_misses = hardware.cache_misses,
          .hardware_missing = hardware.missing,
          .cpu_joules = energy_ ? energy_->cpu_joules() : std::nullopt,
          .gpu_joules = energy_ ? energy_->gpu_joules() : std::nullopt,
          .energy_missing = energy_ ? energy_->missing() : kNotLookedFor};
}

}  // namespace normbench
