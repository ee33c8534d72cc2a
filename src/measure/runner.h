/// Runs a plan: groups one after another, contenders of a group interleaved in rounds.
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

/// A piece of a group that is done, and how many such pieces there are.
struct GroupStep {
  enum class Kind { Prepared, Turn, Process, StagedTurn, Checked, Profiled };
  Kind kind;
  std::size_t group;
  std::size_t done, all;   // such pieces: contenders prepared, turns of the present round, …
  std::size_t rounds = 0;  // before the present one
};

/// What the run tells while it runs; the app draws progress with it. All calls on one thread.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Before each of its parts.
  virtual void group_started(std::size_t index, const Group& group, std::int64_t part) = 0;
  /// After each first call, turn, process, check and profiled case.
  virtual void step_done(const GroupStep& step) = 0;
  /// After each round: rounds so far, seconds spent in the group, widest interval (0: unknown).
  virtual void round_done(int rounds, double seconds, double half_width) = 0;
  virtual void group_finished(std::size_t index, const GroupResult& group) = 0;
};

/// A share of a group's rounds. Buffers of cache-sized cases lie differently in each process, so
/// several processes see more of the machine than one.
struct Part {
  std::int64_t index = 0;
  const GroupResult* first = nullptr;  // part 0's, whose iterations per turn all parts share
  bool limits = true;                  // false: only the cases are measured
  bool check = true;                   // false: outputs are not compared with their references
  std::map<std::string, std::string> hung = {};  // contenders that an earlier process hung in, why
};

struct RunContext {
  const Backends& backends;
  Clock& clock;
  Recorder& recorder;
  Watchdog& watchdog;
  Journal* journal = nullptr;  // null: nothing is kept
  Observer& observer;
  const std::atomic<bool>& interrupted;
  std::int64_t cache_bytes;  // last-level cache: cold buffers exceed it threefold
  /// Totals since some start, and the frequency now; read before and after every turn.
  std::function<Disturbance()> disturbance = {};
  PerfEvents* perf_events = nullptr;  // null: the profile pass counts no cycles, …
  const Rapl* rapl = nullptr;         // … and reads no energy
  /// Fills a profile's rows, times and losses from what the case recorded.
  std::function<void(ProfileTrace, CaseProfile&)> on_profile;
  DeviceTracer* tracer = nullptr;  // null, or missing: device times come from marks
  bool rounds = true;  // false: cases are only checked once and profiled, for a tool that watches
  ProfilerCapture* capture = nullptr;  // begun with the profile pass, ended by the caller
  /// Memory for all groups measured, which holds what each needs; null: each takes its own.
  GroupMemory* memory = nullptr;
  Part part = {};  // which share of a group's rounds this process measures
  /// Measures a part of a group in a fresh process, when `measure.processes` asks for several;
  /// nothing when it was interrupted.
  std::function<std::optional<GroupResult>(std::size_t group, const Part&)> fresh_process = {};
};

/// What a run leaves.
struct RunOutcome {
  Results results;
  std::string unkept = {};    // why the journal could not be written, which ended the run there
  std::string untraced = {};  // why the tracer was not used, or not to the end
};

/// Measures every group of the plan that the journal does not hold yet, then profiles those that
/// have no profile; the journal keeps each group, and each part of one that several processes
/// measure. Without rounds each case is run once, checked and profiled, but has no times. An
/// interrupted group is dropped, or only its last part. A group that the journal cannot keep is
/// the last, with `unkept` and `interrupted`. Fills of the results `groups`,
/// `interrupted`, `unkept` and what comes from the plan; the app adds tool and environment.
RunOutcome run(const Plan& plan, RunContext& context);

/// Appends a later part's rounds; the time between the parts is left out. A case that failed in
/// either has failed; errors and bounds are the larger ones.
void append_part(GroupResult& group, GroupResult part);

/// Throws Invalid when the journal names a group that the plan has not, or keeps one of another
/// experiment, point, baseline or other variants than the plan's.
void require_fit(const JournalContent& content, const Plan& plan);

}  // namespace normbench
