/// Device work and the calls and ranges of hosts that it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// A slice of a lane, both by number.
struct SliceAt {
  std::size_t lane = 0, slice = 0;

  bool operator<(const SliceAt& other) const {
    return lane != other.lane ? lane < other.lane : slice < other.slice;
  }
};

/// Lanes of hosts, nested and sorted, which must outlive it unchanged.
class HostIndex {
 public:
  explicit HostIndex(const std::vector<TraceLane>& hosts);

  const TraceLane& lane(SliceAt at) const { return hosts_[at.lane]; }
  const TraceSlice& slice(SliceAt at) const { return hosts_[at.lane].slices[at.slice]; }

  /// The call with this correlation; of a call of the driver within one of the runtime the latter.
  std::optional<SliceAt> call(std::int64_t correlation) const;
  /// The range with this number that had begun last by then, or the first of them.
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

/// Moves device work of a stream that seems to start before its call to the call's start, as long
/// as it was. What had followed other work of the stream still does. Counts what was moved for its
/// call, and by how much.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

/// Adds to a stream one annotation (GpuUserAnnotation) for each range of the host that submitted
/// work to it: from the start of the first to the end of the last, and a few nanoseconds around
/// that, as far as neighbouring work leaves room, so that it strictly encloses them. Its depth is
/// the range's.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
