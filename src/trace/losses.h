/// Counts and marks what was lost from a trace or had to be changed in it.
#pragma once

#include <map>

#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Adds marks about losses to a model. Each of the first 20 losses of a kind gets its own mark.
/// finish() adds one mark for all later losses of the kind, so that a trace with many losses stays
/// readable.
class LossMarks {
 public:
  explicit LossMarks(TraceModel& model) : model_(model) {}

  /// Counts a loss at time `ns`, and marks it if it is one of the first 20 of its kind. `loss` is
  /// the name of the kind in loss_fields(). `sentence` is the text of the mark.
  void add(std::string_view loss, std::int64_t ns, const std::string& sentence);
  /// For each kind with more than 20 losses, adds a mark with the number of losses that have no
  /// mark. Call this once, after the last add().
  void finish();

 private:
  struct Count {
    std::int64_t marks = 0;
    std::int64_t last_ns = 0;
  };
  static constexpr std::int64_t most = 20;  // marks for each kind of loss

  TraceModel& model_;
  std::map<std::string_view, Count> counts_;
};

/// Device work (kernels, copies and memory sets) whose recorded start is before the start of the
/// call that submitted it. `pieces` is the number of such kernels, copies and sets. `most_ns` is
/// the longest time from the start of one of them to the start of its call.
struct EarlyWork {
  std::int64_t pieces = 0, most_ns = 0;
};

/// Adds to `launches`, `launched` and `without_launch` of `losses`. Returns the device work that
/// starts before its call. If `marks` is not null, marks each launch whose work is not in the
/// trace, and each piece of work whose call is not in the trace. A launch of the runtime and the
/// driver calls inside it count as one launch.
EarlyWork count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                         TraceLosses& losses, LossMarks* marks = nullptr);
EarlyWork count_launches(const std::vector<ReadLane>& lanes, TraceLosses& losses);

}  // namespace normbench
