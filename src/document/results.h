/// The results document in memory: measurements only. analysis/ derives everything else.
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

/// One turn of one contender. Times are those of the whole turn, not of an iteration.
struct Round {
  std::int64_t wall_ns = 0;
  std::int64_t device_ns = 0;
  std::int64_t submitted_ns = 0;  // until all work was submitted to a device; 0 without one
  std::int64_t cpu_ns = 0;
  std::int64_t start_ns = 0;   // since the group's start
  std::int64_t queued_ns = 0;  // longest wait of one of its threads for a processor
  Counters counters;
  Disturbance disturbance = {};  // over the turn and its warm-up
  DeviceState state = {};        // of the device that the turn used, at its end
  std::int64_t turn_clock_mhz = 0;  // that its processors had over the turn; 0: not known
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
  Json parameters = {};             // the op's members in the config; null for none
  std::int64_t min_bytes = 0;       // fewest bytes the op can move, …
  std::int64_t min_read_bytes = 0;  // … and how many of them it reads
  std::int64_t bytes = 0;           // bytes the row moves
  std::int64_t link_bytes = 0;
  std::int64_t flops = 0;
  OutputPolicy output = OutputPolicy::Reuse;
  // The time of each turn in this stage (on a GPU device time); empty when it was not attributed.
  std::vector<std::int64_t> rounds_ns;
  std::vector<std::int64_t> calls_ns = {};  // on a GPU: host time in the stage's calls
  bool staged = false;                      // rounds_ns are from separate turns after the rounds
  bool resident = false;  // a stage wrote its input so shortly before that a cache still has it
  bool operator==(const StageResult&) const = default;
};

/// What an output was compared with: the double reference of its ops; without one, another
/// variant's output; without that, nothing.
enum class HeldTo { Reference, Variant, Nothing };
constexpr auto words(HeldTo) {
  return std::to_array<Word<HeldTo>>({{HeldTo::Reference, "reference"},
                                      {HeldTo::Variant, "variant"},
                                      {HeldTo::Nothing, "nothing"}});
}

struct CheckResult {
  bool ok = false;           // nothing wrong was found
  double max_abs_error = 0;  // the largest difference from an exact value, …
  double bound = 0;          // … and how far that value may be off; each has its own
  double bound_share = 0;    // the largest error over its own bound; above 1: wrong
  std::int64_t unchecked_values = 0;  // values with bounds as wide as themselves
  // Where whole images are compared: the least peak signal-to-noise ratio of an image, and what it
  // must be. 0: elements are compared with `bound`.
  double psnr_db = 0, psnr_bound_db = 0;
  HeldTo held_to = HeldTo::Reference;
  std::string variant = {};  // the variant of HeldTo::Variant
  std::int64_t calls = 0;    // the number of outputs compared
  bool operator==(const CheckResult&) const = default;

  /// True where the output was compared at all: a case may fail before.
  bool compared() const {
    return held_to != HeldTo::Nothing && (ok || max_abs_error != 0 || psnr_bound_db > 0);
  }

  /// True where an error, with its bound, says more than another one: the larger error; of equal
  /// ones the one with the narrower bound; without any error the widest bound.
  static bool outweighs(double error, double bound, double other, double other_bound) {
    if (error != other) return error > other;
    return error > 0 ? bound < other_bound : bound > other_bound;
  }

  /// Adds another check of the same case: its calls, and its errors where they are worse.
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
  std::vector<std::int64_t> stages = {};  // indices of the case's stages
  std::string alone = {};                 // the limit that runs it alone; "": none does
  // For each round: the sum of its servers' work, and how long no other lane worked meanwhile.
  // Empty where a device's work was not timed.
  std::vector<std::int64_t> busy_ns = {}, exposed_ns = {};
  bool operator==(const LaneResult&) const = default;
};

/// How a case ran with items in flight; a turn has `iterations` items.
struct PipelineResult {
  std::int64_t in_flight = 1;
  Submit submit = Submit::Lane;
  std::vector<LaneResult> lanes = {};
  std::string part_of = {}, lane = {};  // of a limit: a variant, and which of its lanes ("": all
                                        // but the loading)
  // For each round: until the first item was done, and from the start of the last item on. For each
  // item of all rounds: from its start to its end.
  std::vector<std::int64_t> fill_ns = {}, drain_ns = {}, latency_ns = {};
  bool operator==(const PipelineResult&) const = default;
};

/// The files that a case loads.
struct DatasetResult {
  std::int64_t images = 0, files = 0;  // the sum over the files
  std::int64_t bytes = 0;              // of the files
  // From the manifest, if there is one: the seconds of making the dataset, and the mean peak
  // signal-to-noise ratio of its images to their sources. 0: not known.
  double prepare_seconds = 0, psnr_db = 0;
  std::vector<BrokenFiles> left_out = {};   // with on_error: skip
  std::vector<RemarkedFiles> remarks = {};  // on files that are read
  Beside beside = {};                       // what lies beside the files and is not taken
  bool operator==(const DatasetResult&) const = default;
};

struct CaseResult {
  std::string variant;
  std::string written = {};  // its name in the config, if another: "a" for "a [k=1]"
  Json axes = Json::object();
  Status status = Status::Ok;
  std::string reason;             // why skipped or failed
  std::optional<Skip> skip = {};  // the kind of reason; nothing in older documents
  int threads = 1;
  bool threads_decided = false;   // the config says "all": normbench chose the number
  std::optional<Wait> wait = {};  // when the host waits for the GPU; nothing without one
  bool graph = false;             // its GPU stages run as graphs
  std::optional<PipelineResult> pipeline = {};  // only with items in flight
  std::optional<DatasetResult> dataset = {};    // only for a case that loads
  std::string peer = {};          // the config's name of the peer that ran it; "": this process
  std::string peer_version = {};  // what the peer calls itself: "torch 2.9.0"
  bool resident = false;          // a limit on buffers that stay in the cache
  std::int64_t iterations = 0;    // per turn
  std::int64_t images = 0;        // per iteration
  std::int64_t source_bytes = 0;  // what an iteration must read: source, or files
  std::int64_t result_bytes = 0;  // what an iteration must write: its outputs
  std::optional<TensorDesc> source = {};     // what it starts from; nothing for files
  std::vector<TensorDesc> more_inputs = {};  // other sources, and what a setup made
  std::vector<TensorDesc> outputs = {};      // none: the last stage's output
  std::int64_t first_call_ns = 0;
  // What a stage's time on a device contains beside its work: the time between two marks with
  // nothing between them; 0 where it was not measured.
  std::int64_t bracket_ns = 0;
  std::vector<StageResult> stages;
  std::vector<Round> rounds;
  std::vector<Round> cut_rounds = {};  // rounds of a block that the group's time cut: never used
  CheckResult check;
  std::vector<std::string> notes;  // "a turn loads 16 of 40 images", …
  bool operator==(const CaseResult&) const = default;
};

/// The outputs of the case: those that it names, else the last stage's.
inline std::vector<TensorDesc> outputs_of(const CaseResult& result) {
  if (!result.outputs.empty() || result.stages.empty()) return result.outputs;
  return {result.stages.back().out};
}

/// The roles of the stage's op; those of an op without any where this version does not know it.
inline const Roles& roles_of(const StageResult& stage) { return roles_named(stage.op); }

/// A row of the profiler table: the calls of one name. `place` is Cpu for calls of the host, also
/// for calls that submit work to a device. The work itself has rows of the device's place.
struct ProfileRow {
  std::string name;
  Place place = Place::Cpu;
  std::string shapes;
  bool annotation = false;   // a range of steps, or its projection on a device: no work itself
  bool constants = false;    // prepares a kernel's constants; includes calls in it
  bool image = false;        // a loader's work on one image
  std::string longest = {};  // the longest call's own name, where that is not the row's
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  // Times of single calls: host time, in device rows device time. Percentiles by nearest rank.
  std::int64_t min_ns = 0, p50_ns = 0, p95_ns = 0, max_ns = 0;
  std::int64_t bytes = 0;   // all calls together; 0: not known
  std::int64_t faults = 0;  // page faults of all calls, minor and major; only stages on the host
  // Only in other tools' traces, in no document: ranges that may end on another thread, which have
  // no self time; and bytes allocated less bytes freed while all calls ran, with and without the
  // calls below them.
  bool async = false;
  std::int64_t cpu_memory = 0, self_cpu_memory = 0;
  std::int64_t device_memory = 0, self_device_memory = 0;
  bool operator==(const ProfileRow&) const = default;
};

/// What the processor counted in all steps of a profile; nothing for what could not be read.
struct ProfileCounters {
  Counters software;  // faults and context switches
  std::optional<std::int64_t> cycles, instructions, cache_misses;
  std::string hardware_missing = {};  // why the three above are not there, or ""
  std::optional<double> cpu_joules, gpu_joules;
  std::string energy_missing = {};  // why neither is there, or ""
  bool operator==(const ProfileCounters&) const = default;
};

/// The sums of a profile's device work and calls, as unions of intervals over all streams. All are
/// 0 without device work, but for wall_ns.
struct ProfileTimes {
  std::int64_t wall_ns = 0;           // the sum of all recorded steps
  std::int64_t busy_ns = 0;           // any device work was running
  std::int64_t copy_ns = 0;           // some copy over the link was running …
  std::int64_t exposed_copy_ns = 0;   // … and no kernel
  std::int64_t overlap_ns = 0;        // two pieces of device work or more were running
  std::int64_t gaps = 0, gap_ns = 0;  // between pieces of device work in a step: count, sum
  bool operator==(const ProfileTimes&) const = default;
};

/// What the recording lost; all 0: nothing. trace/model.h says more.
struct ProfileLosses {
  std::int64_t dropped = 0, lost_buffers = 0, without_times = 0;
  std::int64_t launches = 0, launched = 0, without_launch = 0;
  std::int64_t before_launch = 0, most_skew_ns = 0;
  bool operator==(const ProfileLosses&) const = default;
};

/// What a lane of a pipeline did for an item: one stage. Times count from the start of a window of
/// a few items. Work is cut off where it began before the window or ended after it.
struct LaneWork {
  std::int64_t item = 0, lane = 0, stage = 0;  // item of the window; lane, stage of the case
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const LaneWork&) const = default;
};

struct CaseProfile {
  std::string variant;
  std::int64_t steps = 0;      // recorded …
  std::int64_t discarded = 0;  // … and run for warm-up before or between them, not recorded
  std::optional<ProfileCounters> counters = {};
  double overhead = 0;  // time of a profiled step over a measured one; 0 when not measured
  // How exactly device times are tied to the host's clock; 0 without device times.
  std::int64_t clock_error_ns = 0;
  std::optional<DeviceTimes> device_times = {};
  ProfileTimes times = {};
  ProfileLosses losses = {};
  std::vector<ProfileRow> rows;
  std::vector<LaneWork> lane_work = {};  // in a pipeline, while a few items were in flight
  bool operator==(const CaseProfile&) const = default;
};

struct GroupResult {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<CaseResult> cases;
  std::vector<CaseResult> limits;                // contenders with names such as "stream 1:4 nt"
  std::vector<std::vector<int>> order;           // contenders per round: cases, then limits
  std::vector<std::vector<int>> cut_order = {};  // of cut_rounds; the last one may be short
  std::optional<Stop> stop = {};                 // nothing: no rounds
  // Backend::condition() of the device before and after all rounds; null without a device.
  Json condition_before = {}, condition_after = {};
  std::int64_t slowest_state_ns = 0;  // the longest reading of a round's `state`
  std::vector<CaseProfile> profile;
  std::vector<Published> published;
  std::vector<Claim> claims;
  std::vector<std::string> ids = {};  // the published experiments it reproduces
  // What the experiment itself asked for, instead of the config's.
  std::optional<double> precision = {};
  std::optional<Cache> cache = {};
  std::int64_t scaled_from = 0;  // images a batch in the config, where fewer fit; 0: as there
  bool operator==(const GroupResult&) const = default;
};

/// A pair of variants with a known answer. Both are identical, far larger than the cache or within
/// it; or the second one does 5 % more of the same work.
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
  bool unkept = false;       // … because its journal could not be written: a full disk, say
  Json calibration = {};     // what `normbench calibrate` found on this machine; null: nothing
  std::vector<GroupResult> groups;
  bool operator==(const Results&) const = default;
};

/// The precision that was asked for: the relative half-width of the group's intervals.
inline double precision_of(const GroupResult& group, const Results& results) {
  return group.precision.value_or(results.precision);
}
/// Where the data of the group lay before each turn.
inline Cache cache_of(const GroupResult& group, const Results& results) {
  return group.cache.value_or(results.cache);
}

/// The schema number of documents of this version.
inline constexpr int document_schema = 1;

/// The document (schema 1) without derived fields. Fields have the names of the structs' members.
/// - "rounds" is stored by column, {"wall_ns": […], "minor_faults": […], …}, all columns equally
///   long; a column of zeros is left out, but for wall_ns.
/// - A tensor is {"dtype", "shape": [n, c, h, w], "layout", "memory"}, with "strides" only when not
///   dense.
/// - Fields that only a device gives are left out where there was none: calls_ns, condition_before
///   and condition_after, clock_error_ns.
/// - Fields that newer versions added are left out where they say nothing: written, skip,
///   parameters, min_read_bytes, resident, threads_decided, source, wait, graph, pipeline, dataset,
///   peer, peer_version, counters, calibration, discarded, device_times, times, losses, unkept,
///   cut_rounds, cut_order, bracket_ns, slowest_state_ns, ids, point, stage, items, ratio, within,
///   across, submitted_ms, forced and ranges; a group's precision, cache and scaled_from; a check's
///   unchecked_values, psnr_db, psnr_bound_db, held_to and variant; a dataset's left_out, remarks,
///   other_pictures and in_folders; a profile row's annotation, constants, image, longest, min_ns
///   to max_ns, bytes, faults.
/// - A double that is not finite is null, and infinity when read back: only a check has any. Other
///   numbers are finite and none negative, but for a seed.
Json to_json(const Results& results);
Json to_json(const GroupResult& group);

/// Reads a document, without fields that are not measurements ("summary", "verdict", …). Adds all
/// that is wrong or contradictory to `issues`. Throws Invalid where it is no results document.
Results read_results(const Json& document, std::vector<Issue>& issues);
/// Reads a document. Throws Invalid ("/groups/0/cases/1/rounds: …") for any mistake.
Results read_results(const Json& document);
GroupResult read_group(const Json& document);

}  // namespace normbench
