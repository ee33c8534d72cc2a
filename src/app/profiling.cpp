#include "app/profiling.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "backend/cuda/cupti/cupti.h"
#include "machine/environment.h"
#include "record/nvtx.h"
#include "trace/build_model.h"
#include "trace/profile_rows.h"

namespace normbench {
namespace {

/// A profiling tool that this program recognises. The tool is attached if one of `variables` is set
/// in the environment, or if the path in CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH contains
/// one of `words`.
struct KnownTool {
  const char* name;
  std::array<const char*, 4> variables;
  std::array<const char*, 2> words;
};

constexpr auto kKnown = std::to_array<KnownTool>(
    {{"Nsight Systems",
      {"NSYS_PROFILING_SESSION_ID", "NSYS_SESSION_TEMP_DIR", "NSYS_AGENT_TMP_DIR",
       "NSYSDK_INJECTION64_PATH"},
      {"nsight-systems", "libToolsInjection"}},
     {"Nsight Compute",
      {"NV_NSIGHT_INJECTION_PORT_BASE", "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",
       "NV_COMPUTE_PROFILER_PERFWORKS_DIR", "NV_COMPUTE_PROFILER_LOCAL_CONNECTION"},
      {"nsight-compute", "libcuda-injection"}},
     {"compute-sanitizer",
      {"NV_SANITIZER_INJECTION_PORT_BASE", "NV_SANITIZER_INJECTION_TRANSPORT_TYPE",
       "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", "NV_SANITIZER_INJECTION_PORT_RANGE"},
      {"compute-sanitizer", "libsanitizer"}}});

std::string environment_value(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

bool is_it(const KnownTool& tool, std::initializer_list<std::string_view> injected) {
  const auto is_set = [](const char* variable) { return !environment_value(variable).empty(); };
  const auto is_named = [&](const char* word) {
    return std::ranges::any_of(injected,
                               [&](std::string_view path) { return path.find(word) != path.npos; });
  };
  return std::ranges::any_of(tool.variables, is_set) || std::ranges::any_of(tool.words, is_named);
}

std::string injected_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string with_consequence(const std::string& why) {
  const std::string consequence = ": device times come from CUDA events";
  return why.ends_with(consequence) ? why : why + consequence;
}

// The sort index of CUDA device 0. It is larger than the sort index of a host process, which is its
// pid. So trace viewers show devices below host processes, as in the traces of torch.profiler.
constexpr std::int64_t kDevicesSortIndex = 5'000'000;

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Returns the major and the minor number of a version, like {9, 0} for "9.0".
std::pair<int, int> version_numbers(const std::string& text) {
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [point, error] = std::from_chars(text.data(), end, major);
  if (error == std::errc() && point != end) std::from_chars(point + 1, end, minor);
  return {major, minor};
}

/// Returns the device's properties under the names that torch's traces use.
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
                             .name = "",  // finish_model() adds the device's name
                             .labels = fmt::format("GPU {}", device),
                             .sort_index = kDevicesSortIndex + device,
                             .is_device = true});
  return model;
}

}  // namespace

std::optional<AttachedTool> attached_tool() {
  const std::string cuda = environment_value("CUDA_INJECTION64_PATH");
  const std::string nvtx = environment_value("NVTX_INJECTION64_PATH");
  for (const KnownTool& tool : kKnown)
    if (is_it(tool, {cuda, nvtx})) return AttachedTool{.name = tool.name};
  if (!cuda.empty()) return AttachedTool{.name = "the CUDA tool " + injected_name(cuda)};
  if (!nvtx.empty() && nvtx::attached())
    return AttachedTool{.name = "the NVTX tool " + injected_name(nvtx), .takes_cupti = false};
  return std::nullopt;
}

std::unique_ptr<DeviceTracer> make_device_tracer(const Json& environment,
                                                 const std::optional<AttachedTool>& tool) {
  if (!environment.at("gpu").is_object() || (tool && tool->takes_cupti)) return nullptr;
  return make_cupti_tracer();
}

std::string why_not_cupti(const Results& results, const std::optional<AttachedTool>& tool,
                          const std::string& untraced) {
  const bool any = std::ranges::any_of(results.groups, [](const GroupResult& group) {
    return std::ranges::any_of(group.profile, [](const CaseProfile& profile) {
      return profile.device_times == DeviceTimes::CudaEvents;
    });
  });
  if (!any) return "";
  if (tool && tool->takes_cupti)
    return with_consequence(fmt::format("{} is attached and has CUPTI", tool->name));
  return with_consequence(untraced.empty() ? "CUPTI was not used when profiles were kept"
                                           : untraced);
}

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
  result.losses = profile_losses(alone.losses);
  add_faults(result.rows, profile.faults);
}

TraceModel RunTrace::finish(const std::string& no_cupti) {
  if (!no_cupti.empty()) all_.metadata["normbench"]["no_cupti"] = no_cupti;
  finish_model(all_);
  return std::move(all_);
}

}  // namespace normbench
