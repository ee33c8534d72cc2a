#include "trace/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace normbench {
namespace {

/// Prefixes of the names of calls that start device work: launches of kernels and graphs, memory
/// copies and memory sets.
constexpr auto kStarters = std::to_array<std::string_view>(
    {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cudaMemcpy",
     "cudaMemset", "cuLaunchKernel", "cuLaunchCooperativeKernel", "cuGraphLaunch", "cuMemcpy",
     "cuMemset"});

bool is_launch(const TraceSlice& slice) {
  return is_call(slice.kind) && std::ranges::any_of(kStarters, [&](std::string_view name) {
           return slice.name.starts_with(name);
         });
}

using Started = std::pair<std::int64_t, std::int64_t>;  // the correlation and start of a slice

template <class Lane>
std::vector<Started> sorted_starts(const std::vector<Lane>& lanes, bool (*wanted)(TraceKind)) {
  std::vector<Started> starts;
  for (const Lane& lane : lanes)
    for (const TraceSlice& slice : lane.slices)
      if (wanted(slice.kind)) starts.emplace_back(slice.correlation, slice.start_ns);
  std::ranges::sort(starts);
  return starts;
}

/// Returns the first element with this correlation, or null if there is none. `starts` must be
/// sorted.
const Started* find(const std::vector<Started>& starts, std::int64_t correlation) {
  const auto found = std::ranges::lower_bound(starts, correlation, {}, &Started::first);
  return found != starts.end() && found->first == correlation ? &*found : nullptr;
}

template <class Lane>
void count_launches_of(const Lane& lane, const std::vector<Started>& work, TraceLosses& losses,
                       LossMarks* marks) {
  std::optional<TraceSlice> outer;
  bool has_work = false;
  const auto finish = [&] {
    if (!outer) return;
    ++losses.launches;
    if (has_work)
      ++losses.launched;
    else if (marks != nullptr)
      marks->add("launches", outer->start_ns,
                 fmt::format("{} started work that was not recorded", outer->name));
  };
  for (const TraceSlice& slice : lane.slices) {
    if (!is_launch(slice)) continue;
    if (!outer || slice.start_ns >= outer->end_ns) {
      finish();
      outer = slice;
      has_work = false;
    }
    has_work = has_work || find(work, slice.correlation) != nullptr;
  }
  finish();
}

TraceMark mark_of(std::string_view loss, std::int64_t ns, std::string sentence) {
  return {.ns = ns, .name = std::move(sentence), .args = {{"loss", loss}}};
}

}  // namespace

void LossMarks::add(std::string_view loss, std::int64_t ns, const std::string& sentence) {
  Count& count = counts_[loss];
  if (++count.marks <= most) model_.marks.push_back(mark_of(loss, ns, sentence));
  count.last_ns = std::max(count.last_ns, ns);
}

void LossMarks::finish() {
  for (const auto& [loss, count] : counts_)
    if (count.marks > most)
      model_.marks.push_back(mark_of(
          loss, count.last_ns,
          fmt::format("{} more like it until here ({}) have no mark", count.marks - most, loss)));
}

namespace {

template <class Lane>
EarlyWork count_in(const std::vector<Lane>& hosts, const std::vector<Lane>& devices,
                   TraceLosses& losses, LossMarks* marks) {
  const std::vector<Started> calls = sorted_starts(hosts, is_call);
  EarlyWork early;
  for (const Lane& lane : devices)
    for (const TraceSlice& slice : lane.slices) {
      if (!is_gpu_work(slice.kind)) continue;
      const Started* const call = slice.correlation < 0 ? nullptr : find(calls, slice.correlation);
      if (call == nullptr) {
        ++losses.without_launch;
        if (marks != nullptr)
          marks->add("without_launch", slice.start_ns,
                     fmt::format("the call that started {} was not recorded", slice.name));
      } else if (slice.start_ns < call->second) {
        ++early.pieces;
        early.most_ns = std::max(early.most_ns, call->second - slice.start_ns);
      }
    }
  const std::vector<Started> work = sorted_starts(devices, is_gpu_work);
  for (const Lane& lane : hosts) count_launches_of(lane, work, losses, marks);
  return early;
}

}  // namespace

EarlyWork count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                         TraceLosses& losses, LossMarks* marks) {
  return count_in(hosts, devices, losses, marks);
}

EarlyWork count_launches(const std::vector<ReadLane>& lanes, TraceLosses& losses) {
  return count_in(lanes, lanes, losses, nullptr);
}

}  // namespace normbench
