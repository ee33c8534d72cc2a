/// The trace that a path on the command line stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/results.h"
#include "trace/model.h"

namespace normbench {

struct OpenTrace {
  std::string file;
  TraceModel model;
  std::vector<std::string> warnings;        // what could not be used
  std::optional<DeviceTimes> device_times;  // nothing: the file does not say
  std::int64_t clock_error_ns = 0;
};

/// Reads a Chrome trace, plain or packed by gzip whatever its name is, or the one in a run's
/// folder. Throws Invalid, naming the file, for what is none.
OpenTrace open_trace(const std::string& path);

}  // namespace normbench
