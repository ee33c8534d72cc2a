/// Finds the calls and ranges of hosts that submitted device work.
#pragma once

#include <unordered_map>

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// The index of a lane, and the index of a slice in this lane.
struct SliceAt {
  std::size_t lane = 0, slice = 0;

  auto operator<=>(const SliceAt&) const = default;
};

/// Finds slices on the lanes of hosts. The lanes must be sorted and nested. They must outlive the
/// index and must not change during that time.
class HostIndex {
 public:
  explicit HostIndex(const std::vector<TraceLane>& hosts);

  const TraceLane& lane(SliceAt at) const { return hosts_[at.lane]; }
  const TraceSlice& slice(SliceAt at) const { return hosts_[at.lane].slices[at.slice]; }

  /// Returns the call with this correlation, if there is one. If a runtime call and a driver call
  /// inside it both have the correlation, returns the runtime call.
  std::optional<SliceAt> call(std::int64_t correlation) const;
  /// Returns the last range with this external id that began at `ns` or earlier. If all ranges with
  /// this id began later, returns the first of them. Returns nothing if no range has this id.
  std::optional<SliceAt> range(std::uint64_t external_id, std::int64_t ns) const;
  /// Returns the call with the correlation of `work`. If there is none, returns the range with the
  /// external id of `work`, if there is one.
  std::optional<SliceAt> origin(const TraceSlice& work) const;
  /// Returns the innermost slice that contains the slice at `at`, if there is one.
  std::optional<SliceAt> parent(SliceAt at) const;

 private:
  void add_lane(std::size_t lane);

  const std::vector<TraceLane>& hosts_;
  std::vector<std::vector<std::int32_t>> parents_;  // by lane and slice; -1: none
  std::unordered_map<std::int64_t, SliceAt> calls_;
  std::unordered_map<std::uint64_t, std::vector<SliceAt>> ranges_;  // by external id, then by start
};

/// Changes the times of device work that seems to start before its call. The work is moved to the
/// start of the call, and is counted and marked. Later work of the stream that would then overlap
/// the moved work is delayed until that work ends, unless it overlaps earlier work in the
/// recording, too. All work keeps its duration.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

/// Adds a GpuUserAnnotation to the stream for each range of the host that submitted work to the
/// stream. The annotation has the depth of the range. If neighbouring work leaves room, the
/// annotation starts a few nanoseconds before its first work and ends a few nanoseconds after its
/// last work, so that annotations of nested ranges also nest.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
