/// What a run uses, how it reports its progress, and which part of it one process measures.
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

/// A finished piece of work on a group.
struct GroupStep {
  enum class Kind { Prepared, Turn, Process, StagedTurn, Checked, Profiled };
  Kind kind;
  std::size_t group;
  std::size_t done, all;   // finished pieces of this kind, and their total (turns: in this round)
  std::size_t rounds = 0;  // finished rounds before the present one
};

/// What a group will take, in seconds, with turns as long as they are going to be.
struct GroupForecast {
  double preparing_seconds = 0;                 // what preparing took
  double round_seconds = 0, after_seconds = 0;  // one round; all work after the rounds
  std::size_t fewest_rounds = 0, turns = 0;     // turns: of a round

  double seconds() const {
    return preparing_seconds + round_seconds * static_cast<double>(fewest_rounds) + after_seconds;
  }
};

/// Receives the progress of a run, which the app draws. All calls come from one thread.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called before each part of the group.
  virtual void group_started(std::size_t index, const Group& group, std::int64_t part) = 0;
  /// Called when the lengths of a group's turns are decided, before its first round.
  virtual void turns_fitted(std::size_t index, const GroupForecast& forecast) = 0;
  /// Called after each first call, turn, process, check and profiled case.
  virtual void step_done(const GroupStep& step) = 0;
  /// Called after each round with the rounds so far, the seconds spent in the group, and the
  /// half-width of the widest interval (0: unknown).
  virtual void round_done(int rounds, double seconds, double half_width) = 0;
  virtual void group_finished(std::size_t index, const GroupResult& group) = 0;
};

/// The share of a group's rounds that one process measures. The buffers of cache-sized cases lie
/// differently in each process, so several processes show more of the machine's behaviour than one.
struct Part {
  std::int64_t index = 0;
  // The result whose turns this part continues, with as many iterations and with marks or without:
  // that of part 0, or what an interrupted run has measured of this part.
  const GroupResult* first = nullptr;
  // The rounds of `first` that belong to this part, because an interrupted run has begun it, and
  // the seconds that they took; 0: the part is measured from its beginning.
  std::size_t rounds = 0;
  double seconds = 0;
  bool limits = true;  // false: the limits are not measured
  bool check = true;   // false: outputs are not compared with their references
  // Contenders that hung or failed in an earlier process, each with the reason.
  std::map<std::string, std::string> hung = {};
};

struct RunContext {
  const Backends& backends;
  Clock& clock;
  Recorder& recorder;
  Watchdog& watchdog;
  Journal* journal = nullptr;  // null: no journal is kept
  Observer& observer;
  const std::atomic<bool>& interrupted;
  std::int64_t cache_bytes;  // size of the last-level cache; cold buffers exceed it threefold
  /// Returns the totals of disturbances so far, and the present frequency. Called before and after
  /// every turn.
  std::function<Disturbance()> disturbance = {};
  PerfEvents* perf_events = nullptr;  // null: the profile pass counts no cycles
  const Rapl* rapl = nullptr;         // null: the profile pass reads no energy
  /// Computes a profile's rows, times and losses from what was recorded of the case.
  std::function<void(ProfileTrace, CaseProfile&)> on_profile;
  DeviceTracer* tracer = nullptr;  // if null or not usable, device times come from marks
  bool rounds = true;              // false: each case is checked once and profiled, but not timed
  // Begun by run() before the profile pass, and ended by the caller.
  ProfilerCapture* capture = nullptr;
  /// Memory with room for any group, which all groups use in turn. Null: each group allocates its
  /// own.
  GroupMemory* memory = nullptr;
  Part part = {};  // the share of each group's rounds that this process measures
  /// Is given the group with its rounds so far: after each round, and when the run is interrupted
  /// before the group is finished. Empty: they are not kept.
  std::function<void(const GroupResult&)> on_round = {};
  /// Measures a part of a group in a fresh process. Returns nullopt when interrupted. It is called
  /// only if `measure.processes` is above 1.
  std::function<std::optional<GroupResult>(std::size_t group, const Part&)> fresh_process = {};
};

}  // namespace normbench
