/// The trace that a path on the command line stands for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model.h"

namespace normbench {

struct OpenTrace {
  std::string file;
  TraceModel model;
  std::vector<std::string> warnings;  // what could not be used
  std::string device_times;           // where they come from, as the file says; "": it does not
  std::int64_t clock_error_ns = 0;
};

/// Reads a Chrome trace, plain or packed by gzip whatever its name is, or the one in a run's
/// folder. Throws Invalid, naming the file, for what is none.
OpenTrace open_trace(const std::string& path);

}  // namespace normbench
