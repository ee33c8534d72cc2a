/// The recording of one case in the profile pass, which runs a few iterations of each case for the
/// profiler's tables and traces.
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

/// The ranges of host threads and the work of devices, as recorded for one case. The profile's
/// tables and trace files are made from it.
struct ProfileTrace {
  std::string experiment, variant;
  Json point;
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices = {};  // one for each uninterrupted series of recorded steps
  /// The keys of `faults` and `shapes` are labels of stages. `faults` has the number of page faults
  /// of a stage in all recorded steps. `shapes` has the shapes of the stage's inputs in torch's
  /// notation, like "[[10, 3, 720, 1280]]".
  std::map<std::string, std::int64_t, std::less<>> faults = {};
  std::map<std::string, std::string, std::less<>> shapes = {};
  /// For each recorded name that contains the number of a step, the label without this number:
  /// "load3" has the label "load{i}".
  std::map<std::string, std::string, std::less<>> labels = {};
  std::vector<ItemSpan> items = {};  // pipeline items, which may overlap
};

}  // namespace normbench
