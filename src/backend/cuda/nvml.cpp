#include "backend/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace normbench::cuda {
namespace {

// These declarations repeat those of NVIDIA's nvml.h, so that the build does not need that header.
// Enums and results are declared as ints.
constexpr int kSuccess = 0;
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr int kGpuSensor = 0;
constexpr unsigned kDriverVersionBytes = 80;

/// The layout of nvmlMemory_t.
struct MemoryBytes {
  unsigned long long total, free, used;
};

/// The layout of nvmlFieldValue_t, with an unsigned value.
struct FieldValue {
  unsigned field, scope;
  long long at_us, latency_us;
  int type, result;
  unsigned long long value;
};

/// The types of nvmlValueType_t that FieldValue can hold.
constexpr int kUnsignedInt = 1, kUnsignedLong = 2, kUnsignedLongLong = 3;

bool is_known(const FieldValue& field) {
  return field.result == kSuccess && field.type >= kUnsignedInt && field.type <= kUnsignedLongLong;
}

/// An NVML field that counts the ns for which a throttle reason has held the clocks back. `number`
/// is the number of the field, `reason` the bit of the reason in the throttle mask.
struct TimeField {
  unsigned number;
  std::uint64_t reason;
};

/// The fields with the times of the throttle reasons. The times of three reasons are in the fields
/// 251 to 253 of some drivers, and in the fields 269 to 271 of later drivers. In a driver that does
/// not count time in one of these fields, the field is a setting with a constant value. Callers use
/// only the growth of a value, so a constant value adds no time.
constexpr auto kTimeFields = std::to_array<TimeField>({{74, 0x004},
                                                       {75, 0x020},
                                                       {76, 0x010},
                                                       {77, 0x200},
                                                       {79, 0x400},
                                                       {251, 0x020},
                                                       {252, 0x040},
                                                       {253, 0x080},
                                                       {269, 0x020},
                                                       {270, 0x040},
                                                       {271, 0x080}});

/// The layout of nvmlTemperature_v1_t.
struct Temperature {
  unsigned version;
  int sensor;
  int celsius;
};
constexpr unsigned kTemperatureVersion = sizeof(Temperature) | 1u << 24;

}  // namespace

void Nvml::Close::operator()(void* library) const { dlclose(library); }

template <class Function>
Function* Nvml::function(const char* name) const {
  return library_ ? reinterpret_cast<Function*>(dlsym(library_.get(), name)) : nullptr;
}

/// Calls the NVML function `name` for this GPU. Returns the value that the function writes;
/// std::nullopt if the library lacks the function or the call fails.
template <class Value, class... Args>
std::optional<Value> Nvml::ask(const char* name, Args... args) const {
  auto* const query = function<int(Gpu*, Args..., Value*)>(name);
  Value value{};
  if (gpu_ == nullptr || query == nullptr || query(gpu_, args..., &value) != kSuccess)
    return std::nullopt;
  return value;
}

Nvml::Nvml(const std::string& pci_bus_id, const std::string& library)
    : missing_(open(pci_bus_id, library)) {
  if (!missing_.empty()) missing_ += ": clocks, temperature and power are unknown";
}

Nvml::~Nvml() {
  auto* const shut_down = function<int()>("nvmlShutdown");
  if (started_ && shut_down != nullptr) shut_down();
}

std::string Nvml::open(const std::string& pci_bus_id, const std::string& library) {
  library_.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_) {
    const char* const error = dlerror();
    return fmt::format("NVML not found ({})", error != nullptr ? error : library);
  }
  auto* const start = function<int()>("nvmlInit_v2");
  auto* const find = function<int(const char*, Gpu**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (start == nullptr || find == nullptr)
    return fmt::format("NVML not usable ({} lacks nvmlInit_v2 or nvmlDeviceGetHandleByPciBusId_v2)",
                       library);
  if (const int result = start(); result != kSuccess)
    return fmt::format("NVML does not start ({})", why(result));
  started_ = true;
  if (const int result = find(pci_bus_id.c_str(), &gpu_); result != kSuccess) {
    gpu_ = nullptr;
    return fmt::format("NVML does not see the GPU at {} ({})", pci_bus_id, why(result));
  }
  return "";
}

std::string Nvml::why(int result) const {
  auto* const text = function<const char*(int)>("nvmlErrorString");
  return text != nullptr ? text(result) : fmt::format("nvmlReturn_t {}", result);
}

std::optional<std::string> Nvml::driver_version() const {
  auto* const query = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  std::array<char, kDriverVersionBytes> version{};
  if (!started_ || query == nullptr || query(version.data(), kDriverVersionBytes) != kSuccess)
    return std::nullopt;
  return version.data();
}

Reading Nvml::sm_clock_mhz() const { return ask<unsigned>("nvmlDeviceGetClockInfo", kSmClock); }
Reading Nvml::memory_clock_mhz() const {
  return ask<unsigned>("nvmlDeviceGetClockInfo", kMemoryClock);
}
Reading Nvml::max_sm_clock_mhz() const {
  return ask<unsigned>("nvmlDeviceGetMaxClockInfo", kSmClock);
}
Reading Nvml::max_memory_clock_mhz() const {
  return ask<unsigned>("nvmlDeviceGetMaxClockInfo", kMemoryClock);
}
Reading Nvml::power_mw() const { return ask<unsigned>("nvmlDeviceGetPowerUsage"); }
Reading Nvml::power_limit_mw() const { return ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit"); }
Reading Nvml::energy_mj() const {
  return ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption");
}

Reading Nvml::free_memory_bytes() const {
  const auto memory = ask<MemoryBytes>("nvmlDeviceGetMemoryInfo");
  return memory ? Reading(static_cast<std::int64_t>(memory->free)) : std::nullopt;
}

Reading Nvml::temperature_c() const {
  auto* const query = function<int(Gpu*, Temperature*)>("nvmlDeviceGetTemperatureV");
  Temperature temperature{.version = kTemperatureVersion, .sensor = kGpuSensor, .celsius = 0};
  if (gpu_ == nullptr || query == nullptr || query(gpu_, &temperature) != kSuccess)
    return ask<unsigned>("nvmlDeviceGetTemperature", kGpuSensor);  // for drivers before CUDA 13
  return temperature.celsius;
}

std::optional<bool> Nvml::persistence_mode() const {
  const auto mode = ask<int>("nvmlDeviceGetPersistenceMode");
  return mode ? std::optional(*mode != 0) : std::nullopt;
}

Nvml::Link Nvml::link() const {
  return {.generation = ask<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration"),
          .width = ask<unsigned>("nvmlDeviceGetCurrPcieLinkWidth")};
}

Nvml::Link Nvml::max_link() const {
  return {.generation = ask<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration"),
          .width = ask<unsigned>("nvmlDeviceGetMaxPcieLinkWidth")};
}

std::optional<std::uint64_t> Nvml::throttle_mask() const {
  using Mask = unsigned long long;
  auto mask = ask<Mask>("nvmlDeviceGetCurrentClocksEventReasons");
  if (!mask) mask = ask<Mask>("nvmlDeviceGetCurrentClocksThrottleReasons");  // up to CUDA 12.1
  return mask;
}

std::optional<std::vector<std::string>> Nvml::throttle_reasons() const {
  const auto mask = throttle_mask();
  return mask ? std::optional(throttle_words(*mask)) : std::nullopt;
}

std::map<std::string, std::int64_t> Nvml::held_back_ns() const {
  auto* const query = function<int(Gpu*, int, FieldValue*)>("nvmlDeviceGetFieldValues");
  std::array<FieldValue, kTimeFields.size()> fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i].field = kTimeFields[i].number;
  if (gpu_ == nullptr || query == nullptr ||
      query(gpu_, static_cast<int>(fields.size()), fields.data()) != kSuccess)
    return {};
  std::map<std::string, std::int64_t> times;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_known(fields[i])) continue;
    std::int64_t& ns = times[throttle_words(kTimeFields[i].reason).front()];
    ns = std::max(ns, static_cast<std::int64_t>(fields[i].value));
  }
  return times;
}

std::optional<DeviceState> Nvml::state() const {
  const Reading clock = sm_clock_mhz();
  if (!clock) return std::nullopt;
  return DeviceState{.sm_clock_mhz = *clock,
                     .throttle_bits = static_cast<std::int64_t>(throttle_mask().value_or(0)),
                     .temperature_c = temperature_c().value_or(0)};
}

}  // namespace normbench::cuda
