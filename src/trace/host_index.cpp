#include "trace/host_index.h"

#include <algorithm>
#include <iterator>

namespace normbench {
namespace {

bool is_call(TraceKind kind) {
  return kind == TraceKind::CudaRuntime || kind == TraceKind::CudaDriver;
}

}  // namespace

HostIndex::HostIndex(const std::vector<TraceLane>& hosts) : hosts_(hosts) {
  for (std::size_t lane = 0; lane < hosts.size(); ++lane) add_lane(lane);
  for (auto& [id, ranges] : ranges_)
    std::ranges::stable_sort(ranges, {}, [&](SliceAt at) { return slice(at).start_ns; });
}

void HostIndex::add_lane(std::size_t lane) {
  const std::vector<TraceSlice>& slices = hosts_[lane].slices;
  std::vector<std::int32_t>& parents = parents_.emplace_back();
  parents.reserve(slices.size());
  std::vector<std::int32_t> open;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto ended = [&](std::int32_t at) {
      return slices[static_cast<std::size_t>(at)].end_ns <= slices[i].start_ns;
    };
    while (!open.empty() && ended(open.back())) open.pop_back();
    parents.push_back(open.empty() ? -1 : open.back());
    open.push_back(static_cast<std::int32_t>(i));
    if (!is_call(slices[i].kind)) {
      if (slices[i].external_id != 0) ranges_[slices[i].external_id].push_back({lane, i});
    } else if (slices[i].correlation >= 0) {
      calls_.try_emplace(slices[i].correlation, SliceAt{lane, i});
    }
  }
}

std::optional<SliceAt> HostIndex::call(std::int64_t correlation) const {
  const auto found = calls_.find(correlation);
  return found == calls_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SliceAt> HostIndex::range(std::uint64_t external_id, std::int64_t ns) const {
  const auto found = ranges_.find(external_id);
  if (found == ranges_.end()) return std::nullopt;
  const auto next = std::ranges::upper_bound(found->second, ns, {},
                                             [&](SliceAt at) { return slice(at).start_ns; });
  return next == found->second.begin() ? *next : *std::prev(next);
}

std::optional<SliceAt> HostIndex::origin(const TraceSlice& work) const {
  if (const auto at = call(work.correlation)) return at;
  return range(work.external_id, work.start_ns);
}

std::optional<SliceAt> HostIndex::parent(SliceAt at) const {
  const std::int32_t parent = parents_[at.lane][at.slice];
  return parent < 0 ? std::nullopt
                    : std::optional(SliceAt{at.lane, static_cast<std::size_t>(parent)});
}

}  // namespace normbench
