/// Counts and marks what was lost from a trace or had to be changed in it.
#pragma once

#include <map>

#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Marks losses in a model. Only the first 20 losses of each kind get marks of their own, so that
/// marks never hide the trace. finish() adds one mark for the rest of a kind.
class LossMarks {
 public:
  explicit LossMarks(TraceModel& model) : model_(model) {}

  /// Marks a loss at time `ns`, unless 20 of its kind have marks already. `loss` is the kind: a
  /// name from loss_fields(). `sentence` is the text of the mark.
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

/// Facts about kernels, copies and sets that begin before the call that started them: their number,
/// and the longest time from the begin of one to its call.
struct EarlyWork {
  std::int64_t pieces = 0, most_ns = 0;
};

/// Increases `launches`, `launched` and `without_launch` of `losses`. Unless `marks` is null, marks
/// each launch whose work is not in the trace, and each piece of work whose call is not in the
/// trace. A driver call inside a launch of the runtime belongs to that launch.
EarlyWork count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                         TraceLosses& losses, LossMarks* marks = nullptr);
EarlyWork count_launches(const std::vector<ReadLane>& lanes, TraceLosses& losses);

}  // namespace normbench
