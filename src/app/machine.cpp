#include "app/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/process.h"
#include "backend/cpu/simd_targets.h"
#include "core/file.h"
#include "core/issue.h"
#include "core/system_error.h"
#include "machine/environment.h"
#include "record/nvtx.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 7> kCalibrationNumbers{
    "seconds", "pairs", "false_alarms", "excluding_one", "slowed_pairs", "slowed_found", "visible"};
/// Numbers that calibrations of older versions lack.
constexpr std::array<std::string_view, 3> kNewerNumbers{"slowed_wrong_way", "slowed_wrong_size",
                                                        "between_differences"};

/// Returns the folder that an environment variable names, if its path is absolute.
std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return fs::path(value);
}

/// Returns the key under which this machine's calibration is stored. It contains the host's own
/// name, never the name given with --machine.
std::string machine_key(const Json& environment) {
  utsname system{};
  const bool known = uname(&system) == 0;
  return fmt::format("{}, host {}", calibrated_machine(environment),
                     known ? system.nodename : "unknown");
}

bool is_calibration(const Json& json) {
  return json.is_object() && json.contains("date") && json["date"].is_string() &&
         json.contains("between") && (json["between"].is_number() || json["between"].is_null()) &&
         std::ranges::all_of(
             kCalibrationNumbers,
             [&](std::string_view key) { return json.contains(key) && json[key].is_number(); }) &&
         std::ranges::all_of(kNewerNumbers, [&](std::string_view key) {
           return !json.contains(key) || json[key].is_number();
         });
}

/// Reads a file {"schema": 1, "machines": {machine: calibration}}. Throws Invalid if the file
/// contains anything else.
Json read_kept(const std::string& path) {
  std::vector<Issue> issues;
  Json kept = parse_json(read_text(path), issues);
  if (!issues.empty()) throw Invalid(issues.front().text);
  if (!kept.is_object() || kept.value("schema", Json()) != 1 || !kept.contains("machines") ||
      !kept["machines"].is_object())
    throw Invalid("no calibrations of this version in it");
  for (const auto& [machine, calibration] : kept["machines"].items())
    if (!is_calibration(calibration)) throw Invalid("no calibration of " + machine);
  return kept;
}

bool is_there(const std::string& path) {
  std::error_code unknown;
  return !path.empty() && fs::exists(fs::symlink_status(path, unknown));
}

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

std::string calibrated_machine(const Json& environment) {
  const Json cpu = environment.value("cpu", Json::object());
  const Json model = cpu.value("model", Json()), cores = cpu.value("cores", Json());
  return fmt::format("{}, {} cores",
                     model.is_string() ? model.get<std::string>() : "unknown processor",
                     cores.is_number() ? cores.dump() : "?");
}

std::string calibration_path() {
  auto state = folder_in("XDG_STATE_HOME");
  if (!state)
    if (const auto home = folder_in("HOME")) state = *home / ".local/state";
  return state ? (*state / "normbench/calibration.json").string() : "";
}

Json load_calibration(const Json& environment) {
  const std::string path = calibration_path();
  if (!is_there(path)) return {};
  try {
    return read_kept(path).at("machines").value(machine_key(environment), Json());
  } catch (const Invalid& invalid) {
    tell("warning: {}: {}; continuing without a calibration\n", path, invalid.what());
    return {};
  }
}

void check_kept_calibrations() {
  const std::string path = calibration_path();
  if (!is_there(path)) return;
  try {
    if (const std::string obstacle = obstacle_at(path); !obstacle.empty()) throw Invalid(obstacle);
    read_kept(path);
  } catch (const Invalid& invalid) {
    throw Invalid(
        fmt::format("{}: {} (move it: calibrations are kept there)", path, invalid.what()));
  }
}

std::string store_calibration(const Json& environment, const Json& calibration) {
  const std::string path = calibration_path();
  if (path.empty())
    throw CannotWrite("cannot keep the calibration: neither XDG_STATE_HOME nor HOME is a folder");
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) throw CannotWrite(fmt::format("cannot write {}: {}", path, system_error_text(error)));
  Json kept = is_there(path) ? read_kept(path) : Json{{"schema", 1}, {"machines", Json::object()}};
  kept["machines"][machine_key(environment)] = calibration;
  write_file(path, kept.dump(2) + "\n");
  return path;
}

}  // namespace normbench
