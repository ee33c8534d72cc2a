#include "trace/call_tree.h"

#include <algorithm>
#include <array>

namespace normbench {
namespace {

/// What torch keeps out of its tables, and out of the tree that self times come from.
constexpr auto hidden_names = std::to_array<std::string_view>(
    {"[memory]", "[OutOfMemory]", "profiler::_record_function_enter",
     "profiler::_record_function_enter_new", "profiler::_record_function_exit", "aten::is_leaf",
     "aten::output_nr", "aten::_version"});

bool has_row(const TraceSlice& slice) {
  switch (slice.kind) {
    case TraceKind::CpuOp:
    case TraceKind::UserAnnotation:
    case TraceKind::CudaRuntime:
    case TraceKind::CudaDriver:
    case TraceKind::Overhead:
      return std::ranges::find(hidden_names, slice.name) == hidden_names.end();
    default:
      return false;
  }
}

Call& at(std::vector<Call>& calls, std::int32_t number) {
  return calls[static_cast<std::size_t>(number)];
}

std::int64_t duration_ns(const Call& call) { return call.slice->end_ns - call.slice->start_ns; }

/// Adds the calls of one lane.
void nest(const TraceLane& lane, std::vector<Call>& calls) {
  std::vector<std::int32_t> open;
  for (const TraceSlice& slice : lane.slices) {
    if (!has_row(slice)) continue;
    const auto is_outside = [&](std::int32_t number) {
      const TraceSlice& other = *at(calls, number).slice;
      return slice.start_ns >= other.end_ns || slice.end_ns > other.end_ns;
    };
    while (!open.empty() && is_outside(open.back())) open.pop_back();
    Call call;
    call.slice = &slice;
    if (!open.empty()) {
      call.parent = open.back();
      ++at(calls, call.parent).children;
    }
    open.push_back(static_cast<std::int32_t>(calls.size()));
    calls.push_back(call);
  }
}

/// Parents come first, so each call's parent is no longer merged itself.
void merge(std::vector<Call>& calls) {
  for (Call& call : calls) {
    if (call.parent < 0) continue;
    if (const Call& above = at(calls, call.parent); above.merged) call.parent = above.parent;
    Call& parent = at(calls, call.parent);
    if (parent.children != 1 || row_name(parent.slice->name) != row_name(call.slice->name))
      continue;
    call.merged = true;
    parent.children = call.children;
    parent.self_device_ns += call.self_device_ns;
  }
}

}  // namespace

std::string_view row_name(std::string_view name) {
  return name.starts_with("ProfilerStep#") ? "ProfilerStep*" : name;
}

std::vector<Call> host_calls(const TraceModel& model) {
  std::size_t most = 0;
  for (const TraceLane& lane : model.lanes)
    most += static_cast<std::size_t>(std::ranges::count_if(lane.slices, has_row));
  std::vector<Call> calls;
  calls.reserve(most);
  for (const TraceLane& lane : model.lanes) nest(lane, calls);
  return calls;
}

void add_up(std::vector<Call>& calls) {
  merge(calls);
  for (Call& call : calls) {
    call.self_ns += duration_ns(call);
    call.device_ns += call.self_device_ns;
    if (call.parent >= 0 && !call.merged) at(calls, call.parent).self_ns -= duration_ns(call);
  }
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    if (call->parent >= 0 && !call->merged) at(calls, call->parent).device_ns += call->device_ns;
}

}  // namespace normbench
