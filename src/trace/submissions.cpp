#include "trace/submissions.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace normbench {
namespace {

/// Names that torch.profiler leaves out of its tables. It also leaves them out of the tree from
/// which it computes self times.
constexpr auto hidden_names = std::to_array<std::string_view>(
    {"[memory]", "[OutOfMemory]", "profiler::_record_function_enter",
     "profiler::_record_function_enter_new", "profiler::_record_function_exit", "aten::is_leaf",
     "aten::output_nr", "aten::_version"});

}  // namespace

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

std::string_view row_name(const TraceSlice& slice) {
  if (!slice.label.empty()) return slice.label;
  return slice.name.starts_with("ProfilerStep#") ? "ProfilerStep*" : slice.name;
}

bool is_same_call(const TraceSlice& slice, const TraceSlice& other) {
  return slice.start_ns == other.start_ns && slice.end_ns == other.end_ns &&
         slice.end_ns > slice.start_ns && row_name(slice) == row_name(other);
}

void Submissions::add_call(const TraceSlice& slice, std::int64_t pid) {
  if (!is_in_tree(slice)) return;
  const std::int64_t number = next_number_++;
  if (slice.async) return;
  while (!open_.empty() && slice.start_ns >= open_.back().slice.end_ns) open_.pop_back();
  // If times are in whole microseconds, a call may seem to end after the op that made it. So the op
  // of the call is looked up in `open_` before the slices that do not contain the call are removed.
  std::int64_t range = is_call(slice.kind) ? range_at_top() : -1;
  if (is_call(slice.kind) && slice.correlation >= 0)
    calls_.push_back({static_cast<std::uint64_t>(slice.correlation), pid, slice.start_ns, range});
  while (!open_.empty() && is_outside(slice, open_.back().slice, start_error_ns_)) open_.pop_back();
  if (slice.kind == TraceKind::PythonFunction) range = range_at_top();
  if (open_.empty() || !is_same_call(slice, open_.back().slice))
    open_.push_back({.slice = slice, .number = number, .range = range});
}

void Submissions::finish_lane() { open_.clear(); }

std::int64_t Submissions::range_at_top() const {
  if (open_.empty()) return -1;
  const Open& top = open_.back();
  const bool is_range = !is_call(top.slice.kind) && top.slice.kind != TraceKind::PythonFunction;
  return is_range ? top.number : top.range;
}

void Submissions::add_work(const TraceSlice& slice, std::int64_t device) {
  sort_calls();
  work_.push_back({.start_ns = slice.start_ns,
                   .ns = slice.end_ns - slice.start_ns,
                   .device = device,
                   .correlation = slice.correlation,
                   .external_id = slice.external_id});
  const Candidates all = slice.correlation < 0
                             ? Candidates()
                             : with_id(calls_, static_cast<std::uint64_t>(slice.correlation));
  if (all.empty()) {
    if (slice.external_id != 0) wanted_ids_.insert(slice.external_id);
  } else if (are_of_one_process(all)) {
    ++pieces_[device][all.front().pid];
  }
}

void Submissions::add_id(const TraceSlice& slice, std::int64_t pid) {
  if (!is_in_tree(slice)) return;
  const std::int64_t number = next_number_of_ids_++;
  if (!is_call(slice.kind) && slice.external_id != 0 && wanted_ids_.contains(slice.external_id))
    ops_.push_back({slice.external_id, pid, slice.start_ns, number});
}

Submissions::Result Submissions::take() {
  sort_calls();
  std::ranges::sort(ops_);
  Result result;
  for (const Work& work : work_) {
    Candidates all;
    if (work.correlation >= 0) all = with_id(calls_, static_cast<std::uint64_t>(work.correlation));
    // PyTorch 1.x writes the correlation of work as its external id. So the external id is used
    // only if the trace has no call with the correlation.
    if (all.empty() && work.external_id != 0) all = with_id(ops_, work.external_id);
    const std::optional<Candidates> candidates = of_one_process(all, work);
    if (!candidates) ++result.ambiguous;
    if (!candidates || candidates->empty()) continue;
    // Takes the last candidate that started before or with the work. If there is none, takes the
    // first candidate.
    const auto next = std::ranges::upper_bound(*candidates, work.start_ns, {}, &Numbered::start_ns);
    const Numbered& by = next == candidates->begin() ? *next : *std::prev(next);
    if (by.range >= 0) result.submitted.push_back({.call = by.range, .ns = work.ns});
  }
  std::ranges::sort(result.submitted);
  return result;
}

Submissions::Candidates Submissions::with_id(const std::vector<Numbered>& sorted,
                                             std::uint64_t id) {
  const auto [first, last] = std::ranges::equal_range(sorted, id, {}, &Numbered::id);
  return {first, last};
}

bool Submissions::are_of_one_process(Candidates all) {
  return all.empty() || all.front().pid == all.back().pid;
}

std::optional<Submissions::Candidates> Submissions::of_one_process(Candidates all,
                                                                   const Work& work) const {
  const std::optional<std::int64_t> process = process_of(work.device);
  if (all.empty() || (are_of_one_process(all) && (!process || all.front().pid == *process)))
    return all;
  if (!process) return std::nullopt;
  const auto [first, last] = std::ranges::equal_range(all, *process, {}, &Numbered::pid);
  return first == last ? std::nullopt : std::optional(Candidates(first, last));
}

std::optional<std::int64_t> Submissions::process_of(std::int64_t device) const {
  const auto found = pieces_.find(device);
  if (found == pieces_.end()) return std::nullopt;
  std::int64_t all = 0;
  for (const auto& [pid, count] : found->second) all += count;
  for (const auto& [pid, count] : found->second)
    if (10 * count >= 9 * all) return pid;
  return std::nullopt;
}

void Submissions::sort_calls() {
  if (!sorted_) std::ranges::sort(calls_);
  sorted_ = true;
}

}  // namespace normbench
