/// What was lost or changed on the way to a trace: counted, and marked where it happened.
#pragma once

#include <map>

#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Adds marks to a model: of each loss the first few at their places, then one that says how many
/// more there are, so that they never bury the trace.
class LossMarks {
 public:
  explicit LossMarks(TraceModel& model) : model_(model) {}

  /// `loss` is a name of loss_fields().
  void add(std::string_view loss, std::int64_t ns, const std::string& sentence);
  /// Says how many were not marked. Call once, at the end.
  void finish();

 private:
  struct Count {
    std::int64_t marks = 0;
    std::int64_t last_ns = 0;
  };
  static constexpr std::int64_t most = 20;  // marks of a loss

  TraceModel& model_;
  std::map<std::string_view, Count> counts_;
};

/// Device work that begins before its call.
struct EarlyWork {
  std::int64_t pieces = 0, most_ns = 0;
};

/// Counts launches, those whose work is there, and work whose call is not, and marks the losses
/// unless `marks` is null. A call of the driver within a launch of the runtime is the same launch.
EarlyWork count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                         TraceLosses& losses, LossMarks* marks = nullptr);
EarlyWork count_launches(const std::vector<ReadLane>& lanes, TraceLosses& losses);

}  // namespace normbench
