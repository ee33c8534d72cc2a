#include "app/run_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "machine/environment.h"
#include "trace/build_model.h"
#include "trace/profile_rows.h"

namespace normbench {
namespace {

constexpr std::int64_t kDevicesSortIndex = 5'000'000;  // below all processes, as in torch's traces

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// "9.0" -> {9, 0}.
std::pair<int, int> version_numbers(const std::string& text) {
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [point, error] = std::from_chars(text.data(), end, major);
  if (error == std::errc() && point != end) std::from_chars(point + 1, end, minor);
  return {major, minor};
}

/// The device under the names that torch gives its properties.
Json properties_of(const Json& gpu) {
  const auto [major, minor] = version_numbers(gpu.value("compute_capability", "0.0"));
  const Json launch = gpu.value("launch", Json::object());
  const auto limit = [&](const char* name) { return launch.value(name, std::int64_t{0}); };
  return {{"id", gpu.value("device", 0)},
          {"name", gpu.value("name", "")},
          {"totalGlobalMem", gpu.value("memory_bytes", std::int64_t{0})},
          {"computeMajor", major},
          {"computeMinor", minor},
          {"maxThreadsPerBlock", limit("threads_per_block")},
          {"maxThreadsPerMultiprocessor", limit("threads_per_multiprocessor")},
          {"regsPerBlock", limit("registers_per_block")},
          {"warpSize", limit("warp_size")},
          {"sharedMemPerBlock", limit("shared_bytes_per_block")},
          {"numSms", gpu.value("multiprocessors", 0)},
          {"regsPerMultiprocessor", limit("registers_per_multiprocessor")},
          {"sharedMemPerBlockOptin", limit("shared_bytes_per_block_opt_in")},
          {"sharedMemPerMultiprocessor", limit("shared_bytes_per_multiprocessor")}};
}

TraceModel empty_trace(const Plan& plan, const Json& environment, Clock& clock) {
  TraceModel model;
  model.metadata = {{"config", plan.name}, {"tool", tool()}, {"environment", environment}};
  model.base_ns = clock.now_ns();
  model.base_wall_ns = wall_clock_ns();
  const std::string name = "normbench " + plan.name;
  const std::int64_t pid = trace_pid(getpid());
  model.processes = {{.pid = pid, .name = name, .labels = "CPU", .sort_index = pid}};
  const Json& gpu = environment.at("gpu");
  if (!gpu.is_object()) return model;
  const std::int64_t device = gpu.value("device", 0);
  model.device_properties = Json::array({properties_of(gpu)});
  model.processes.push_back({.pid = device,
                             .name = "",  // finish_model() has the device's
                             .labels = fmt::format("GPU {}", device),
                             .sort_index = kDevicesSortIndex + device,
                             .is_device = true});
  return model;
}

/// Faults belong to what the host did in a stage.
void add_faults(const ProfileTrace& profile, std::vector<ProfileRow>& rows) {
  for (const auto& [label, faults] : profile.faults) {
    const auto row = std::ranges::find_if(rows, [&label = label](const ProfileRow& one) {
      return one.name == label && one.place == Place::Cpu && !one.annotation;
    });
    if (row != rows.end()) row->faults = faults;
  }
}

}  // namespace

RunTrace::RunTrace(const Plan& plan, const Json& environment, Clock& clock)
    : empty_(empty_trace(plan, environment, clock)),
      all_(empty_),
      by_shape_(plan.profile.group_by_input_shape) {}

void RunTrace::add(const ProfileTrace& profile, CaseProfile& result) {
  const std::int64_t pid = trace_pid(getpid());
  add_profile(all_, profile, pid);
  TraceModel alone = empty_;
  add_profile(alone, profile, pid);
  finish_model(alone);
  result.rows = profile_rows(alone, by_shape_);
  result.times = profile_times(alone);
  result.losses = profile_losses(alone);
  add_faults(profile, result.rows);
}

TraceModel RunTrace::finish(const std::string& no_cupti) {
  if (!no_cupti.empty()) all_.metadata["normbench"]["no_cupti"] = no_cupti;
  finish_model(all_);
  return std::move(all_);
}

}  // namespace normbench
