/// What the profile pass records of one case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json.h"
#include "record/device_trace.h"
#include "record/recorder.h"

namespace normbench {

/// The time from the start of the first stage of a pipeline item to the end of its last stage.
struct ItemSpan {
  std::int64_t item = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};

/// Ranges of host threads, device work, and names for both, as recorded for one case. Tables and
/// trace files are made from it.
struct ProfileTrace {
  std::string experiment, variant;
  Json point;
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices = {};  // one for each recorded stretch of steps
  /// By label of the stage: `faults` counts the page faults of all recorded steps, and `shapes` has
  /// the input shapes in the form of torch.
  std::map<std::string, std::int64_t, std::less<>> faults = {};
  std::map<std::string, std::string, std::less<>> shapes = {};
  /// Maps names with the number of a step to their labels, like "load3" to "load{i}".
  std::map<std::string, std::string, std::less<>> labels = {};
  std::vector<ItemSpan> items = {};  // pipeline items, which may overlap
};

}  // namespace normbench
