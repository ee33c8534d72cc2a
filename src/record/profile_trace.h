/// The type in which the profile pass hands over what it recorded of one case.
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

/// An item of a pipeline, from the start of its first stage to the end of its last.
struct ItemSpan {
  std::int64_t item = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};

/// What the profile pass of one case recorded: ranges of threads, device work, and names for both.
/// The table and the trace are made from it.
struct ProfileTrace {
  std::string experiment, variant;
  Json point;
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices = {};  // one per recorded stretch; none without a device
  /// By the stage's label: page faults of all recorded steps, and shapes as torch prints them.
  std::map<std::string, std::int64_t, std::less<>> faults = {};
  std::map<std::string, std::string, std::less<>> shapes = {};
  /// The labels of names that contain a step's number, like "load{i}" for "load3".
  std::map<std::string, std::string, std::less<>> labels = {};
  std::vector<ItemSpan> items = {};  // items of a pipeline, which overlap
};

}  // namespace normbench
