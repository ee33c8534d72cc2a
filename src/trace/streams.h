/// Device work and the calls and ranges of hosts that it belongs to.
#pragma once

#include <unordered_map>

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// A slice of a lane, both by number.
struct SliceAt {
  std::size_t lane = 0, slice = 0;

  auto operator<=>(const SliceAt&) const = default;
};

/// Lanes of hosts, nested and sorted, which must outlive it unchanged.
class HostIndex {
 public:
  explicit HostIndex(const std::vector<TraceLane>& hosts);

  const TraceLane& lane(SliceAt at) const { return hosts_[at.lane]; }
  const TraceSlice& slice(SliceAt at) const { return hosts_[at.lane].slices[at.slice]; }

  /// The call with this correlation: the runtime's where one of the driver lies within it.
  std::optional<SliceAt> call(std::int64_t correlation) const;
  /// The last range with this id that began by then, or else the first.
  std::optional<SliceAt> range(std::uint64_t external_id, std::int64_t ns) const;
  /// Where device work was submitted: its call, or else its range.
  std::optional<SliceAt> origin(const TraceSlice& work) const;
  /// What the slice lies in.
  std::optional<SliceAt> parent(SliceAt at) const;

 private:
  void add_lane(std::size_t lane);

  const std::vector<TraceLane>& hosts_;
  std::vector<std::vector<std::int32_t>> parents_;  // by lane and slice; -1: none
  std::unordered_map<std::int64_t, SliceAt> calls_;
  std::unordered_map<std::uint64_t, std::vector<SliceAt>> ranges_;  // by their starts
};

/// Moves device work that seems to start before its call to the call's start, as long as it was.
/// What followed other work of the stream still does. Counts and marks what was moved.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

/// Adds one annotation (GpuUserAnnotation), with the range's depth, for each range of the host that
/// submitted work to the stream. It strictly encloses the work, by a few nanoseconds on either
/// side, as far as neighbouring work leaves room.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
