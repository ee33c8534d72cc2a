#include "trace/read/event_losses.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trace/launches.h"

namespace normbench {
namespace {

using Started = std::pair<std::int64_t, std::int64_t>;  // correlation, start

bool is_call(const TraceSlice& slice) {
  return slice.kind == TraceKind::CudaRuntime || slice.kind == TraceKind::CudaDriver;
}

std::vector<Started> sorted_starts(const TraceModel& model, bool (*wanted)(const TraceSlice&)) {
  std::vector<Started> starts;
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices)
      if (wanted(slice)) starts.emplace_back(slice.correlation, slice.start_ns);
  std::ranges::sort(starts);
  return starts;
}

/// The first with this correlation, or null.
const Started* find(const std::vector<Started>& starts, std::int64_t correlation) {
  const auto found = std::ranges::lower_bound(starts, correlation, {}, &Started::first);
  return found != starts.end() && found->first == correlation ? &*found : nullptr;
}

/// A call of the driver within a launch of the runtime is the same launch.
void count_launches_of(const TraceLane& lane, const std::vector<Started>& work,
                       TraceLosses& losses) {
  std::int64_t outer_end_ns = std::numeric_limits<std::int64_t>::min();
  bool has_work = true;
  for (const TraceSlice& slice : lane.slices) {
    if (!is_call(slice) || !starts_device_work(slice.name)) continue;
    if (slice.start_ns >= outer_end_ns) {
      ++losses.launches;
      has_work = false;
      outer_end_ns = slice.end_ns;
    }
    if (has_work || find(work, slice.correlation) == nullptr) continue;
    has_work = true;
    ++losses.launched;
  }
}

}  // namespace

TraceLosses losses_of(const TraceModel& model) {
  TraceLosses losses;
  const std::vector<Started> calls = sorted_starts(model, is_call);
  const std::vector<Started> work =
      sorted_starts(model, [](const TraceSlice& slice) { return is_gpu_work(slice.kind); });
  if (calls.empty() || work.empty()) return losses;
  for (const auto& [correlation, start_ns] : work) {
    const Started* const call = correlation < 0 ? nullptr : find(calls, correlation);
    if (call == nullptr) {
      ++losses.without_launch;
    } else if (start_ns < call->second) {
      ++losses.before_launch;
      losses.most_skew_ns = std::max(losses.most_skew_ns, call->second - start_ns);
    }
  }
  for (const TraceLane& lane : model.lanes) count_launches_of(lane, work, losses);
  return losses;
}

TraceLosses losses_said(const Json& about) {
  TraceLosses losses;
  const Json said = about.value("losses", Json::object());
  for (const LossField& field : loss_fields())
    if (const auto found = said.find(std::string(field.name));
        found != said.end() && found->is_number_integer())
      losses.*field.value = found->get<std::int64_t>();
  return losses;
}

}  // namespace normbench
