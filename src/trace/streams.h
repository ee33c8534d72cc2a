/// Relates device work to the calls and ranges of hosts that submitted the work.
#pragma once

#include <unordered_map>

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// The index of a lane, and of a slice in it.
struct SliceAt {
  std::size_t lane = 0, slice = 0;

  auto operator<=>(const SliceAt&) const = default;
};

/// An index of hosts' lanes, which must be nested and sorted. The lanes must outlive it, unchanged.
class HostIndex {
 public:
  explicit HostIndex(const std::vector<TraceLane>& hosts);

  const TraceLane& lane(SliceAt at) const { return hosts_[at.lane]; }
  const TraceSlice& slice(SliceAt at) const { return hosts_[at.lane].slices[at.slice]; }

  /// Returns the call with this correlation. If a driver's call lies inside a runtime's call, it is
  /// the runtime's.
  std::optional<SliceAt> call(std::int64_t correlation) const;
  /// Returns the last range with this id that had begun at `ns`, else the first range with this id.
  std::optional<SliceAt> range(std::uint64_t external_id, std::int64_t ns) const;
  /// Returns the origin of device work: its call, else its range.
  std::optional<SliceAt> origin(const TraceSlice& work) const;
  /// Returns the slice around this one, if any.
  std::optional<SliceAt> parent(SliceAt at) const;

 private:
  void add_lane(std::size_t lane);

  const std::vector<TraceLane>& hosts_;
  std::vector<std::vector<std::int32_t>> parents_;  // by lane and slice; -1: none
  std::unordered_map<std::int64_t, SliceAt> calls_;
  std::unordered_map<std::uint64_t, std::vector<SliceAt>> ranges_;  // by external id, then by start
};

/// Moves device work that seems to start before its call to the call's start, with its duration.
/// Work that followed it on the stream still follows it. Moved work is counted and marked.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

/// Adds an annotation (GpuUserAnnotation) for each range of the host that submitted work to the
/// stream, with the range's depth. The annotation encloses the work by a few nanoseconds on either
/// side, if neighbouring work leaves room.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
