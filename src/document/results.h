/// The results document in memory. It has measurements only; analysis/ derives all else from them.
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
#include "ops/roles.h"
#include "record/clock.h"

namespace normbench {

/// One turn of one contender. Times are of the whole turn, not of an iteration.
struct Round {
  std::int64_t wall_ns = 0;
  std::int64_t device_ns = 0;
  std::int64_t submitted_ns = 0;  // time until all work was submitted to a device; 0 without one
  std::int64_t cpu_ns = 0;
  std::int64_t start_ns = 0;   // since the start of the group
  std::int64_t queued_ns = 0;  // longest time that a thread of the case waited for a CPU
  Counters counters;
  Disturbance disturbance = {};  // during the turn and its warm-up
  DeviceState state = {};        // state of the device used, at the end of the turn
  std::int64_t turn_clock_mhz = 0;  // clock of the device's processors over the turn; 0: not known
  bool operator==(const Round&) const = default;
};

enum class Status { Ok, Skipped, Failed };
constexpr auto words(Status) {
  return std::to_array<Word<Status>>(
      {{Status::Ok, "ok"}, {Status::Skipped, "skipped"}, {Status::Failed, "failed"}});
}

/// Why measuring ended: every interval was narrow enough, or the time was up.
enum class Stop { Precision, Time };
constexpr auto words(Stop) {
  return std::to_array<Word<Stop>>({{Stop::Precision, "precision"}, {Stop::Time, "time"}});
}

/// The source of a profile's device times. Mixed: the profile combines several profiles, and some
/// have times from CUPTI, others from CUDA events.
enum class DeviceTimes { Cupti, CudaEvents, Mixed };
constexpr auto words(DeviceTimes) {
  return std::to_array<Word<DeviceTimes>>({{DeviceTimes::Cupti, "CUPTI"},
                                           {DeviceTimes::CudaEvents, "CUDA events"},
                                           {DeviceTimes::Mixed, "CUPTI, CUDA events"}});
}

struct StageResult {
  std::string op, label, kernel;
  bool forced = false;                   // the config names the kernel
  std::vector<std::string> ranges = {};  // ranges of the config around the stage, outermost first
  Place place = Place::Cpu;
  TensorDesc out;
  Json parameters = {};             // members of the op in the config; null for none
  std::int64_t min_bytes = 0;       // fewest bytes that the op can move
  std::int64_t min_read_bytes = 0;  // how many of `min_bytes` are reads
  std::int64_t bytes = 0;           // bytes that the kernel row moves
  std::int64_t link_bytes = 0;
  std::int64_t flops = 0;
  OutputPolicy output = OutputPolicy::Reuse;
  // Time of each turn in this stage (on a GPU: device time), in ns; empty if it was not measured.
  std::vector<std::int64_t> rounds_ns;
  std::vector<std::int64_t> calls_ns = {};  // on a GPU: the host's time in the stage, for each turn
  bool staged = false;                      // `rounds_ns` is from separate turns after the rounds
  bool resident = false;  // the stage's input was written just before and is still in a cache
  bool operator==(const StageResult&) const = default;
};

/// What an output was compared with. Reference: what the references of its ops compute in double.
/// Variant: another variant's output, if there is no reference. Nothing: it was not compared.
enum class HeldTo { Reference, Variant, Nothing };
constexpr auto words(HeldTo) {
  return std::to_array<Word<HeldTo>>({{HeldTo::Reference, "reference"},
                                      {HeldTo::Variant, "variant"},
                                      {HeldTo::Nothing, "nothing"}});
}

struct CheckResult {
  bool ok = false;           // no output was found wrong
  double max_abs_error = 0;  // largest difference from an exact value
  double bound = 0;          // allowed error of the value with the largest error
  double bound_share = 0;    // largest ratio of an error to the bound of its value; above 1: wrong
  // Number of values that were not checked, since their bound is as large as the values.
  std::int64_t unchecked_values = 0;
  // If whole images are compared: the lowest peak signal-to-noise ratio of an image, and the lowest
  // allowed one. Both are 0 if values are compared.
  double psnr_db = 0, psnr_bound_db = 0;
  HeldTo held_to = HeldTo::Reference;
  std::string variant = {};  // variant compared with, for HeldTo::Variant
  std::int64_t calls = 0;    // number of calls whose output was compared
  bool operator==(const CheckResult&) const = default;

  /// Returns true if the output was compared. A case may fail before that.
  bool compared() const {
    return held_to != HeldTo::Nothing && (ok || max_abs_error != 0 || psnr_bound_db > 0);
  }

  /// Returns true if `error` is worse than `other`: it is larger, or the two are equal and `bound`
  /// is less than `other_bound`. If both errors are 0, the larger bound is worse.
  static bool outweighs(double error, double bound, double other, double other_bound) {
    if (error != other) return error > other;
    return error > 0 ? bound < other_bound : bound > other_bound;
  }

  /// Combines this check with another of the same case: adds the calls, and keeps the worse errors.
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

/// A lane of a pipeline, as planned and as measured.
struct LaneResult {
  std::string name;
  std::int64_t servers = 1, threads = 1;
  std::vector<std::int64_t> stages = {};  // indices into the stages of the case
  std::string alone = {};                 // name of the limit that runs this lane alone; "": none
  // For each round: the time in which the servers worked, summed over them, and the time in which
  // only this lane worked. Both are empty if work on a device was not timed.
  std::vector<std::int64_t> busy_ns = {}, exposed_ns = {};
  bool operator==(const LaneResult&) const = default;
};

/// How a case ran with several items in flight. A turn has `iterations` items.
struct PipelineResult {
  std::int64_t in_flight = 1;
  Submit submit = Submit::Lane;
  std::vector<LaneResult> lanes = {};
  // Only for limits: the variant, and which of its lanes this limit runs ("": all but loading).
  std::string part_of = {}, lane = {};
  // For each round: the time until the first item was done, and the time from the start of the last
  // item to the end of the round. For each item of all rounds: the time from its start to its end.
  std::vector<std::int64_t> fill_ns = {}, drain_ns = {}, latency_ns = {};
  bool operator==(const PipelineResult&) const = default;
};

/// The files that a case loads.
struct DatasetResult {
  std::int64_t images = 0, files = 0;  // numbers of images and of files
  std::int64_t bytes = 0;              // size of all files
  // From the manifest: the seconds that the dataset took to make, and the mean peak signal-to-noise
  // ratio of its images in dB. 0: not known.
  double prepare_seconds = 0, psnr_db = 0;
  std::vector<BrokenFiles> left_out = {};   // files left out with on_error: skip
  std::vector<RemarkedFiles> remarks = {};  // remarks on files that are read
  Beside beside = {};                       // other files in the folders, which are not loaded
  bool operator==(const DatasetResult&) const = default;
};

struct CaseResult {
  std::string variant;
  std::string written = {};  // name in the config if it differs: "a" for "a [k=1]"
  Json axes = Json::object();
  Status status = Status::Ok;
  std::string reason;             // why the case was skipped or failed
  std::optional<Skip> skip = {};  // kind of `reason`; nothing in older documents
  int threads = 1;
  bool threads_decided = false;   // normbench chose the number, since the config has "all"
  std::optional<Wait> wait = {};  // when the host waits for the GPU; nothing without a GPU
  bool graph = false;             // stages on the GPU run as graphs
  std::optional<PipelineResult> pipeline = {};  // set if several items are in flight
  std::optional<DatasetResult> dataset = {};    // set if the case loads files
  std::string peer = {};          // name in the config of the peer that ran it; "": this process
  std::string peer_version = {};  // what the peer calls itself: "torch 2.9.0"
  bool resident = false;          // a limit whose buffers stay in the cache
  std::int64_t iterations = 0;    // number per turn
  std::int64_t images = 0;        // number per iteration
  std::int64_t source_bytes = 0;  // bytes that an iteration must read: source or files
  std::int64_t result_bytes = 0;  // bytes that an iteration must write: its outputs
  std::optional<TensorDesc> source = {};     // what the case starts from; nothing for files
  std::vector<TensorDesc> more_inputs = {};  // other sources, and outputs of a setup
  std::vector<TensorDesc> outputs = {};      // empty: the output of the last stage
  std::int64_t first_call_ns = 0;
  // Overhead in the device time of each stage, in ns: the time between two consecutive marks with
  // no work between them. 0 if it was not measured.
  std::int64_t bracket_ns = 0;
  std::vector<StageResult> stages;
  std::vector<Round> rounds;
  std::vector<Round> cut_rounds = {};  // of a block that ran out of time; in no statistic
  CheckResult check;
  std::vector<std::string> notes;  // such as "a turn loads 16 of 40 images"
  bool operator==(const CaseResult&) const = default;
};

/// Returns the outputs of the case: the named ones, or the output of the last stage.
inline std::vector<TensorDesc> outputs_of(const CaseResult& result) {
  if (!result.outputs.empty() || result.stages.empty()) return result.outputs;
  return {result.stages.back().out};
}

/// Returns the roles of the stage's op; no roles if this version does not know the op.
inline const Roles& roles_of(const StageResult& stage) { return roles_named(stage.op); }

/// A row of the profiler table: all calls of one name. Calls of the host have Place::Cpu, even
/// calls that submit work to a device. The work itself has rows with the device's place.
struct ProfileRow {
  std::string name;
  Place place = Place::Cpu;
  std::string shapes;
  bool annotation = false;   // a range around steps, or its projection on a device: no work itself
  bool constants = false;    // preparing constants of a kernel; includes calls inside it
  bool image = false;        // calls are a loader's work, each on one image
  std::string longest = {};  // name of the longest call, if it differs from the row's
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  // Times of single calls: device time in rows of a device, else host time. Percentiles are by
  // nearest rank.
  std::int64_t min_ns = 0, p50_ns = 0, p95_ns = 0, max_ns = 0;
  std::int64_t bytes = 0;   // sum over all calls; 0: not known
  std::int64_t faults = 0;  // minor and major page faults of all calls; only for stages on the host
  // The members below are set only for traces of other tools, and no document has them.
  // - async: the calls are ranges that may end on another thread; they have no self time.
  // - memory: bytes allocated minus bytes freed during all calls. `self_…` leaves out nested calls.
  bool async = false;
  std::int64_t cpu_memory = 0, self_cpu_memory = 0;
  std::int64_t device_memory = 0, self_device_memory = 0;
  bool operator==(const ProfileRow&) const = default;
};

/// What the processor counted in all steps of a profile; nothing for a counter that was not read.
struct ProfileCounters {
  Counters software;  // page faults and context switches
  std::optional<std::int64_t> cycles, instructions, cache_misses;
  std::string hardware_missing = {};  // why the three counters are missing, or ""
  std::optional<double> cpu_joules, gpu_joules;
  std::string energy_missing = {};  // why both energies are missing, or ""
  bool operator==(const ProfileCounters&) const = default;
};

/// Sums over a profile's device work and calls. Overlapping times of several streams count once.
/// Without device work, all members but `wall_ns` are 0.
struct ProfileTimes {
  std::int64_t wall_ns = 0;           // sum of all recorded steps
  std::int64_t busy_ns = 0;           // time in which some device work was running
  std::int64_t copy_ns = 0;           // time in which a copy over the link was running
  std::int64_t exposed_copy_ns = 0;   // time in which a copy was running, but no kernel
  std::int64_t overlap_ns = 0;        // time in which two pieces of work or more were running
  std::int64_t gaps = 0, gap_ns = 0;  // number and sum of gaps between device work in a step
  bool operator==(const ProfileTimes&) const = default;
};

/// What the recording lost. All members are 0 if it lost nothing. TraceLosses in trace/model.h
/// explains the members.
struct ProfileLosses {
  std::int64_t dropped = 0, lost_buffers = 0, without_times = 0;
  std::int64_t launches = 0, launched = 0, without_launch = 0;
  std::int64_t before_launch = 0, most_skew_ns = 0;
  bool operator==(const ProfileLosses&) const = default;
};

/// The work of a lane on one item in one stage, within a window of time in which a few items were
/// in flight. Times count from the start of the window. Only the part inside the window is kept.
struct LaneWork {
  std::int64_t item = 0, lane = 0, stage = 0;  // item in the window; lane and stage of the case
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const LaneWork&) const = default;
};

struct CaseProfile {
  std::string variant;
  std::int64_t steps = 0;      // number of recorded steps
  std::int64_t discarded = 0;  // number of warm-up steps before or between the recorded ones
  std::optional<ProfileCounters> counters = {};
  double overhead = 0;  // time of a profiled step / time without profiler; 0: not measured
  // Uncertainty of device times on the host's clock, in ns; 0 without device times.
  std::int64_t clock_error_ns = 0;
  std::optional<DeviceTimes> device_times = {};
  ProfileTimes times = {};
  ProfileLosses losses = {};
  std::vector<ProfileRow> rows;
  std::vector<LaneWork> lane_work = {};  // only for a pipeline: the work on a few items
  bool operator==(const CaseProfile&) const = default;
};

struct GroupResult {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<CaseResult> cases;
  std::vector<CaseResult> limits;                // each has a name such as "stream 1:4 nt"
  std::vector<std::vector<int>> order;           // for each round: indices into cases, then limits
  std::vector<std::vector<int>> cut_order = {};  // order of `cut_rounds`; the last may be short
  std::optional<Stop> stop = {};                 // nothing if there are no rounds
  // Backend::condition() of the device before and after all rounds; null without a device.
  Json condition_before = {}, condition_after = {};
  std::int64_t slowest_state_ns = 0;  // longest time to read Round::state
  std::vector<CaseProfile> profile;
  std::vector<Published> published;
  std::vector<Claim> claims;
  std::vector<std::string> ids = {};  // published experiments that this group reproduces
  // Settings of the experiment that replace those of the config.
  std::optional<double> precision = {};
  std::optional<Cache> cache = {};
  std::vector<Difference> may_differ = {};  // differences between outputs that are allowed
  std::int64_t scaled_from = 0;  // images per batch in the config, if fewer fit; 0: all fit
  bool operator==(const GroupResult&) const = default;
};

/// A kind of pair of variants whose ratio is known in advance.
/// - Identical: twice the same variant, with data far larger than the cache.
/// - Cached: twice the same variant, with data that fits in the cache.
/// - Slowed: the second variant does 5 % more work.
enum class PairKind { Identical, Cached, Slowed };
constexpr auto words(PairKind) {
  return std::to_array<Word<PairKind>>({{PairKind::Identical, "identical"},
                                        {PairKind::Cached, "cached"},
                                        {PairKind::Slowed, "slowed"}});
}

/// What `normbench calibrate` measured for one pair.
struct MeasuredPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;  // the pair was measured in a process of its own
  GroupResult group;
};

/// A planned group that a run did not finish because it ended early.
struct MissingGroup {
  std::string experiment;
  Json point = Json::object();
  std::int64_t processes = 0;  // processes that measured their part of it; 0: `groups` lacks it
  bool operator==(const MissingGroup&) const = default;
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
  bool interrupted = false;  // the run ended early
  bool unkept = false;       // the run ended because the journal could not be written
  Json calibration = {};     // what `normbench calibrate` found on this machine; null: nothing
  std::vector<GroupResult> groups;
  // The groups that a run which ended early did not finish; nothing in older documents. Where it is
  // empty, the run ended while groups were profiled.
  std::optional<std::vector<MissingGroup>> missing = {};
  bool operator==(const Results&) const = default;
};

/// Returns the precision asked for in the group: the relative half-width of its intervals.
inline double precision_of(const GroupResult& group, const Results& results) {
  return group.precision.value_or(results.precision);
}
/// Returns whether the group's data was in the cache before each turn.
inline Cache cache_of(const GroupResult& group, const Results& results) {
  return group.cache.value_or(results.cache);
}

/// The schema number of documents that this version writes.
inline constexpr int document_schema = 1;

/// Returns the document (schema 1) without derived fields. Fields have the names of the structs'
/// members.
/// - "rounds" is stored by column, {"wall_ns": […], "minor_faults": […], …}. All columns have the
///   same length. Columns of zeros other than wall_ns are left out.
/// - A tensor is {"dtype", "shape": [n, c, h, w], "layout", "memory"}. It has "strides" only if it
///   is not dense.
/// - Without a device, these fields are left out: calls_ns, condition_before and
///   condition_after, clock_error_ns.
/// - These fields, which newer versions added, are left out if they are empty: written, skip,
///   parameters, min_read_bytes, resident, threads_decided, source, wait, graph, pipeline, dataset,
///   peer, peer_version, counters, calibration, discarded, device_times, times, losses, unkept,
///   cut_rounds, cut_order, bracket_ns, slowest_state_ns, ids, point, stage, items, ratio, within,
///   across, missing, submitted_ms, forced and ranges; a group's precision, cache, may_differ and
///   scaled_from; a check's unchecked_values, psnr_db, psnr_bound_db, held_to and variant; a
///   dataset's left_out, remarks, other_pictures and in_folders; a profile row's annotation,
///   constants, image, longest, min_ns to max_ns, bytes, faults.
/// - A double that is not finite is null, and read back as infinity. Only a check has such values.
///   All other numbers are finite, and only a seed may be negative.
Json to_json(const Results& results);
Json to_json(const GroupResult& group);

/// Reads a document without its derived fields ("summary", "verdict", …). Adds all mistakes and
/// contradictions to `issues`. Throws Invalid if it is not a results document.
Results read_results(const Json& document, std::vector<Issue>& issues);
/// Reads a document. Throws Invalid ("/groups/0/cases/1/rounds: …") for any mistake.
Results read_results(const Json& document);
GroupResult read_group(const Json& document);

}  // namespace normbench
