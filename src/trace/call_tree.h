/// The calls of each thread as a tree, as torch.profiler builds it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/model.h"

namespace normbench {

/// What a host did, with what it submitted to devices.
struct Call {
  const TraceSlice* slice = nullptr;
  std::int32_t parent = -1;   // by number; -1: none
  std::int32_t children = 0;  // direct ones
  std::int64_t self_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;  // of itself; with all below it
  bool merged = false;  // an only child of its parent's name: its parent stands for it
};

/// The name of a slice's row: all steps share one.
std::string_view row_name(std::string_view name);

/// The slices that have rows, but for those on devices, parents before their children; the model's
/// lanes are sorted. A slice that overlaps another only partly is neither's child. Nothing is
/// merged yet, and device times are 0.
std::vector<Call> host_calls(const TraceModel& model);

/// Adds the device's time in the model to the self_device_ns of the calls that submitted it: of the
/// op or annotation with its external id, else of that around the call with its correlation.
void add_device_time(const TraceModel& model, std::vector<Call>& calls);

/// Merges only children of their parent's name into it, then makes self_ns and device_ns.
void add_up(std::vector<Call>& calls);

}  // namespace normbench
