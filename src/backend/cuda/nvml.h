/// One GPU as seen by NVIDIA's management library (NVML), which is loaded at run time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/device_state.h"

namespace normbench::cuda {

/// A number, or std::nullopt if the driver or the GPU does not provide it.
using Reading = std::optional<std::int64_t>;

class Nvml {
 public:
  struct Link {
    Reading generation, width;  // PCIe generation; width in lanes
  };

  /// Loads the library and finds the GPU. Never throws. On failure, missing() returns the reason,
  /// and readings of the GPU are std::nullopt. `pci_bus_id` may be in upper or lower case.
  explicit Nvml(const std::string& pci_bus_id, const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Returns why the GPU cannot be read, like "NVML not found (libnvidia-ml.so.1: …): clocks,
  /// temperature and power are unknown". Returns "" if it can be read.
  const std::string& missing() const { return missing_; }

  std::optional<std::string> driver_version() const;
  Reading sm_clock_mhz() const;
  Reading memory_clock_mhz() const;
  Reading max_sm_clock_mhz() const;
  Reading max_memory_clock_mhz() const;
  Reading temperature_c() const;
  Reading power_mw() const;
  Reading power_limit_mw() const;
  /// Returns the free memory of the whole GPU, even if the process uses only a MIG instance of it.
  Reading free_memory_bytes() const;
  /// Returns the energy used since the driver was loaded, in mJ.
  Reading energy_mj() const;
  std::optional<bool> persistence_mode() const;
  /// Returns the current generation and width of the PCIe link. An idle GPU may lower them.
  Link link() const;
  /// Returns the highest generation and width that both the GPU and its slot support.
  Link max_link() const;
  std::optional<std::vector<std::string>> throttle_reasons() const;
  /// Returns how many ns each throttle reason has held the clocks back. Keys are words of
  /// throttle_words(). A reason that cannot be read has no key. Counters start at arbitrary values,
  /// so only the difference between two calls has a meaning. Drivers count in steps of about 100
  /// ms.
  std::map<std::string, std::int64_t> held_back_ns() const;
  /// Returns clock, throttle reasons and temperature; std::nullopt if the clock cannot be read.
  /// Throttle reasons and a temperature that cannot be read are 0.
  std::optional<DeviceState> state() const;

 private:
  struct Gpu;
  struct Close {
    void operator()(void* library) const;
  };

  std::string open(const std::string& pci_bus_id, const std::string& library);
  std::string why(int result) const;
  std::optional<std::uint64_t> throttle_mask() const;
  template <class Function>
  Function* function(const char* name) const;
  template <class Value, class... Args>
  std::optional<Value> ask(const char* name, Args... args) const;

  std::unique_ptr<void, Close> library_;
  Gpu* gpu_ = nullptr;
  bool started_ = false;
  std::string missing_;
};

}  // namespace normbench::cuda
