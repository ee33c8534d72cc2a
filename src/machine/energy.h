/// The energy that was used, as the machine's own meters say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace normbench {

/// The energy counters of the processor packages (RAPL, /sys/class/powercap below `root`). They
/// count all that runs in the packages, other programs too.
class Rapl {
 public:
  explicit Rapl(const std::filesystem::path& root);

  /// Why there is nothing to read, or "".
  const std::string& missing() const { return missing_; }
  /// Microjoules of every package; nothing when one cannot be read.
  std::optional<std::vector<std::int64_t>> read() const;
  /// Joules of all packages between two readings, in which no counter wrapped around twice.
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

/// Sums the energy of stretches of work; none of short ones: meters tick about every millisecond.
class EnergyMeter {
 public:
  static constexpr std::int64_t shortest_ns = 100'000'000;

  /// Millijoules that a GPU has used so far; nothing when it does not say.
  using GpuEnergy = std::function<std::optional<std::int64_t>()>;
  /// `gpu_mj` is empty without a GPU.
  EnergyMeter(const Rapl& rapl, GpuEnergy gpu_mj) : rapl_(rapl), gpu_mj_(std::move(gpu_mj)) {}

  void start() { start_ = read(); }
  /// Ends the stretch that start() began and that took `ns`.
  void stop(std::int64_t ns);

  std::int64_t ns() const { return ns_; }
  /// The energy of all stretches; nothing where it cannot be read or the stretches are too short.
  std::optional<double> cpu_joules() const { return long_enough() ? cpu_joules_ : std::nullopt; }
  std::optional<double> gpu_joules() const { return long_enough() ? gpu_joules_ : std::nullopt; }
  /// Why a part of it cannot be read, or "".
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
