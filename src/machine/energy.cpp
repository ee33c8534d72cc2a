#include "machine/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace normbench {
namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// Returns true for the folder of a processor package ("intel-rapl:0"). Other folders are parts of
/// a package ("intel-rapl:0:1") or the whole platform.
bool is_package(const fs::path& folder) {
  const std::string name = folder.filename();
  if (!name.starts_with("intel-rapl:") || std::ranges::count(name, ':') != 1) return false;
  std::ifstream in(folder / "name");
  std::string kind;
  return in >> kind && kind.starts_with("package");
}

std::vector<fs::path> package_folders(const fs::path& powercap) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(powercap, error), end; !error && at != end; at.increment(error))
    if (is_package(at->path())) folders.push_back(at->path());
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

Rapl::Rapl(const fs::path& root) {
  for (const fs::path& folder : package_folders(root / "sys/class/powercap"))
    packages_.push_back({.counter = folder / "energy_uj",
                         .range_uj = number_in(folder / "max_energy_range_uj").value_or(0)});
  if (packages_.empty())
    missing_ = "no RAPL (no package in /sys/class/powercap/intel-rapl:*)";
  else if (!read())
    missing_ = "RAPL not readable (as root: chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj)";
}

std::optional<std::vector<std::int64_t>> Rapl::read() const {
  std::vector<std::int64_t> readings;
  for (const Package& package : packages_) {
    const auto reading = number_in(package.counter);
    if (!reading || package.range_uj <= 0) return std::nullopt;
    readings.push_back(*reading);
  }
  if (readings.empty()) return std::nullopt;
  return readings;
}

double Rapl::joules(const std::vector<std::int64_t>& from,
                    const std::vector<std::int64_t>& to) const {
  double uj = 0;
  for (std::size_t i = 0; i < packages_.size(); ++i) {
    const std::int64_t used = to[i] - from[i];
    uj += static_cast<double>(used < 0 ? used + packages_[i].range_uj : used);
  }
  return uj / 1e6;
}

EnergyReading EnergyMeter::read() const {
  return {.packages_uj = rapl_.read(), .gpu_mj = gpu_mj_ ? gpu_mj_() : std::nullopt};
}

void EnergyMeter::stop(std::int64_t ns) {
  const EnergyReading end = read();
  ns_ += ns;
  if (!start_.packages_uj || !end.packages_uj)
    cpu_joules_.reset();
  else if (cpu_joules_)
    *cpu_joules_ += rapl_.joules(*start_.packages_uj, *end.packages_uj);
  if (!start_.gpu_mj || !end.gpu_mj)
    gpu_joules_.reset();
  else if (gpu_joules_)
    *gpu_joules_ += static_cast<double>(*end.gpu_mj - *start_.gpu_mj) / 1000;
}

std::string EnergyMeter::missing() const {
  if ((cpu_joules_ || gpu_joules_) && !long_enough())
    return fmt::format("profiled for {:.3g} ms, too short to read energy ({} ms or more)",
                       static_cast<double>(ns_) / 1e6, shortest_ns / 1'000'000);
  std::string why;
  if (!cpu_joules_) why = rapl_.missing().empty() ? "RAPL stopped answering" : rapl_.missing();
  if (gpu_mj_ && !gpu_joules_)
    why += fmt::format("{}NVML reports no energy of the GPU", why.empty() ? "" : "; ");
  return why;
}

}  // namespace normbench
