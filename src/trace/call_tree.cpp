#include "trace/call_tree.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <limits>

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
  const auto close_while = [&](auto&& is_outside) {
    while (!open.empty() && is_outside(*at(calls, open.back()).slice)) open.pop_back();
  };
  for (const TraceSlice& slice : lane.slices) {
    if (!has_row(slice)) continue;
    Call call;
    call.slice = &slice;
    close_while([&](const TraceSlice& other) { return slice.start_ns >= other.end_ns; });
    // Where times are whole microseconds a call may seem to end after the op that made it.
    if (is_call(slice.kind) && !open.empty())
      call.range =
          is_call(at(calls, open.back()).slice->kind) ? at(calls, open.back()).range : open.back();
    close_while([&](const TraceSlice& other) { return slice.end_ns > other.end_ns; });
    if (!open.empty()) {
      call.parent = open.back();
      ++at(calls, call.parent).children;
    }
    open.push_back(static_cast<std::int32_t>(calls.size()));
    calls.push_back(call);
  }
}

/// A number of a slice, and which call it is.
struct Numbered {
  std::uint64_t number = 0;
  std::int64_t start_ns = 0;
  std::int32_t call = -1;

  auto operator<=>(const Numbered&) const = default;
};

/// Of those with the number the last that started by then, or else the first; -1: there is none.
std::int32_t last_before(const std::vector<Numbered>& sorted, std::uint64_t number,
                         std::int64_t ns) {
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
  const auto next = std::ranges::upper_bound(sorted, Numbered{number, ns, last});
  if (next != sorted.begin() && std::prev(next)->number == number) return std::prev(next)->call;
  return next != sorted.end() && next->number == number ? next->call : -1;
}

/// Finds the ranges that work was submitted in.
class Submissions {
 public:
  explicit Submissions(const std::vector<Call>& calls) : calls_(calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const TraceSlice& slice = *calls[i].slice;
      const auto number = static_cast<std::int32_t>(i);
      if (!is_call(slice.kind)) {
        if (slice.external_id != 0) ranges_.push_back({slice.external_id, slice.start_ns, number});
      } else if (slice.correlation >= 0) {
        runtime_.push_back({static_cast<std::uint64_t>(slice.correlation), slice.start_ns, number});
      }
    }
    std::ranges::sort(runtime_);
    std::ranges::sort(ranges_);
  }

  /// The op or annotation that submitted this; -1: not known. Traces of PyTorch 1.x say the
  /// correlation where later ones say the op's external id, so a call that is there decides.
  std::int32_t of(const TraceSlice& work) const {
    if (work.correlation >= 0) {
      const auto correlation = static_cast<std::uint64_t>(work.correlation);
      const std::int32_t call = last_before(runtime_, correlation, work.start_ns);
      if (call >= 0) return calls_[static_cast<std::size_t>(call)].range;
    }
    return work.external_id == 0 ? -1 : last_before(ranges_, work.external_id, work.start_ns);
  }

 private:
  const std::vector<Call>& calls_;
  std::vector<Numbered> runtime_, ranges_;  // by correlation, by external id
};

void add_device_time(const TraceModel& model, std::vector<Call>& calls) {
  const Submissions submissions(calls);
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices) {
      if (!model.is_device_time(slice)) continue;
      const std::int32_t call = submissions.of(slice);
      if (call >= 0) at(calls, call).self_device_ns += slice.end_ns - slice.start_ns;
    }
}

/// Parents come first, so each call's parent is no longer merged itself.
void merge(std::vector<Call>& calls) {
  for (Call& call : calls) {
    if (call.parent < 0) continue;
    if (const Call& above = at(calls, call.parent); above.merged) call.parent = above.parent;
    Call& parent = at(calls, call.parent);
    if (parent.children != 1 || row_name(*parent.slice) != row_name(*call.slice)) continue;
    call.merged = true;
    parent.children = call.children;
    parent.self_device_ns += call.self_device_ns;
  }
}

/// Makes self_ns and device_ns of what is left.
void add_up(std::vector<Call>& calls) {
  for (Call& call : calls) {
    call.self_ns += duration_ns(call);
    call.device_ns += call.self_device_ns;
    if (call.parent >= 0 && !call.merged) at(calls, call.parent).self_ns -= duration_ns(call);
  }
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    if (call->parent >= 0 && !call->merged) at(calls, call->parent).device_ns += call->device_ns;
}

}  // namespace

std::string_view row_name(const TraceSlice& slice) {
  if (!slice.label.empty()) return slice.label;
  return slice.name.starts_with("ProfilerStep#") ? "ProfilerStep*" : slice.name;
}

std::vector<Call> call_tree(const TraceModel& model) {
  std::size_t most = 0;
  for (const TraceLane& lane : model.lanes)
    most += static_cast<std::size_t>(std::ranges::count_if(lane.slices, has_row));
  std::vector<Call> calls;
  calls.reserve(most);
  for (const TraceLane& lane : model.lanes) nest(lane, calls);
  add_device_time(model, calls);
  merge(calls);
  add_up(calls);
  return calls;
}

}  // namespace normbench
