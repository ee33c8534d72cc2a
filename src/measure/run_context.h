/// What a run needs from its caller, how it reports its progress, and which part of a group a
/// process measures.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "document/journal.h"
#include "document/results.h"
#include "machine/energy.h"
#include "machine/hardware_counters.h"
#include "measure/watchdog.h"
#include "plan/plan.h"
#include "record/clock.h"
#include "record/device_trace.h"
#include "record/profile_trace.h"
#include "record/recorder.h"

namespace normbench {

class GroupMemory;
class ProfilerCapture;

/// A finished piece of the work on a group.
struct GroupStep {
  enum class Kind { Prepared, Turn, Process, StagedTurn, Checked, Profiled };
  Kind kind;
  std::size_t group;
  std::size_t done, all;   // finished pieces of this kind, and their total (Turn: per round)
  std::size_t rounds = 0;  // number of complete rounds so far
};

/// A forecast of the time that a group takes, in seconds. It is made when the lengths of the turns
/// have been decided.
struct GroupForecast {
  double preparing_seconds = 0;  // before the rounds, not counting the start of peers
  double round_seconds = 0, after_seconds = 0;  // of one round; of all work after the rounds
  std::size_t fewest_rounds = 0, turns = 0;     // least number of rounds; turns per round

  double seconds() const {
    return preparing_seconds + round_seconds * static_cast<double>(fewest_rounds) + after_seconds;
  }
};

/// Receives the progress of a run, to show it. All calls come from one thread.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called before a process measures its part of the group. `part` is the index of this part.
  virtual void group_started(std::size_t index, const Group& group, std::int64_t part) = 0;
  /// Called when the lengths of the turns of a group have been decided: before the first round, and
  /// again if turns are shortened after some rounds.
  virtual void turns_fitted(std::size_t index, const GroupForecast& forecast) = 0;
  /// Called after each first call, turn, process, check of a last call, and profiled case.
  virtual void step_done(const GroupStep& step) = 0;
  /// Called after each round. `rounds`: the number of rounds so far. `seconds`: the time since the
  /// start of the group. `half_width`: the half-width of the widest confidence interval of a ratio
  /// of two cases; 0: not known yet.
  virtual void round_done(int rounds, double seconds, double half_width) = 0;
  virtual void group_finished(std::size_t index, const GroupResult& group) = 0;
};

/// The part of the rounds of a group that one process measures. The physical addresses of buffers
/// differ between processes, which changes the times of cache-sized cases. So several processes
/// show more of the behaviour of the machine than one process.
struct Part {
  // The index of the process. In a resumed group, the number of earlier rounds is used instead, so
  // that the random numbers differ from those of the interrupted run.
  std::int64_t index = 0;
  // An earlier result of the group. It has either the rounds of part 0, or the rounds of this part
  // that an interrupted run has measured. It decides how many iterations per turn each contender
  // has in this part, and for which contenders the stages are timed in the rounds. Null: there is
  // no earlier result.
  const GroupResult* first = nullptr;
  // The number of rounds of this part that an interrupted run has already measured, and the time of
  // these rounds in seconds. `first` has these rounds. 0: this part starts from its first round.
  std::size_t rounds = 0;
  double seconds = 0;
  bool limits = true;  // false: limits are not measured
  bool check = true;   // false: no output is checked
  // For each contender that takes no turns because it hung or failed in an earlier process: its
  // name and the reason.
  std::map<std::string, std::string> hung = {};
};

struct RunContext {
  const Backends& backends;
  Clock& clock;
  Recorder& recorder;
  Watchdog& watchdog;
  Journal* journal = nullptr;  // null: the run has no journal
  Observer& observer;
  const std::atomic<bool>& interrupted;
  std::int64_t cache_bytes;  // of the last-level cache; cold buffers have at least 3 times as many
  /// Returns two totals so far: the time that a hypervisor took from the processors, and the time
  /// in which CPU quotas stopped processes. Also returns the present frequency of the processors.
  /// It is called before and after each turn.
  std::function<Disturbance()> disturbance = {};
  PerfEvents* perf_events = nullptr;  // null: the profile pass counts no cycles
  const Rapl* rapl = nullptr;         // null: the profile pass reads no energy
  /// Computes the members `rows`, `times` and `losses` of a profile from what was recorded of the
  /// case.
  std::function<void(ProfileTrace, CaseProfile&)> on_profile;
  DeviceTracer* tracer = nullptr;  // null or not usable: CUDA events time device work
  bool rounds = true;              // false: cases are checked once and profiled, but not timed
  // run() begins it before the profile pass, and the caller of run() ends it.
  ProfilerCapture* capture = nullptr;
  /// Memory that is large enough for each group, and that all groups use one after another. Null:
  /// each group allocates its own memory.
  GroupMemory* memory = nullptr;
  Part part = {};  // what this process measures of each group
  /// Called with the result of the group so far: after each round, and if the run is interrupted
  /// before the group is finished. The result has no rounds if the turns were shortened after the
  /// last round, because that drops all rounds. Empty: not called.
  std::function<void(const GroupResult&)> on_round = {};
  /// Measures a part of a group in a fresh process. Returns nothing when interrupted. It is called
  /// only if `measure.processes` is above 1.
  std::function<std::optional<GroupResult>(std::size_t group, const Part&)> fresh_process = {};
};

}  // namespace normbench
