/// The calls of each thread as a tree, as torch.profiler builds it.
#pragma once

#include "trace/model.h"

namespace normbench {

/// What a host did, with what it submitted to devices.
struct Call {
  const TraceSlice* slice = nullptr;
  std::int32_t parent = -1;   // by number; -1: none
  std::int32_t range = -1;    // of a runtime or driver call: the op or annotation it began in
  std::int32_t children = 0;  // direct ones
  std::int64_t self_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;  // of itself; with all below it
  bool merged = false;  // an only child of its parent's name: its parent stands for it
};

/// The name of a slice's row: all steps share one, and all names of a label.
std::string_view row_name(const TraceSlice& slice);

struct CallTree {
  std::vector<Call> calls;     // parents before their children
  std::int64_t ambiguous = 0;  // pieces of device work that several processes may have submitted
};

/// The host's slices that have rows, and frames of Python; the model's lanes are sorted.
/// - Self time is what no direct child covers. A slice that overlaps another only partly is not its
///   child; an only child of its parent's name is merged into it. Async slices are no children,
///   have none, and no self time.
/// - Device work counts for the op or annotation that its runtime call began in; where that call is
///   not in the model, for the one with its external id.
CallTree call_tree(const TraceModel& model);

}  // namespace normbench
