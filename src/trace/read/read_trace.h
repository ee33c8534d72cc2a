/// A trace that was read from a file, from which tables are made.
#pragma once

#include <memory>
#include <vector>

#include "trace/model.h"
#include "trace/read/packed_slices.h"

namespace normbench {

/// A thread of a process, or a stream of a device. Slices are sorted, parents first.
struct ReadLane {
  std::int64_t pid = 0, tid = 0;
  PackedSlices slices;
};

/// The parts of a TraceModel that tables need. The slices take less memory than in a TraceModel.
struct ReadTrace {
  Json about;  // written by normbench about its own trace; null: another tool wrote it
  Nesting nesting = {};
  std::vector<ReadLane> lanes = {};
  std::vector<TraceMemory> memory = {};
  bool profiles_memory = false;  // allocations were recorded; `memory` may still be empty
  std::vector<TraceMark> marks = {};
  std::vector<DeviceDetails> details = {};
  TraceLosses losses = {};
  std::shared_ptr<SliceTable> table = std::make_shared<SliceTable>();

  const DeviceDetails* details_of(const TraceSlice& slice) const {
    return slice.details < 0 ? nullptr : &details[static_cast<std::size_t>(slice.details)];
  }
  bool is_device_time(const TraceSlice& slice) const {
    return normbench::is_device_time(slice.kind, details_of(slice));
  }
};

}  // namespace normbench
