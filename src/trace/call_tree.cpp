#include "trace/call_tree.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <span>

namespace normbench {
namespace {

/// What torch keeps out of its tables, and out of the tree that self times come from.
constexpr auto hidden_names = std::to_array<std::string_view>(
    {"[memory]", "[OutOfMemory]", "profiler::_record_function_enter",
     "profiler::_record_function_enter_new", "profiler::_record_function_exit", "aten::is_leaf",
     "aten::output_nr", "aten::_version"});

/// Frames are in the tree, since they take time from what is around them.
bool is_in_tree(const TraceSlice& slice) {
  switch (slice.kind) {
    case TraceKind::PythonFunction:
      return true;
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

bool is_frame(const Call& call) { return call.slice->kind == TraceKind::PythonFunction; }

/// The op or annotation that a runtime or driver call within `call` (-1: none) began in.
std::int32_t range_at(const std::vector<Call>& calls, std::int32_t call) {
  const auto& of = [&](std::int32_t number) -> const Call& {
    return calls[static_cast<std::size_t>(number)];
  };
  while (call >= 0 && is_frame(of(call))) call = of(call).parent;
  return call >= 0 && is_call(of(call).slice->kind) ? of(call).range : call;
}

/// Adds the calls of one lane. One that seems to end up to `start_error_ns` after another is still
/// in it.
void nest(const TraceLane& lane, std::int64_t start_error_ns, std::vector<Call>& calls) {
  std::vector<std::int32_t> open;
  const auto close_while = [&](auto&& is_outside) {
    while (!open.empty() && is_outside(*at(calls, open.back()).slice)) open.pop_back();
  };
  for (const TraceSlice& slice : lane.slices) {
    if (!is_in_tree(slice)) continue;
    Call call;
    call.slice = &slice;
    if (slice.async) {
      calls.push_back(call);
      continue;
    }
    close_while([&](const TraceSlice& other) { return slice.start_ns >= other.end_ns; });
    // Where times are whole microseconds a call may seem to end after the op that made it.
    if (is_call(slice.kind)) call.range = range_at(calls, open.empty() ? -1 : open.back());
    close_while(
        [&](const TraceSlice& other) { return slice.end_ns > other.end_ns + start_error_ns; });
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
  std::int64_t pid = 0;
  std::int64_t start_ns = 0;
  std::int32_t call = -1;

  auto operator<=>(const Numbered&) const = default;
};
using Candidates = std::span<const Numbered>;

/// Those with the number, which are next to one another.
Candidates with_number(const std::vector<Numbered>& sorted, std::uint64_t number) {
  const auto [first, last] = std::ranges::equal_range(sorted, number, {}, &Numbered::number);
  return {first, last};
}

bool are_of_one_process(Candidates all) { return all.empty() || all.front().pid == all.back().pid; }

Candidates of_process(Candidates all, std::int64_t pid) {
  const auto [first, last] = std::ranges::equal_range(all, pid, {}, &Numbered::pid);
  return {first, last};
}

/// Of these the last that started by then, or else the first; -1: there is none.
std::int32_t last_before(Candidates sorted, std::int64_t ns) {
  if (sorted.empty()) return -1;
  const auto next = std::ranges::upper_bound(sorted, ns, {}, &Numbered::start_ns);
  return next == sorted.begin() ? sorted.front().call : std::prev(next)->call;
}

/// Finds the ranges that work was submitted in. Where several processes are in a trace their
/// numbers collide, and what tells them apart is which device each of them uses.
class Submissions {
 public:
  Submissions(const TraceModel& model, const std::vector<Call>& calls,
              const std::vector<std::size_t>& ends)
      : model_(model), calls_(calls) {
    std::size_t lane = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      while (i >= ends[lane]) ++lane;
      add(*calls[i].slice, model.lanes[lane].pid, static_cast<std::int32_t>(i));
    }
    std::ranges::sort(runtime_);
    std::ranges::sort(ranges_);
    find_processes();
  }

  /// The op or annotation that submitted this; -1: not known. Traces of PyTorch 1.x say the
  /// correlation where later ones say the op's external id, so a call that is there decides.
  std::int32_t of(const TraceSlice& work) {
    if (work.correlation >= 0) {
      const Candidates found =
          candidates(runtime_, static_cast<std::uint64_t>(work.correlation), work);
      const std::int32_t call = last_before(found, work.start_ns);
      if (call >= 0) return calls_[static_cast<std::size_t>(call)].range;
      if (is_ambiguous_) return -1;
    }
    if (work.external_id == 0) return -1;
    return last_before(candidates(ranges_, work.external_id, work), work.start_ns);
  }

  /// Whether several processes may have submitted the latest one.
  bool is_ambiguous() const { return is_ambiguous_; }

 private:
  void add(const TraceSlice& slice, std::int64_t pid, std::int32_t number) {
    if (!is_call(slice.kind)) {
      if (slice.external_id != 0)
        ranges_.push_back({slice.external_id, pid, slice.start_ns, number});
    } else if (slice.correlation >= 0) {
      runtime_.push_back(
          {static_cast<std::uint64_t>(slice.correlation), pid, slice.start_ns, number});
    }
  }

  std::int64_t device_of(const TraceSlice& work) const {
    const DeviceDetails* const details = model_.details_of(work);
    return details == nullptr ? -1 : details->device;
  }

  /// Notes the process of each device from work whose correlation is of one process only; nothing
  /// for devices that several use.
  void find_processes() {
    for (const TraceLane& lane : model_.lanes)
      for (const TraceSlice& slice : lane.slices) {
        if (!model_.is_device_time(slice) || slice.correlation < 0) continue;
        const Candidates all = with_number(runtime_, static_cast<std::uint64_t>(slice.correlation));
        if (all.empty() || !are_of_one_process(all)) continue;
        const auto [found, is_new] = processes_.try_emplace(device_of(slice), all.front().pid);
        if (!is_new && found->second != all.front().pid) found->second = std::nullopt;
      }
  }

  Candidates candidates(const std::vector<Numbered>& sorted, std::uint64_t number,
                        const TraceSlice& work) {
    const Candidates all = with_number(sorted, number);
    is_ambiguous_ = false;
    if (are_of_one_process(all)) return all;
    const auto process = processes_.find(device_of(work));
    if (process != processes_.end() && process->second) return of_process(all, *process->second);
    is_ambiguous_ = true;
    return {};
  }

  const TraceModel& model_;
  const std::vector<Call>& calls_;
  std::vector<Numbered> runtime_, ranges_;                         // by correlation, by external id
  std::map<std::int64_t, std::optional<std::int64_t>> processes_;  // by device
  bool is_ambiguous_ = false;
};

/// Gives how many pieces of work several processes may have submitted; these count for none.
std::int64_t add_device_time(const TraceModel& model, const std::vector<std::size_t>& ends,
                             std::vector<Call>& calls) {
  Submissions submissions(model, calls, ends);
  std::int64_t ambiguous = 0;
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices) {
      if (!model.is_device_time(slice)) continue;
      const std::int32_t call = submissions.of(slice);
      if (call >= 0) at(calls, call).self_device_ns += slice.end_ns - slice.start_ns;
      ambiguous += call < 0 && submissions.is_ambiguous() ? 1 : 0;
    }
  return ambiguous;
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
    if (!call.slice->async) call.self_ns += duration_ns(call);
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

CallTree call_tree(const TraceModel& model) {
  std::size_t most = 0;
  for (const TraceLane& lane : model.lanes)
    most += static_cast<std::size_t>(std::ranges::count_if(lane.slices, is_in_tree));
  CallTree tree;
  tree.calls.reserve(most);
  std::vector<std::size_t> ends;  // by lane, the number of calls up to there
  for (const TraceLane& lane : model.lanes) {
    nest(lane, model.start_error_ns, tree.calls);
    ends.push_back(tree.calls.size());
  }
  tree.ambiguous = add_device_time(model, ends, tree.calls);
  merge(tree.calls);
  add_up(tree.calls);
  return tree;
}

}  // namespace normbench
