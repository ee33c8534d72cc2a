#include "app/machine.h"

#include <array>

#include "app/device_times.h"
#include "app/tool_attached.h"
#include "backend/cpu/simd_targets.h"
#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "record/nvtx.h"

namespace normbench {
namespace {

/// Something that makes numbers better where it is there.
struct Capability {
  const char *key, *name, *means;
  std::string (*missing)(const Json& environment);  // why it is not there, or ""
};

std::string unless_available(const std::string& state) { return state == "available" ? "" : state; }

std::string missing_cuda(const Json& environment) {
  return unless_available(environment.at("places").at("cuda"));
}

std::string missing_nvml(const Json& environment) {
  const Json& gpu = environment.at("gpu");
  return gpu.is_object() ? unless_available(gpu.value("nvml", "available"))
                         : "not looked for without a GPU";
}

/// Attaches it and lets go of it again.
std::string missing_cupti(const Json& environment) {
  if (!environment.at("gpu").is_object()) return "not looked for without a GPU";
  const auto tracer = make_device_tracer(environment, attached_tool());
  if (tracer == nullptr) return attached_tool()->name + " is attached and has it";
  return tracer->attach() ? "" : tracer->missing();
}

std::string missing_nvtx(const Json&) { return std::string(nvtx::missing()); }

std::string missing_perf_events(const Json&) {
  KernelPerfEvents events;
  return HardwareCounters(events).counts().missing;
}

std::string missing_rapl(const Json&) { return Rapl("/").missing(); }

std::string missing_frequency(const Json& environment) {
  return environment.at("cpu").value("governor_unknown", "");
}

constexpr auto kCapabilities = std::to_array<Capability>({
    {"cuda", "GPU", "variants that use a GPU are skipped; only the bytes they move are known",
     &missing_cuda},
    {"nvml", "NVML", "no clocks, temperature, power or joules of a GPU", &missing_nvml},
    {"cupti", "CUPTI",
     "GPU times are from CUDA events: by stage, not by kernel, good to about 1 us", &missing_cupti},
    {"nvtx", "NVTX", "ranges do not show in Nsight Systems", &missing_nvtx},
    {"perf_events", "perf events", "cycles, instructions per cycle and LLC misses are blank",
     &missing_perf_events},
    {"rapl", "RAPL", "joules per image are blank, or those of the GPU alone", &missing_rapl},
    {"cpu_frequency", "CPU frequency",
     "a change of clock looks like noise; compare only runs of one session", &missing_frequency},
});

}  // namespace

Json described_machine(const Backends& backends, const std::string& machine) {
  Json described = environment(machine);
  Json places = Json::object();
  for (const auto& backend : backends.list)
    places[std::string(name_of(backend->place()))] = backend->unavailable().value_or("available");
  described["places"] = places;
  described["simd"] = simd_in_use();
  described["simd_targets"] = simd_targets();
  Backend* const cuda = backends.at(Place::Cuda);
  described["gpu"] = cuda != nullptr && !cuda->unavailable() ? cuda->describe() : Json();
  described["nvtx"] = nvtx::missing().empty() ? "available" : std::string(nvtx::missing());
  return described;
}

Json missing_parts(const Json& environment) {
  Json missing = Json::object();
  for (const Capability& part : kCapabilities)
    if (const std::string why = part.missing(environment); !why.empty())
      missing[part.key] = {{"name", part.name}, {"why", why}, {"means", part.means}};
  return missing;
}

}  // namespace normbench
