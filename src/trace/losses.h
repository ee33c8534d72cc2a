/// Losses and changes on the way to a trace. They are counted, and marked where they happened.
#pragma once

#include <map>

#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Adds marks to a model. The first few losses of each kind get marks at their places. One more
/// mark has the number of all further losses, so that marks never bury the trace.
class LossMarks {
 public:
  explicit LossMarks(TraceModel& model) : model_(model) {}

  /// `loss` is a name of loss_fields().
  void add(std::string_view loss, std::int64_t ns, const std::string& sentence);
  /// Adds one mark for each kind of loss with more losses than marks. Call this once, at the end.
  void finish();

 private:
  struct Count {
    std::int64_t marks = 0;
    std::int64_t last_ns = 0;
  };
  static constexpr std::int64_t most = 20;  // the most marks for each kind of loss

  TraceModel& model_;
  std::map<std::string_view, Count> counts_;
};

/// Device work that begins before its call: the number of pieces, and the longest time before a
/// call.
struct EarlyWork {
  std::int64_t pieces = 0, most_ns = 0;
};

/// Counts launches, launches whose work is in the trace, and work whose call is not in the trace.
/// Marks these losses unless `marks` is null. A driver call inside a launch of the runtime is the
/// same launch. Returns the work that begins before its call.
EarlyWork count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                         TraceLosses& losses, LossMarks* marks = nullptr);
EarlyWork count_launches(const std::vector<ReadLane>& lanes, TraceLosses& losses);

}  // namespace normbench
