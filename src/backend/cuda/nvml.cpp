#include "backend/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace normbench::cuda {
namespace {

// What nvml.h declares: enums and results are ints, clocks, watts and links unsigned ints.
constexpr int kSuccess = 0;
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr int kGpuSensor = 0;
constexpr unsigned kDriverVersionBytes = 80;

/// nvmlTemperature_v1_t.
struct Temperature {
  unsigned version;
  int sensor;
  int celsius;
};
constexpr unsigned kTemperatureVersion = sizeof(Temperature) | 1u << 24;

struct ReasonWord {
  std::uint64_t bit;
  const char* word;
};

constexpr auto kReasonWords = std::to_array<ReasonWord>({{0x001, "gpu_idle"},
                                                         {0x002, "applications_clocks_setting"},
                                                         {0x004, "sw_power_cap"},
                                                         {0x008, "hw_slowdown"},
                                                         {0x010, "sync_boost"},
                                                         {0x020, "sw_thermal_slowdown"},
                                                         {0x040, "hw_thermal_slowdown"},
                                                         {0x080, "hw_power_brake_slowdown"},
                                                         {0x100, "display_clock_setting"}});

std::string word_of(std::uint64_t bit) {
  for (const ReasonWord& known : kReasonWords)
    if (known.bit == bit) return known.word;
  return fmt::format("unknown_{:#x}", bit);
}

}  // namespace

std::vector<std::string> throttle_words(std::uint64_t mask) {
  std::vector<std::string> words;
  for (; mask != 0; mask &= mask - 1) words.push_back(word_of(mask & -mask));
  return words;
}

void Nvml::Close::operator()(void* library) const { dlclose(library); }

template <class Function>
Function* Nvml::function(const char* name) const {
  return library_ ? reinterpret_cast<Function*>(dlsym(library_.get(), name)) : nullptr;
}

/// What the function called `name` writes for this GPU; nothing when it is missing or fails.
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
  if (!missing_.empty()) missing_ += ": no clocks, temperature, power";
}

Nvml::~Nvml() {
  auto* const shut_down = function<int()>("nvmlShutdown");
  if (started_ && shut_down != nullptr) shut_down();
}

/// Why there is nothing to read, or "".
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

Reading Nvml::temperature_c() const {
  auto* const query = function<int(Gpu*, Temperature*)>("nvmlDeviceGetTemperatureV");
  Temperature temperature{.version = kTemperatureVersion, .sensor = kGpuSensor, .celsius = 0};
  if (gpu_ == nullptr || query == nullptr || query(gpu_, &temperature) != kSuccess)
    return ask<unsigned>("nvmlDeviceGetTemperature", kGpuSensor);  // before CUDA 13
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

std::optional<std::vector<std::string>> Nvml::throttle_reasons() const {
  using Mask = unsigned long long;
  auto mask = ask<Mask>("nvmlDeviceGetCurrentClocksEventReasons");
  if (!mask) mask = ask<Mask>("nvmlDeviceGetCurrentClocksThrottleReasons");  // before CUDA 12.2
  if (!mask) return std::nullopt;
  return throttle_words(*mask);
}

}  // namespace normbench::cuda
