/// Reads the energy meters of the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace normbench {

/// The energy counters of the processor packages (RAPL, in sys/class/powercap below `root`). They
/// include the energy of other programs.
class Rapl {
 public:
  explicit Rapl(const std::filesystem::path& root);

  /// Returns why the counters cannot be read; "" if they can be read.
  const std::string& missing() const { return missing_; }
  /// Returns the counters of all packages in microjoules; std::nullopt if one cannot be read.
  std::optional<std::vector<std::int64_t>> read() const;
  /// Returns the joules that all packages used between two readings of read(). The result is
  /// correct if no counter wraps around more than once in between.
  double joules(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) const;

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range_uj;
  };

  std::vector<Package> packages_;
  std::string missing_;
};

struct EnergyReading {
  std::optional<std::vector<std::int64_t>> packages_uj;
  std::optional<std::int64_t> gpu_mj;
};

/// Sums the energy used in periods of work. If the periods take less than `shortest_ns` in total,
/// EnergyMeter reports no energy, because the counters change only about once a millisecond.
class EnergyMeter {
 public:
  static constexpr std::int64_t shortest_ns = 100'000'000;

  /// A function that returns the millijoules that the GPU has used so far; std::nullopt if the GPU
  /// does not report them.
  using GpuEnergy = std::function<std::optional<std::int64_t>()>;
  EnergyMeter(const Rapl& rapl, GpuEnergy gpu_mj) : rapl_(rapl), gpu_mj_(std::move(gpu_mj)) {}

  void start() { start_ = read(); }
  /// Ends the period that start() began. `ns` is its length.
  void stop(std::int64_t ns);

  std::int64_t ns() const { return ns_; }
  /// cpu_joules() and gpu_joules() return the joules of all periods; std::nullopt if a reading
  /// failed or the periods are too short in total.
  std::optional<double> cpu_joules() const { return long_enough() ? cpu_joules_ : std::nullopt; }
  std::optional<double> gpu_joules() const { return long_enough() ? gpu_joules_ : std::nullopt; }
  /// Returns why the CPU or GPU energy is missing; "" if neither is missing.
  std::string missing() const;

 private:
  EnergyReading read() const;
  bool long_enough() const { return ns_ >= shortest_ns; }

  const Rapl& rapl_;
  GpuEnergy gpu_mj_;
  EnergyReading start_;
  std::int64_t ns_ = 0;
  std::optional<double> cpu_joules_ = 0.0, gpu_joules_ = 0.0;
};

}  // namespace normbench
