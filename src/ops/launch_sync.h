#pragma once

#include "ops/checks.h"

namespace normbench {

/// Launches `count` (default 1) empty kernels. On the CPU (`"place": "cpu"`) it instead starts and
/// joins a team of threads `count` times. The input passes through unchanged.
struct EmptyLaunch {
  static constexpr std::string_view name = "launch";
  static constexpr std::string_view about =
      "launch an empty kernel, or start and join a team of threads: the limit of small work";
  static constexpr Roles roles{
      .runs = Runs::Launch, .passes_through = true, .limit = LimitKind::Launch};

  std::int64_t count = 1;

  static EmptyLaunch read(Reader& reader) {
    return {.count = reader.integer("count", 1, 1, 65536)};
  }
  static std::vector<EmptyLaunch> samples(const Shape&) { return {{.count = 1}, {.count = 3}}; }
};

/// Makes the host wait until the device has finished all submitted work. The input passes through.
struct Sync {
  static constexpr std::string_view name = "sync";
  static constexpr std::string_view about = "wait for the device (cudaStreamSynchronize)";
  static constexpr Roles roles{.runs = Runs::Call, .passes_through = true, .waits = true};
};

}  // namespace normbench
