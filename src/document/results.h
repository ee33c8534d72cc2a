/// The results document in memory. It has measurements only. The code in analysis/ derives
/// statistics and verdicts from them.
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

/// One turn of a contender. A contender is a case, or a limit: a case that measures what the
/// machine can do at most. In each round every contender has one turn. Times are of the whole turn
/// with all its iterations.
struct Round {
  std::int64_t wall_ns = 0;
  std::int64_t device_ns = 0;
  std::int64_t submitted_ns = 0;  // time until all work was submitted to a device; 0 without one
  std::int64_t cpu_ns = 0;
  std::int64_t start_ns = 0;   // start of the turn, since the start of the group
  std::int64_t queued_ns = 0;  // longest time that a thread of the case waited for a CPU
  Counters counters;
  Disturbance disturbance = {};     // from outside this process, during the turn and its warm-up
  DeviceState state = {};           // state of the device used, at the end of the turn
  std::int64_t turn_clock_mhz = 0;  // mean SM clock of the device over the turn; 0: not known
  bool operator==(const Round&) const = default;
};

enum class Status { Ok, Skipped, Failed };
constexpr auto words(Status) {
  return std::to_array<Word<Status>>(
      {{Status::Ok, "ok"}, {Status::Skipped, "skipped"}, {Status::Failed, "failed"}});
}

/// Why the measuring of a group ended: all confidence intervals were narrow enough (Precision), or
/// the time limit was reached (Time).
enum class Stop { Precision, Time };
constexpr auto words(Stop) {
  return std::to_array<Word<Stop>>({{Stop::Precision, "precision"}, {Stop::Time, "time"}});
}

/// The source of the device times in a profile. Mixed: several profiles were combined, some with
/// times from CUPTI and some from CUDA events.
enum class DeviceTimes { Cupti, CudaEvents, Mixed };
constexpr auto words(DeviceTimes) {
  return std::to_array<Word<DeviceTimes>>({{DeviceTimes::Cupti, "CUPTI"},
                                           {DeviceTimes::CudaEvents, "CUDA events"},
                                           {DeviceTimes::Mixed, "CUPTI, CUDA events"}});
}

struct StageResult {
  std::string op, label, kernel;
  bool forced = false;  // true: the config names the kernel
  // The names of the ranges that the config puts around the stage, outermost first.
  std::vector<std::string> ranges = {};
  Place place = Place::Cpu;
  TensorDesc out;
  Json parameters = {};             // the op's members in the config; null: none
  std::int64_t min_bytes = 0;       // per iteration: fewest bytes that any kernel must move
  std::int64_t min_read_bytes = 0;  // the part of `min_bytes` that is read
  std::int64_t bytes = 0;           // per iteration: bytes that the chosen kernel moves
  std::int64_t link_bytes = 0;
  std::int64_t flops = 0;
  OutputPolicy output = OutputPolicy::Reuse;
  // Time that each turn spent in this stage, in ns (on a GPU: device time). Empty if not measured.
  std::vector<std::int64_t> rounds_ns;
  std::vector<std::int64_t> calls_ns = {};  // on a GPU: host time of each turn in this stage
  bool staged = false;    // true: `rounds_ns` is from separate turns after all rounds
  bool resident = false;  // true: the input was just written and is still in a cache
  bool operator==(const StageResult&) const = default;
};

/// What the output was compared with. Reference: the result of reference ops in double. Variant:
/// the output of another variant, if no reference exists. Nothing: the output was not compared.
enum class HeldTo { Reference, Variant, Nothing };
constexpr auto words(HeldTo) {
  return std::to_array<Word<HeldTo>>({{HeldTo::Reference, "reference"},
                                      {HeldTo::Variant, "variant"},
                                      {HeldTo::Nothing, "nothing"}});
}

struct CheckResult {
  bool ok = false;           // no output was found wrong
  double max_abs_error = 0;  // largest difference from the expected value
  double bound = 0;          // allowed error of the value with `max_abs_error`
  double bound_share = 0;    // largest error / bound of all values; above 1: wrong
  // Number of values that were not checked, because their error bound is as large as the value.
  std::int64_t unchecked_values = 0;
  // If images are compared as a whole: the lowest peak signal-to-noise ratio of all images and the
  // lowest allowed one, in dB. Both are 0 if values are compared.
  double psnr_db = 0, psnr_bound_db = 0;
  HeldTo held_to = HeldTo::Reference;
  std::string variant = {};  // for HeldTo::Variant: the variant that gave the expected output
  std::int64_t calls = 0;    // number of calls whose output was compared
  bool operator==(const CheckResult&) const = default;

  /// Returns true if an output was compared. Returns false, for example, if the case failed before
  /// the comparison.
  bool compared() const {
    return held_to != HeldTo::Nothing && (ok || max_abs_error != 0 || psnr_bound_db > 0);
  }

  /// Returns true if `error` is worse than `other`: it is larger, or it is equal and its bound is
  /// smaller. If both errors are 0, the larger bound counts as worse.
  static bool outweighs(double error, double bound, double other, double other_bound) {
    if (error != other) return error > other;
    return error > 0 ? bound < other_bound : bound > other_bound;
  }

  /// Adds the result of another check of the same case: adds up the calls, and keeps the worst
  /// errors.
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

/// A lane of a pipeline (a set of stages that the same servers run for each item), as planned and
/// as measured.
struct LaneResult {
  std::string name;
  std::int64_t servers = 1, threads = 1;  // `threads`: of each server
  std::vector<std::int64_t> stages = {};  // indices into the stages of the case
  std::string alone = {};                 // name of the limit that runs only this lane; "": none
  // For each round: `busy_ns` is the working time of all servers together, and `exposed_ns` the
  // time in which only this lane worked. Both are empty if device work was not timed.
  std::vector<std::int64_t> busy_ns = {}, exposed_ns = {};
  bool operator==(const LaneResult&) const = default;
};

/// How a case ran with several items in flight. Each turn has `iterations` items.
struct PipelineResult {
  std::int64_t in_flight = 1;
  Submit submit = Submit::Lane;
  std::vector<LaneResult> lanes = {};
  // Only for a limit that runs a part of the pipeline of another variant: `part_of` is that
  // variant, and `lane` is the lane that the limit runs ("": all stages except the stage that
  // loads).
  std::string part_of = {}, lane = {};
  // For each round: `fill_ns` is the time until the first item was done, and `drain_ns` the time
  // from the start of the last item to the end of the round. For each item of all rounds:
  // `latency_ns` is the time from its start to its end.
  std::vector<std::int64_t> fill_ns = {}, drain_ns = {}, latency_ns = {};
  bool operator==(const PipelineResult&) const = default;
};

/// The files that a case loads.
struct DatasetResult {
  std::int64_t images = 0, files = 0;
  std::int64_t bytes = 0;  // bytes of all files
  // From the manifest of the dataset: the seconds that it took to make the dataset, and the mean
  // peak signal-to-noise ratio of its images in dB. 0: not known.
  double prepare_seconds = 0, psnr_db = 0;
  std::vector<BrokenFiles> left_out = {};   // unreadable files, skipped because of on_error: skip
  std::vector<RemarkedFiles> remarks = {};  // remarks on files that are loaded
  Beside beside = {};                       // other files in the folders, which are not loaded
  bool operator==(const DatasetResult&) const = default;
};

/// What the user's own code is. Loader: an iterable of batches. Dataset: a dataset of PyTorch,
/// which has single images. Transform: a function of a batch.
enum class OwnCodeKind { Loader, Dataset, Transform };
constexpr auto words(OwnCodeKind) {
  return std::to_array<Word<OwnCodeKind>>({{OwnCodeKind::Loader, "loader"},
                                           {OwnCodeKind::Dataset, "dataset"},
                                           {OwnCodeKind::Transform, "transform"}});
}

/// How the elements of an array lie in memory. ChannelsLast: PyTorch's memory format of that name,
/// with the axes [n, c, h, w]. Strided: neither contiguous nor ChannelsLast.
enum class ArrayOrder { Contiguous, ChannelsLast, Strided };
constexpr auto words(ArrayOrder) {
  return std::to_array<Word<ArrayOrder>>({{ArrayOrder::Contiguous, "contiguous"},
                                          {ArrayOrder::ChannelsLast, "channels_last"},
                                          {ArrayOrder::Strided, "strided"}});
}

/// The copies that PyTorch made by operations of one kind while the user's own code made a batch.
struct CopiesResult {
  std::string op;          // in PyTorch's words: "_to_copy", "stack"
  std::int64_t calls = 0;  // per batch
  std::int64_t bytes = 0;  // of the tensors that these calls wrote
  bool operator==(const CopiesResult&) const = default;
};

/// The first batch that the user's own code gave in a turn, as reported by the peer (the other
/// program) that ran the code. The members from `dtype` to `bytes` describe the largest array of
/// the batch.
struct GivenResult {
  std::string dtype, device;  // in the words of the array's library: "float64", "cuda:0"
  std::vector<std::int64_t> shape = {};
  ArrayOrder order = ArrayOrder::Contiguous;
  bool pinned = false;           // the array lies in page-locked memory
  std::int64_t bytes = 0;        // of the array
  std::int64_t batch_bytes = 0;  // of all arrays of the batch
  // Number of worker processes of the loader. std::nullopt: not known, as without a loader.
  std::optional<std::int64_t> workers = {};
  // What PyTorch copied to make a batch. std::nullopt: not known, as without PyTorch.
  std::optional<std::vector<CopiesResult>> copies = {};
  bool operator==(const GivenResult&) const = default;

  /// Returns the number of elements; INT64_MAX if there are more than that.
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
      if (__builtin_mul_overflow(count, extent, &count)) return INT64_MAX;
    return count;
  }
};

struct CaseResult {
  std::string variant;
  std::string written = {};  // name in the config if different: "a" for "a [k=1]"
  Json axes = Json::object();
  Status status = Status::Ok;
  std::string reason;             // why the case was skipped or failed
  std::optional<Skip> skip = {};  // kind of `reason`; std::nullopt in older documents
  int threads = 1;
  bool threads_decided = false;   // true: "threads" is "all" in the config
  std::optional<Wait> wait = {};  // when the host waits for the GPU; std::nullopt: no GPU stages
  bool graph = false;             // true: GPU stages run as CUDA graphs
  std::optional<PipelineResult> pipeline = {};  // set if several items are in flight
  std::optional<DatasetResult> dataset = {};    // set if the case loads files
  std::optional<GivenResult> given = {};        // set if the case runs the user's own code
  std::string peer = {};                        // name of the peer that ran it; "": this process
  std::string peer_version = {};                // version that the peer reports: "torch 2.9.0"
  bool resident = false;                        // true: a limit with buffers that stay in the cache
  std::int64_t iterations = 0;                  // iterations per turn
  std::int64_t images = 0;                      // images per iteration
  std::int64_t source_bytes = 0;             // bytes that an iteration must read (source or files)
  std::int64_t result_bytes = 0;             // bytes that an iteration must write (outputs)
  std::optional<TensorDesc> source = {};     // the first source; std::nullopt: the case loads files
  std::vector<TensorDesc> more_inputs = {};  // further sources, and outputs of a setup
  std::vector<TensorDesc> outputs = {};      // empty: only the output of the last stage
  std::int64_t first_call_ns = 0;
  // The overhead in the device time of each stage, in ns: the time between two marks (CUDA events)
  // with no work between them. 0: not measured.
  std::int64_t bracket_ns = 0;
  std::vector<StageResult> stages;
  std::vector<Round> rounds;
  std::vector<Round> cut_rounds = {};  // rounds after the last complete block; not in statistics
  CheckResult check;
  std::vector<std::string> notes;  // sentences like "a turn loads 16 of 40 images"
  bool operator==(const CaseResult&) const = default;
};

/// Returns the outputs that the config names for the case. If it names none, returns the output of
/// the last stage.
inline std::vector<TensorDesc> outputs_of(const CaseResult& result) {
  if (!result.outputs.empty() || result.stages.empty()) return result.outputs;
  return {result.stages.back().out};
}

/// Returns the roles of the stage's op, which say what the op does. If this version does not know
/// the op, returns the default roles.
inline const Roles& roles_of(const StageResult& stage) { return roles_named(stage.op); }

/// A row of the profiler table: all calls with the same name. Calls of the host have Place::Cpu,
/// even if they submit device work. The device work itself has rows of its own, with Place::Cuda.
struct ProfileRow {
  std::string name;
  Place place = Place::Cpu;
  std::string shapes;
  bool annotation = false;   // a range around steps, on the host or projected to a device
  bool constants = false;    // the calls and their nested calls prepare constants
  bool image = false;        // each call is the work of a loader on one image
  std::string longest = {};  // name of the longest call; "": it is `name`
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  // Times of single calls: device times in rows of a device, else host times. Percentiles are
  // nearest-rank.
  std::int64_t min_ns = 0, p50_ns = 0, p95_ns = 0, max_ns = 0;
  std::int64_t bytes = 0;   // sum over all calls; 0: not known
  std::int64_t faults = 0;  // minor and major page faults of all calls, for stages on the CPU
  // Only for traces of other tools, never in a document:
  // - `async`: calls are ranges that may end on another thread, so they have no self time;
  // - `…_memory`: bytes allocated minus bytes freed during all calls. `self_…` leaves out nested
  //   calls.
  bool async = false;
  std::int64_t cpu_memory = 0, self_cpu_memory = 0;
  std::int64_t device_memory = 0, self_device_memory = 0;
  bool operator==(const ProfileRow&) const = default;
};

/// Counts over all steps of a profile. A counter that was not read is std::nullopt.
struct ProfileCounters {
  Counters software;  // page faults and context switches
  std::optional<std::int64_t> cycles, instructions, cache_misses;
  std::string hardware_missing = {};  // why the three hardware counters are missing, or ""
  std::optional<double> cpu_joules, gpu_joules;
  std::string energy_missing = {};  // why an energy is missing, or ""
  bool operator==(const ProfileCounters&) const = default;
};

/// Sums over the recorded steps of a profile. Times that overlap on several streams count once.
/// Without device work, all members except `wall_ns` are 0.
struct ProfileTimes {
  std::int64_t wall_ns = 0;           // wall time of the recorded steps
  std::int64_t busy_ns = 0;           // time with at least one piece of device work
  std::int64_t copy_ns = 0;           // time with a copy over the link
  std::int64_t exposed_copy_ns = 0;   // time with a copy over the link, but no kernel
  std::int64_t overlap_ns = 0;        // time with two or more pieces of device work
  std::int64_t gaps = 0, gap_ns = 0;  // number and sum of idle times between device work in a step
  bool operator==(const ProfileTimes&) const = default;
};

/// What the recording of a profile lost; 0 for nothing.
struct ProfileLosses {
  // Records that the tracer dropped because it had no room, buffers that it lost with all their
  // records, and records whose times are missing.
  std::int64_t dropped = 0, lost_buffers = 0, without_times = 0;
  // `launches`: calls that start device work. `launched`: such calls whose work was recorded.
  // `without_launch`: device work whose call was not recorded.
  std::int64_t launches = 0, launched = 0, without_launch = 0;
  // Device work that seems to start before its call, and the longest time from the start of such
  // work to its call.
  std::int64_t before_launch = 0, most_skew_ns = 0;
  bool operator==(const ProfileLosses&) const = default;
};

/// The work of a lane on one item in one stage. A profile keeps this for a time window with a few
/// items. Times count from the start of the window. Work that crosses an edge of the window is cut
/// there.
struct LaneWork {
  std::int64_t item = 0, lane = 0, stage = 0;  // item in the window; indices of lane and stage
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const LaneWork&) const = default;
};

struct CaseProfile {
  std::string variant;
  std::int64_t steps = 0;      // recorded steps
  std::int64_t discarded = 0;  // warm-up steps, which are not recorded
  std::optional<ProfileCounters> counters = {};
  double overhead = 0;  // step time with profiler / step time without; 0: not measured
  // Largest error (+-) of device times on the clock of the host, in ns; 0 without device times.
  std::int64_t clock_error_ns = 0;
  std::optional<DeviceTimes> device_times = {};
  ProfileTimes times = {};
  ProfileLosses losses = {};
  std::vector<ProfileRow> rows;
  std::vector<LaneWork> lane_work = {};  // only for pipelines
  bool operator==(const CaseProfile&) const = default;
};

struct GroupResult {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<CaseResult> cases;
  std::vector<CaseResult> limits;  // limits of the machine, such as "stream 1:4 nt"
  // For each round: the contenders in the order of their turns, as indices into `cases` followed by
  // `limits`. `cut_order` is the same for the rounds in `cut_rounds`; its last list may be shorter.
  std::vector<std::vector<int>> order;
  std::vector<std::vector<int>> cut_order = {};
  std::optional<Stop> stop = {};  // std::nullopt: no rounds were measured
  // The facts of Backend::condition(), such as clocks and temperature of the GPU, before and after
  // all rounds; null without a GPU.
  Json condition_before = {}, condition_after = {};
  std::int64_t slowest_state_ns = 0;  // longest time that it took to read a Round::state
  std::vector<CaseProfile> profile;
  std::vector<Published> published;
  std::vector<Claim> claims;
  std::vector<std::string> ids = {};  // published experiments that this group reproduces
  // Settings of the experiment. They replace the same settings of the config.
  std::optional<double> precision = {};
  std::optional<Cache> cache = {};
  std::vector<Difference> may_differ = {};  // allowed differences between outputs
  std::int64_t scaled_from = 0;  // images per batch in the config, if memory holds fewer; else 0
  bool operator==(const GroupResult&) const = default;
};

/// A pair of variants whose true ratio of times is known:
/// - Identical: the same variant twice, with data far larger than the cache.
/// - Cached: the same variant twice, with data that fits in the cache.
/// - Slowed: the second variant does 5 % more work than the first.
enum class PairKind { Identical, Cached, Slowed };
constexpr auto words(PairKind) {
  return std::to_array<Word<PairKind>>({{PairKind::Identical, "identical"},
                                        {PairKind::Cached, "cached"},
                                        {PairKind::Slowed, "slowed"}});
}

/// What `normbench calibrate` measured of one pair.
struct MeasuredPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;  // true: a new process measured the pair
  GroupResult group;
};

/// A planned group that an interrupted run did not finish.
struct MissingGroup {
  std::string experiment;
  Json point = Json::object();
  // How much of the group is in Results::groups: the parts of `processes` processes, or `rounds`
  // rounds. Both 0: nothing.
  std::int64_t processes = 0, rounds = 0;
  bool is_absent() const { return processes == 0 && rounds == 0; }
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
  bool traced = false;       // a profiling tool was attached, so nothing is ranked
  bool interrupted = false;  // the run ended early
  bool unkept = false;       // the run ended early because the journal could not be written
  Json calibration = {};     // stored results of `normbench calibrate` on this machine, or null
  std::vector<GroupResult> groups;
  // Groups that an interrupted run did not finish. std::nullopt for finished runs and in older
  // documents. Empty if the run had finished all groups and was interrupted while it profiled them.
  std::optional<std::vector<MissingGroup>> missing = {};
  bool operator==(const Results&) const = default;
};

/// Returns the relative half-width that the confidence intervals of the group had to reach.
inline double precision_of(const GroupResult& group, const Results& results) {
  return group.precision.value_or(results.precision);
}
/// Returns whether the data of the group was in the cache before each turn (Hot) or not (Cold).
inline Cache cache_of(const GroupResult& group, const Results& results) {
  return group.cache.value_or(results.cache);
}

/// The schema version of documents that this version of normbench writes.
inline constexpr int document_schema = 1;

/// Returns the document (schema 1) without derived fields. Fields are named like the members of the
/// structs.
/// - "rounds" is stored by column: {"wall_ns": […], "minor_faults": […], …}. All columns have the
///   same length. A column of zeros is left out, except wall_ns.
/// - A tensor is {"dtype", "shape": [n, c, h, w], "layout", "memory"}, with "pixel_format" if it is
///   YCbCr, and with "strides" if it is not dense.
/// - Fields with `io.when_known` in results_fields.h are left out if they are null, 0, empty or all
///   zeros.
/// - A double of a CheckResult that is not finite is written as null, and read as infinity. All
///   other numbers are finite, and only a seed may be negative.
Json to_json(const Results& results);
Json to_json(const GroupResult& group);
/// Returns to_json() of the results, with an empty list of groups.
Json head_json(const Results& results);

/// Reads a document and ignores its derived fields ("summary", "verdict", ...). Adds all mistakes
/// to `issues`. If there are no mistakes, also adds contradictions between values. Throws Invalid
/// if it is not a results document.
Results read_results(Json document, std::vector<Issue>& issues);
/// Reads a document. Throws Invalid ("/groups/0/cases/1/rounds: …") if there is any mistake.
Results read_results(Json document);
GroupResult read_group(const Json& document);

}  // namespace normbench
