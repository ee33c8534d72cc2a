/// The results document in memory: measurements only; everything else is derived by analysis/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/claim.h"
#include "core/json.h"
#include "core/tensor.h"
#include "machine/device_state.h"
#include "machine/disturbance.h"
#include "ops/images/image_files.h"
#include "record/clock.h"

namespace normbench {

/// One turn of one contender, per turn (not per iteration).
struct Round {
  std::int64_t wall_ns = 0;
  std::int64_t device_ns = 0;
  std::int64_t submitted_ns = 0;  // until all work was given to a device; 0 without one
  std::int64_t cpu_ns = 0;
  std::int64_t start_ns = 0;   // since the group's start
  std::int64_t queued_ns = 0;  // longest that one of its threads waited for a processor
  Counters counters;
  Disturbance disturbance = {};  // over the turn and its warm-up
  DeviceState state = {};        // of the device that the turn used, at its end
  bool operator==(const Round&) const = default;
};

enum class Status { Ok, Skipped, Failed };
constexpr auto words(Status) {
  return std::to_array<Word<Status>>(
      {{Status::Ok, "ok"}, {Status::Skipped, "skipped"}, {Status::Failed, "failed"}});
}

/// Why no more rounds were measured: every interval was narrow enough, or the time was up.
enum class Stop { Precision, Time };
constexpr auto words(Stop) {
  return std::to_array<Word<Stop>>({{Stop::Precision, "precision"}, {Stop::Time, "time"}});
}

/// Where a profile's device times come from; Mixed: several profiles that differ.
enum class DeviceTimes { Cupti, CudaEvents, Mixed };
constexpr auto words(DeviceTimes) {
  return std::to_array<Word<DeviceTimes>>({{DeviceTimes::Cupti, "CUPTI"},
                                           {DeviceTimes::CudaEvents, "CUDA events"},
                                           {DeviceTimes::Mixed, "CUPTI, CUDA events"}});
}

struct StageResult {
  std::string op, label, kernel;
  bool forced = false;                   // the config names the kernel
  std::vector<std::string> ranges = {};  // the config's ranges around it, outermost first
  Place place = Place::Cpu;
  TensorDesc out;
  Json parameters = {};             // what the config says of the op itself; null for nothing
  std::int64_t min_bytes = 0;       // fewest bytes the op can move, …
  std::int64_t min_read_bytes = 0;  // … and how many of them it reads
  std::int64_t bytes = 0;           // bytes the row moves
  std::int64_t link_bytes = 0;
  std::int64_t flops = 0;
  OutputPolicy output = OutputPolicy::Reuse;
  // A turn's time in this stage, device time on the GPU; empty when not attributed.
  std::vector<std::int64_t> rounds_ns;
  std::vector<std::int64_t> calls_ns = {};  // on the GPU: the host's time in the stage's calls
  bool staged = false;                      // rounds_ns are of turns of their own, after the rounds
  bool resident = false;  // its input was made so shortly before that it is still in a cache
  bool operator==(const StageResult&) const = default;
};

/// What an output was compared with: the double reference of its ops; where there is none, what
/// another variant gave; nothing, where there is no other either.
enum class HeldTo { Reference, Variant, Nothing };
constexpr auto words(HeldTo) {
  return std::to_array<Word<HeldTo>>({{HeldTo::Reference, "reference"},
                                      {HeldTo::Variant, "variant"},
                                      {HeldTo::Nothing, "nothing"}});
}

struct CheckResult {
  bool ok = false;           // nothing wrong was found
  double max_abs_error = 0;  // the largest difference from an exact value, …
  double bound = 0;          // … and what that value may be off: each has a bound of its own
  double bound_share = 0;    // the largest error over its own bound; above 1: wrong
  std::int64_t unchecked_values = 0;  // whose bounds are as wide as the values are large
  // Where images are held as wholes: the least peak signal-to-noise ratio of one, and what it must
  // be. 0: elements are held to `bound`.
  double psnr_db = 0, psnr_bound_db = 0;
  HeldTo held_to = HeldTo::Reference;
  std::string variant = {};  // the other one
  std::int64_t calls = 0;    // how many were compared
  bool operator==(const CheckResult&) const = default;

  /// Whether the output was compared at all: a case may fail before.
  bool compared() const {
    return held_to != HeldTo::Nothing && (ok || max_abs_error != 0 || psnr_bound_db > 0);
  }

  /// Whether an error is to be shown rather than another, each with its bound: the larger one; of
  /// equal ones that with the narrower bound, but the widest where there is no error at all.
  static bool outweighs(double error, double bound, double other, double other_bound) {
    if (error != other) return error > other;
    return error > 0 ? bound < other_bound : bound > other_bound;
  }

  /// Another check of the same case: its calls, and its errors where they are worse.
  void add(const CheckResult& other) {
    calls += other.calls;
    unchecked_values = std::max(unchecked_values, other.unchecked_values);
    bound_share = std::max(bound_share, other.bound_share);
    if (other.psnr_bound_db > 0) psnr_db = std::min(psnr_db, other.psnr_db);
    if (outweighs(other.max_abs_error, other.bound, max_abs_error, bound)) {
      max_abs_error = other.max_abs_error;
      bound = other.bound;
    }
  }
};

/// A lane of a pipeline, as the planner decided it.
struct LaneResult {
  std::string name;
  std::int64_t servers = 1, threads = 1;
  std::vector<std::int64_t> stages = {};  // of the case, by number
  std::string alone = {};                 // the limit that runs it alone; "": none does
  // By round: the sum of its servers' work, and how long no other lane worked meanwhile. Empty
  // where a device's work was not timed.
  std::vector<std::int64_t> busy_ns = {}, exposed_ns = {};
  bool operator==(const LaneResult&) const = default;
};

/// How a case ran with items in flight: "iterations" of them a turn.
struct PipelineResult {
  std::int64_t in_flight = 1;
  Submit submit = Submit::Lane;
  std::vector<LaneResult> lanes = {};
  std::string part_of = {}, lane = {};  // of a limit: a variant, and which of its lanes ("": all
                                        // but the loading)
  // By round: until the first item was done, and from the last item's start on. Of all items of all
  // rounds: from start to end.
  std::vector<std::int64_t> fill_ns = {}, drain_ns = {}, latency_ns = {};
  bool operator==(const PipelineResult&) const = default;
};

/// What a case loads from.
struct DatasetResult {
  std::int64_t images = 0, files = 0;  // those that can be read
  std::int64_t bytes = 0;              // of the files
  // As the manifest of who made it says; 0: not known. How long that took, and the mean peak
  // signal-to-noise ratio of its images to those that it was made of.
  double prepare_seconds = 0, psnr_db = 0;
  std::vector<BrokenFiles> left_out = {};   // by on_error: skip
  std::vector<RemarkedFiles> remarks = {};  // of those that are read
  Beside beside = {};                       // what lies there and is not taken
  bool operator==(const DatasetResult&) const = default;
};

struct CaseResult {
  std::string variant;
  std::string written = {};  // its name in the config where that is another: "a" of "a [k=1]"
  Json axes = Json::object();
  Status status = Status::Ok;
  std::string reason;             // why skipped or failed
  std::optional<Skip> skip = {};  // of which kind that is; nothing in older documents
  int threads = 1;
  bool threads_decided = false;   // the config says "all": normbench chose the number
  std::optional<Wait> wait = {};  // when the host waits for the GPU; nothing without one
  bool graph = false;             // its GPU stages run as graphs
  std::optional<PipelineResult> pipeline = {};  // with items in flight
  std::optional<DatasetResult> dataset = {};    // of one that loads
  std::string peer = {};          // the config's name of the peer that ran it; "": this process
  std::string peer_version = {};  // what the peer calls itself: "torch 2.9.0"
  bool resident = false;          // a limit on buffers that stay in the cache
  std::int64_t iterations = 0;    // per turn
  std::int64_t images = 0;        // per iteration
  std::int64_t source_bytes = 0;  // what one iteration must read of the source, or the files
  std::int64_t result_bytes = 0;  // what it must write: its outputs
  std::optional<TensorDesc> source = {};     // what it starts from; nothing for files
  std::vector<TensorDesc> more_inputs = {};  // other sources, and what a setup made
  std::vector<TensorDesc> outputs = {};      // none: what the last stage gives
  std::int64_t first_call_ns = 0;
  // What a stage's time on a device has beside its work: that of two marks with nothing between
  // them; 0 where it was not measured.
  std::int64_t bracket_ns = 0;
  std::vector<StageResult> stages;
  std::vector<Round> rounds;
  std::vector<Round> cut_rounds = {};  // of a block that the group's time cut: kept, never used
  CheckResult check;
  std::vector<std::string> notes;  // "a turn loads 16 of 40 images", …
  bool operator==(const CaseResult&) const = default;
};

/// What the case gives: the outputs that it names, else that of its last stage.
inline std::vector<TensorDesc> outputs_of(const CaseResult& result) {
  if (!result.outputs.empty() || result.stages.empty()) return result.outputs;
  return {result.stages.back().out};
}

/// True for a stage of the op `T`, a type of ops/.
template <class T>
bool is_op(const StageResult& stage) {
  return stage.op == T::name;
}

/// One row of the profiler table: calls of one name. `place` is Cpu for what the host did, also
/// when it submitted work to a device; the work itself has rows of the device's place.
struct ProfileRow {
  std::string name;
  Place place = Place::Cpu;
  std::string shapes;
  bool annotation = false;   // a range of steps, or its projection on a device: no work itself
  bool constants = false;    // a kernel's preparing of its constants, calls in it included
  bool image = false;        // a loader's work on one image
  std::string longest = {};  // the longest call's own name, where that is not the row's
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  // Of single calls: host time, of device rows device time. Percentiles by nearest rank.
  std::int64_t min_ns = 0, p50_ns = 0, p95_ns = 0, max_ns = 0;
  std::int64_t bytes = 0;   // moved by all calls; 0: not known
  std::int64_t faults = 0;  // page faults of all calls, minor and major; of stages on the host
  // Of other tools' traces alone, in no document: ranges that may end on another thread, which have
  // no self time; and bytes allocated less those freed while all calls ran, with and without that
  // of the calls below them.
  bool async = false;
  std::int64_t cpu_memory = 0, self_cpu_memory = 0;
  std::int64_t device_memory = 0, self_device_memory = 0;
  bool operator==(const ProfileRow&) const = default;
};

/// What the processor counted over all steps of a profile; nothing for what could not be read.
struct ProfileCounters {
  Counters software;  // faults and context switches
  std::optional<std::int64_t> cycles, instructions, cache_misses;
  std::string hardware_missing = {};  // why the three above are not there, or ""
  std::optional<double> cpu_joules, gpu_joules;
  std::string energy_missing = {};  // why neither is there, or ""
  bool operator==(const ProfileCounters&) const = default;
};

/// What a profile's device work and calls add up to; unions of intervals over all streams, not
/// sums. All 0 without device work, but for wall_ns.
struct ProfileTimes {
  std::int64_t wall_ns = 0;           // of the recorded steps, their sum
  std::int64_t busy_ns = 0;           // some device work was running
  std::int64_t copy_ns = 0;           // some copy over the link was running …
  std::int64_t exposed_copy_ns = 0;   // … and no kernel
  std::int64_t overlap_ns = 0;        // two pieces of device work or more were running
  std::int64_t gaps = 0, gap_ns = 0;  // between pieces of device work within a step: count, sum
  bool operator==(const ProfileTimes&) const = default;
};

/// What the recording lost; all 0: nothing. See trace/model.h.
struct ProfileLosses {
  std::int64_t dropped = 0, lost_buffers = 0, without_times = 0;
  std::int64_t launches = 0, launched = 0, without_launch = 0;
  std::int64_t before_launch = 0, most_skew_ns = 0;
  bool operator==(const ProfileLosses&) const = default;
};

/// What a lane of a pipeline did for an item: one stage. Times are from the start of a few items
/// on; work that began before them, or was not done with them, is cut off there.
struct LaneWork {
  std::int64_t item = 0, lane = 0, stage = 0;  // numbers: of the window, of the case
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const LaneWork&) const = default;
};

struct CaseProfile {
  std::string variant;
  std::int64_t steps = 0;      // recorded …
  std::int64_t discarded = 0;  // … and run before or between them for warm-up, thrown away
  std::optional<ProfileCounters> counters = {};
  double overhead = 0;  // profiled over measured time of a step; 0 when not measured
  // Device times are tied to the host's clock within this; 0 without device times.
  std::int64_t clock_error_ns = 0;
  std::optional<DeviceTimes> device_times = {};
  ProfileTimes times = {};
  ProfileLosses losses = {};
  std::vector<ProfileRow> rows;
  std::vector<LaneWork> lane_work = {};  // of a pipeline: while a few items were in flight
  bool operator==(const CaseProfile&) const = default;
};

struct GroupResult {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<CaseResult> cases;
  std::vector<CaseResult> limits;                // contenders named e.g. "stream 1:4 nt"
  std::vector<std::vector<int>> order;           // contenders per round: cases, then limits
  std::vector<std::vector<int>> cut_order = {};  // the same of cut_rounds; the last may lack some
  std::optional<Stop> stop = {};                 // nothing: no rounds
  // Backend::condition() of the device before the first and after the last round; null without one.
  Json condition_before = {}, condition_after = {};
  std::int64_t slowest_state_ns = 0;  // what the slowest reading of a round's `state` took
  std::vector<CaseProfile> profile;
  std::vector<Published> published;
  std::vector<Claim> claims;
  std::vector<std::string> ids = {};  // published experiments that this is
  // What its experiment asked for in place of the config.
  std::optional<double> precision = {};
  std::optional<Cache> cache = {};
  std::int64_t scaled_from = 0;  // images a batch that it asked for where fewer fit; 0: as asked
  bool operator==(const GroupResult&) const = default;
};

/// A pair of variants whose answer is known: identical ones, far larger than the cache or within
/// it; or a second one that does 5 % more of the same work.
enum class PairKind { Identical, Cached, Slowed };
constexpr auto words(PairKind) {
  return std::to_array<Word<PairKind>>({{PairKind::Identical, "identical"},
                                        {PairKind::Cached, "cached"},
                                        {PairKind::Slowed, "slowed"}});
}

/// What `normbench calibrate` measures of one pair.
struct MeasuredPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;  // measured in a process of its own
  GroupResult group;
};

struct Results {
  Json tool = Json::object();         // name, version, revision, build
  Json environment = Json::object();  // see machine/environment.h
  Json config = Json::object();
  std::string name, about;
  double precision = 0.01;
  bool quick = false;
  Cache cache = Cache::Cold;
  DecidingClock clock = DecidingClock::Wall;
  std::int64_t seed = 1;
  bool traced = false;       // a profiling tool was attached; nothing is ranked
  bool interrupted = false;  // groups are missing
  bool unkept = false;       // … since its journal could not be written: a full disk, say
  Json calibration = {};     // what `normbench calibrate` found on this machine; null without it
  std::vector<GroupResult> groups;
  bool operator==(const Results&) const = default;
};

/// The relative half-width that was asked for of the group's intervals.
inline double precision_of(const GroupResult& group, const Results& results) {
  return group.precision.value_or(results.precision);
}
/// Where the group's data lay before each turn.
inline Cache cache_of(const GroupResult& group, const Results& results) {
  return group.cache.value_or(results.cache);
}

/// What `schema` says in documents of this version.
inline constexpr int document_schema = 1;

/// The document (schema 1) without derived fields. Names are those of the structs; besides:
/// - "rounds" is stored by column, {"wall_ns": […], "minor_faults": […], …}, all columns equally
///   long; a column of zeros is left out, but for wall_ns.
/// - a tensor is {"dtype", "shape": [n, c, h, w], "layout", "memory"}, "strides" only when not
/// dense.
/// - what only a device gives is left out where there was none: calls_ns, condition_before and
///   condition_after, clock_error_ns.
/// - what newer versions added is left out where it says nothing: written, skip, parameters,
///   min_read_bytes, resident, threads_decided, source, wait, graph, pipeline, dataset, peer,
///   peer_version, counters, calibration, discarded, device_times, times, losses, unkept,
///   cut_rounds, cut_order, bracket_ns, slowest_state_ns, ids, point, stage, items, ratio, within,
///   across, submitted_ms, forced and ranges, a group's precision, cache and scaled_from, of a
///   check unchecked_values, psnr_db, psnr_bound_db, held_to and variant, of a dataset left_out,
///   remarks, other_pictures and in_folders, and of a profile's row annotation, constants, image,
///   longest, min_ns to max_ns, bytes, faults.
/// - a double that is not finite is null, and infinity when read back: of a check alone. Other
///   numbers are finite and none negative, but for a seed.
Json to_json(const Results& results);
Json to_json(const GroupResult& group);

/// The document back; fields that are not measurements ("summary", "verdict", …) are ignored. All
/// that is wrong or contradicts itself is added to `issues`. Throws Invalid for no such document.
Results read_results(const Json& document, std::vector<Issue>& issues);
/// The same; throws Invalid ("/groups/0/cases/1/rounds: …") for any mistake.
Results read_results(const Json& document);
GroupResult read_group(const Json& document);

}  // namespace normbench
