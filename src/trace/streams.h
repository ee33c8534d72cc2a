/// Relates device work to the calls and ranges of hosts that submitted the work.
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

/// Finds slices on the lanes of hosts. The lanes must be sorted and nested, and must outlive the
/// index unchanged.
class HostIndex {
 public:
  explicit HostIndex(const std::vector<TraceLane>& hosts);

  const TraceLane& lane(SliceAt at) const { return hosts_[at.lane]; }
  const TraceSlice& slice(SliceAt at) const { return hosts_[at.lane].slices[at.slice]; }

  /// Returns the call with this correlation, if any. If a driver call and the runtime call around
  /// it both have this correlation, returns the runtime call.
  std::optional<SliceAt> call(std::int64_t correlation) const;
  /// Returns the last range with this id that began at `ns` or earlier. If none did, returns the
  /// first range with this id, if any.
  std::optional<SliceAt> range(std::uint64_t external_id, std::int64_t ns) const;
  /// Returns the call with the correlation of `work`. If there is none, returns the range with its
  /// external id, if any.
  std::optional<SliceAt> origin(const TraceSlice& work) const;
  /// Returns the innermost slice around the one at `at`, if any.
  std::optional<SliceAt> parent(SliceAt at) const;

 private:
  void add_lane(std::size_t lane);

  const std::vector<TraceLane>& hosts_;
  std::vector<std::vector<std::int32_t>> parents_;  // by lane and slice; -1: none
  std::unordered_map<std::int64_t, SliceAt> calls_;
  std::unordered_map<std::uint64_t, std::vector<SliceAt>> ranges_;  // by external id, then by start
};

/// Moves device work that seems to start before its call to the call's start, and counts and marks
/// it. If later work of the stream would then overlap it, but did not before, the later work is
/// delayed. Work keeps its duration.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

/// Adds a GpuUserAnnotation to the stream for each range of the host that submitted work to it,
/// with the depth of the range. The annotation starts a few nanoseconds before the first piece of
/// work and ends a few nanoseconds after the last, if neighbouring work leaves room.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
