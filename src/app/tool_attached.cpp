#include "app/tool_attached.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "record/nvtx.h"

namespace normbench {
namespace {

/// How a tool is known: variables that it sets, or words in the path of what it injects.
struct KnownTool {
  const char* name;
  std::array<const char*, 4> variables;
  std::array<const char*, 2> words;
};

// Nsight Systems names its session only once it records: at the range `capture`, and not before.
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

/// The variable's value, "" when it is not set.
std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

bool is_it(const KnownTool& tool, std::initializer_list<std::string_view> injected) {
  const auto is_set = [](const char* variable) { return !value_of(variable).empty(); };
  const auto is_named = [&](const char* word) {
    return std::ranges::any_of(injected,
                               [&](std::string_view path) { return path.find(word) != path.npos; });
  };
  return std::ranges::any_of(tool.variables, is_set) || std::ranges::any_of(tool.words, is_named);
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::optional<AttachedTool> attached_tool() {
  const std::string cuda = value_of("CUDA_INJECTION64_PATH");
  const std::string nvtx = value_of("NVTX_INJECTION64_PATH");
  for (const KnownTool& tool : kKnown)
    if (is_it(tool, {cuda, nvtx})) return AttachedTool{.name = tool.name};
  if (!cuda.empty()) return AttachedTool{.name = "the CUDA tool " + file_name(cuda)};
  if (!nvtx.empty() && nvtx::attached())
    return AttachedTool{.name = "the NVTX tool " + file_name(nvtx), .takes_cupti = false};
  return std::nullopt;
}

std::string attached_text(const AttachedTool& tool, bool measured) {
  return tool.name + (measured ? ", measured all the same" : "");
}

}  // namespace normbench
