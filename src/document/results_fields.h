/// The fields of the results document. Each struct has one function fields(io, x), which is used to
/// write the struct, to read it, and to describe it (field_schema.h). fields() calls io.object()
/// with a name and the meaning of the struct, and then one of these functions for each field:
/// - `io.required` if every document must have the field;
/// - `io.when_known` if the field is left out when it is null, 0, empty or all zeros;
/// - `io(name, member, about)` for any other field.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include "document/members.h"
#include "document/results.h"

namespace normbench {

/// Holds if T is `Struct` (for reading) or `const Struct` (for writing).
template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
concept Enum = std::is_enum_v<T>;

// The largest numbers that a document may have. With larger ones, sums could overflow. kMostWhole
// is 11 days in nanoseconds or a petabyte in bytes. kMostNumber is above any float.
inline constexpr std::int64_t kMostWhole = 1'000'000'000'000'000;
inline constexpr double kMostNumber = 1e40;
inline constexpr int kMostContender = 999'999;

/// The smallest value that a field with this name may have, in any struct. For names that are not
/// in kLeast it is 0.
struct Least {
  std::string_view name;
  double value;
};
inline constexpr double kAboveZero = 1e-9;
inline constexpr auto kLeast = std::to_array<Least>({
    {"seed", -0x1p63},
    {"threads", 1},
    {"servers", 1},
    {"in_flight", 1},
    {"precision", kAboveZero},
    {"wall_ms", kAboveZero},
    {"device_ms", kAboveZero},
    {"sum_ms", kAboveZero},
    {"submitted_ms", kAboveZero},
    {"first_call_ms", kAboveZero},
    {"speed_up", kAboveZero},
    {"low", kAboveZero},
    {"high", kAboveZero},
});

constexpr double least_of(std::string_view name) {
  const auto at = std::ranges::find(kLeast, name, &Least::name);
  return at == kLeast.end() ? 0 : at->value;
}

/// Fields that may be infinite, because values of outputs may be infinite. In a document, infinity
/// is written as null.
inline constexpr auto kMayBeInfinite =
    std::to_array<std::string_view>({"max_abs_error", "bound", "bound_share"});

constexpr bool may_be_infinite(std::string_view name) {
  return std::ranges::find(kMayBeInfinite, name) != kMayBeInfinite.end();
}

/// A column of "rounds": its name, a function that returns the member of a Round, and its meaning.
struct RoundColumn {
  const char* name;
  std::int64_t& (*of)(Round&);
  About about;
};

inline constexpr auto round_columns = std::to_array<RoundColumn>({
    {"wall_ns",
     [](Round& r) -> std::int64_t& { return r.wall_ns; },
     {"The wall time of the turn", "ns"}},
    {"device_ns",
     [](Round& r) -> std::int64_t& { return r.device_ns; },
     {"The time of the turn on the device, with all its work; 0 without one", "ns"}},
    {"submitted_ns",
     [](Round& r) -> std::int64_t& { return r.submitted_ns; },
     {"The time until all work was submitted to the device; 0 without one", "ns"}},
    {"cpu_ns",
     [](Round& r) -> std::int64_t& { return r.cpu_ns; },
     {"The CPU time of all threads of the process, or as a peer reports it", "ns"}},
    {"start_ns",
     [](Round& r) -> std::int64_t& { return r.start_ns; },
     {"When the turn began, since the start of the group", "ns"}},
    {"queued_ns",
     [](Round& r) -> std::int64_t& { return r.queued_ns; },
     {"The longest time that a thread of the case waited for a CPU", "ns"}},
    {"minor_faults",
     [](Round& r) -> std::int64_t& { return r.counters.minor_faults; },
     {"Page faults without reading from a disk", "faults"}},
    {"major_faults",
     [](Round& r) -> std::int64_t& { return r.counters.major_faults; },
     {"Page faults that read from a disk", "faults"}},
    {"voluntary_switches",
     [](Round& r) -> std::int64_t& { return r.counters.voluntary_switches; },
     {"Context switches because a thread waited", "switches"}},
    {"involuntary_switches",
     [](Round& r) -> std::int64_t& { return r.counters.involuntary_switches; },
     {"Context switches because another thread took the CPU", "switches"}},
    {"steal_ns",
     [](Round& r) -> std::int64_t& { return r.disturbance.steal_ns; },
     {"The time that a hypervisor took from the processors, summed over them, during the turn and "
      "its warm-up",
      "ns"}},
    {"throttled_ns",
     [](Round& r) -> std::int64_t& { return r.disturbance.throttled_ns; },
     {"The time in which the container's CPU quota stopped processes, during the turn and its "
      "warm-up",
      "ns"}},
    {"frequency_khz",
     [](Round& r) -> std::int64_t& { return r.disturbance.frequency_khz; },
     {"The mean clock rate of the processors at the end of the turn", "kHz"}},
    {"sm_clock_mhz",
     [](Round& r) -> std::int64_t& { return r.state.sm_clock_mhz; },
     {"The GPU's SM clock at the end of the turn", "MHz"}},
    {"turn_clock_mhz",
     [](Round& r) -> std::int64_t& { return r.turn_clock_mhz; },
     {"The GPU's mean SM clock over the turn", "MHz"}},
    {"throttle_bits",
     [](Round& r) -> std::int64_t& { return r.state.throttle_bits; },
     {"What held the GPU's clocks back at the end of the turn: NVML's clock event reasons",
      "bits"}},
    {"temperature_c",
     [](Round& r) -> std::int64_t& { return r.state.temperature_c; },
     {"The GPU's temperature at the end of the turn", "degrees Celsius"}},
});

void fields(auto& io, Is<StageResult> auto& x) {
  io.object("stage", "A stage of a case, in the order in which they run");
  io.required("op", x.op, {"The op, as `normbench list ops` names it"});
  io("label", x.label, {"The name of the stage in tables"});
  io("kernel", x.kernel, {"The kernel that ran, as `normbench list kernels` names it"});
  io.when_known("forced", x.forced, {"The config names the kernel"});
  io.when_known("ranges", x.ranges, {"The ranges of the config around the stage, outermost first"});
  io("place", x.place, {"Where it ran"});
  io("out", x.out, {"The tensor that it writes"});
  io.when_known("parameters", x.parameters, {"The members of the op in the config"});
  io("min_bytes", x.min_bytes,
     {"The fewest bytes that any kernel for the op must move in an iteration", "bytes"});
  io.when_known("min_read_bytes", x.min_read_bytes,
                {"The part of `min_bytes` that is read", "bytes"});
  io("bytes", x.bytes, {"What this kernel moves in an iteration", "bytes"});
  io("link_bytes", x.link_bytes,
     {"What crosses the link between host and GPU in an iteration", "bytes"});
  io("flops", x.flops, {"Arithmetic in an iteration", "operations"});
  io("output", x.output,
     {"Where the output goes: memory that is kept, fresh memory in each call (`fresh`, "
      "`cuda_malloc`), or the memory of the input"});
  io("rounds_ns", x.rounds_ns,
     {"The time that each turn spent in the stage, with all its iterations; on a GPU device time. "
      "Empty if not measured",
      "ns"});
  io.when_known("calls_ns", x.calls_ns,
                {"On a GPU: the time of the host in the stage in each turn", "ns"});
  io("staged", x.staged,
     {"`rounds_ns` and `calls_ns` are of separate turns after the rounds, and have a length of "
      "their own"});
  io.when_known("resident", x.resident, {"The input was just written, and is still in a cache"});
}

void fields(auto& io, Is<CheckResult> auto& x) {
  io.object("check", "What the comparison of a case's outputs with what they should be has found");
  io.required("ok", x.ok, {"No output was found wrong"});
  io("max_abs_error", x.max_abs_error,
     {"The largest difference from the value that was expected; null: infinite"});
  io("bound", x.bound,
     {"The error that is allowed for the value with `max_abs_error`; null: infinite"});
  io.when_known(
      "bound_share", x.bound_share,
      {"The largest error over its bound, of all values; above 1, or null for infinite: wrong"});
  io.when_known(
      "unchecked_values", x.unchecked_values,
      {"Values whose bound is as large as the value, so that they could not be checked", "values"});
  io.when_known(
      "psnr_db", x.psnr_db,
      {"If images are compared as a whole: the lowest peak signal-to-noise ratio of an image",
       "dB"});
  io.when_known(
      "psnr_bound_db", x.psnr_bound_db,
      {"The lowest peak signal-to-noise ratio that is allowed; absent if values are compared",
       "dB"});
  io.when_known("held_to", x.held_to,
                {"What the output was compared with: the result of the reference in double "
                 "precision, the output of another variant, or nothing. Absent: the reference"});
  io.when_known("variant", x.variant, {"The other variant, where `held_to` is that"});
  io.when_known("calls", x.calls, {"The calls whose outputs were compared", "calls"});
}

void fields(auto& io, Is<LaneResult> auto& x) {
  io.object("lane",
            "A lane of a case with several items in flight: stages that the same servers run");
  io.required("name", x.name, {"The name of the lane"});
  io("servers", x.servers, {"Threads that take items from this lane at the same time", "servers"});
  io("threads", x.threads, {"Threads of each server", "threads"});
  io("stages", x.stages, {"Indices into the stages of the case, from 0"});
  io.when_known("alone", x.alone, {"The limit in which only this lane runs"});
  io.when_known("busy_ns", x.busy_ns,
                {"For each round: the working time, summed over the servers; empty if work on a "
                 "device was not timed",
                 "ns"});
  io.when_known("exposed_ns", x.exposed_ns,
                {"For each round: the time in which no other lane worked", "ns"});
}

void fields(auto& io, Is<PipelineResult> auto& x) {
  io.object("pipeline",
            "How a case ran with several items in flight; each turn has `iterations` items");
  io("in_flight", x.in_flight,
     {"The most items that are between the start of the first stage and the end of the last one",
      "items"});
  io("submit", x.submit,
     {"Which threads submit the work: one for each server of a lane, a single one, or one for each "
      "item"});
  io("lanes", x.lanes, {"The lanes"});
  io.when_known("part_of", x.part_of, {"Of a limit: the variant that it is a part of"});
  io.when_known("lane", x.lane,
                {"Of a limit: the lane that runs alone; absent for all stages but the load"});
  io("fill_ns", x.fill_ns, {"For each round: the time until the first item was done", "ns"});
  io("drain_ns", x.drain_ns,
     {"For each round: the time from the start of the last item to the end of the round", "ns"});
  io("latency_ns", x.latency_ns,
     {"For each item of all rounds: the time from its start to its end", "ns"});
}

void fields(auto& io, Is<BrokenFiles> auto& x) {
  io.object("unreadable_files",
            "Files that were left out, as they cannot be read for the same reason");
  io.required("why", x.why, {"The reason"});
  io("count", x.count, {"How many", "files"});
  io("names", x.names, {"The names of the first three"});
}

void fields(auto& io, Is<RemarkedFiles> auto& x) {
  io.object("remarked_files", "Files that are loaded, with the same remark on each");
  io.required("remark", x.remark, {"The remark"});
  io("count", x.count, {"How many", "files"});
  io("names", x.names, {"The names of the first three"});
}

void fields(auto& io, Is<OtherPictures> auto& x) {
  io.object("other_pictures", "Pictures of another kind in the same folders, which are not loaded");
  io.required("kind", x.kind, {"The kind of picture"});
  io("count", x.count, {"How many", "files"});
}

void fields(auto& io, Is<DatasetResult> auto& x) {
  io.object("dataset", "The files that a case loads");
  io("images", x.images, {"Images in all files", "images"});
  io("files", x.files, {"Files", "files"});
  io("bytes", x.bytes, {"The size of all files", "bytes"});
  io.when_known(
      "prepare_seconds", x.prepare_seconds,
      {"The time that `normbench prepare` took to make the dataset; absent: not known", "s"});
  io.when_known("psnr_db", x.psnr_db,
                {"The mean peak signal-to-noise ratio of the dataset's images, by its manifest; "
                 "absent: not known",
                 "dB"});
  io.when_known("left_out", x.left_out, {"Files that are left out, as they cannot be read"});
  io.when_known("remarks", x.remarks, {"Remarks on files that are loaded"});
  io.when_known("other_pictures", x.beside.others,
                {"Pictures of other kinds that lie there, the most frequent kind first"});
  io.when_known("in_folders", x.beside.in_folders,
                {"Files with a wanted ending in subfolders, which are not loaded", "files"});
}

void fields(auto& io, Is<CopiesResult> auto& x) {
  io.object("copies", "What PyTorch copied by operations of one kind, to make a batch");
  io.required("op", x.op, {"The operation, in PyTorch's words, like \"_to_copy\""});
  io("calls", x.calls, {"How often it ran", "calls"});
  io("bytes", x.bytes, {"The size of the tensors that it wrote", "bytes"});
}

void fields(auto& io, Is<GivenResult> auto& x) {
  io.object("given", "What your own code gave in the first batch of a turn: its largest array");
  io.required("dtype", x.dtype, {"The dtype, in the words of its library, like \"float64\""});
  io("shape", x.shape, {"The shape", "elements"});
  io("order", x.order, {"How the elements lie in memory"});
  io("device", x.device, {"Where the array is, like \"cpu\" or \"cuda:0\""});
  io("pinned", x.pinned, {"The array lies in page-locked memory"});
  io("bytes", x.bytes, {"The size of the array", "bytes"});
  io("batch_bytes", x.batch_bytes, {"The size of all arrays of the batch", "bytes"});
  io.when_known("workers", x.workers,
                {"Worker processes of the loader; absent: not known", "processes"});
  io.when_known("copies", x.copies,
                {"What PyTorch copied to make a batch, the largest first; absent: not known"});
}

void fields(auto& io, Is<CaseResult> auto& x) {
  io.object("case", "A contender of a group: a variant of the config, or a limit of the machine");
  io.required("variant", x.variant, {"Its name, unique in the group"});
  io.when_known("written", x.written,
                {"The variant as the config has it, where `variant` has the values of axes added: "
                 "\"a\" for \"a [k=1]\""});
  io("axes", x.axes, {"The values of the axes of `vary`"});
  io.required("status", x.status,
              {"Whether it was measured, could not run here, or failed: a wrong output, an error"});
  io("reason", x.reason, {"Why it was skipped or failed; \"\" if it was measured"});
  io.when_known("skip", x.skip,
                {"The kind of reason of a skipped case; absent in others, and in documents of "
                 "older versions"});
  io("threads", x.threads, {"Threads of the kernels on the CPU", "threads"});
  io.when_known("threads_decided", x.threads_decided,
                {"The config says \"all\", and this machine decided how many that is"});
  io.when_known("wait", x.wait, {"When the host waits for the GPU; \"\" without stages on a GPU"});
  io.when_known("graph", x.graph, {"The stages on the GPU run as CUDA graphs"});
  io.when_known("pipeline", x.pipeline,
                {"How several items are in flight; absent: one iteration after the other"});
  io.when_known("dataset", x.dataset, {"The files that it loads; absent: none"});
  io.when_known("given", x.given, {"What your own code gave; absent: none of it runs"});
  io.when_known("peer", x.peer, {"The peer of the config that ran it; absent: normbench itself"});
  io.when_known("peer_version", x.peer_version,
                {"The version that the peer reported, like \"torch 2.9.0\""});
  io.when_known("resident", x.resident, {"A limit whose buffers stay in the cache"});
  io("iterations", x.iterations,
     {"Iterations in each turn: times of a turn are divided by it", "iterations"});
  io("images", x.images, {"Images in an iteration", "images"});
  io("source_bytes", x.source_bytes,
     {"What an iteration must read at least: its source, or its files", "bytes"});
  io("result_bytes", x.result_bytes,
     {"What an iteration must write at least: its outputs", "bytes"});
  io("source", x.source, {"The first source; absent for files"});
  io.when_known("more_inputs", x.more_inputs, {"Further sources, and outputs of the setup"});
  io.when_known("outputs", x.outputs, {"The outputs; absent: the output of the last stage"});
  io("first_call_ns", x.first_call_ns, {"The very first iteration, with nothing warmed up", "ns"});
  io.when_known("bracket_ns", x.bracket_ns,
                {"The part of each stage's device time that the marks around it take themselves; "
                 "absent: not measured",
                 "ns"});
  io("stages", x.stages, {"The stages, in order"});
  io("rounds", x.rounds, {"The turns, in columns; not those of `cut_rounds`"});
  io.when_known(
      "cut_rounds", x.cut_rounds,
      {"The turns of an incomplete block of rounds at the end, which count in no statistic"});
  io("check", x.check, {"What the comparison of its outputs found"});
  io("notes", x.notes, {"What else there is to say, like \"a turn loads 16 of 40 images\""});
}

void fields(auto& io, Is<ProfileRow> auto& x) {
  io.object("profile_row",
            "A row of the profiler table: all calls of the same name. Calls of the host and the "
            "work on a device that they start have rows of their own");
  io.required("name", x.name, {"The call: a stage, a range, a call of the CUDA API, a kernel"});
  io("place", x.place,
     {"Where the calls are: `cpu` for calls of the host, even if they start work on a device"});
  io("calls", x.calls, {"How often it was called", "calls"});
  io("self_cpu_ns", x.self_cpu_ns, {"Host time of all calls without that of nested calls", "ns"});
  io("cpu_ns", x.cpu_ns, {"Host time of all calls", "ns"});
  io("self_device_ns", x.self_device_ns,
     {"Device time of all calls without that of nested calls", "ns"});
  io("device_ns", x.device_ns,
     {"Device time of all calls, with the work that nested calls started", "ns"});
  io("shapes", x.shapes, {"The shapes of the inputs"});
  io.when_known("annotation", x.annotation,
                {"A range around steps, on the host or as seen on a device"});
  io.when_known("constants", x.constants, {"The calls prepare constants of kernels"});
  io.when_known("image", x.image, {"Each call is the work of a loader on one image"});
  io.when_known("longest", x.longest, {"The name of the longest call, if it differs from `name`"});
  io.when_known("min_ns", x.min_ns,
                {"The shortest call: device time in rows of a device, else host time", "ns"});
  io.when_known("p50_ns", x.p50_ns, {"The median of the calls", "ns"});
  io.when_known("p95_ns", x.p95_ns, {"The 95th percentile of the calls (nearest rank)", "ns"});
  io.when_known("max_ns", x.max_ns, {"The longest call", "ns"});
  io.when_known("bytes", x.bytes, {"What all calls moved; absent: not known", "bytes"});
  io.when_known("faults", x.faults,
                {"Page faults of all calls, minor and major, of stages on the CPU", "faults"});
}

void fields(auto& io, Is<Counters> auto& x) {
  io.object("software_counters", "Counts of the operating system over all steps of a profile");
  io("minor_faults", x.minor_faults, {"Page faults without reading from a disk", "faults"});
  io("major_faults", x.major_faults, {"Page faults that read from a disk", "faults"});
  io("voluntary_switches", x.voluntary_switches,
     {"Context switches because a thread waited", "switches"});
  io("involuntary_switches", x.involuntary_switches,
     {"Context switches because another thread took the CPU", "switches"});
}

void fields(auto& io, Is<ProfileCounters> auto& x) {
  io.object("profile_counters",
            "Counts over all steps of a profile; a counter that was not read is absent");
  io("software", x.software, {"Page faults and context switches"});
  io("cycles", x.cycles, {"CPU cycles", "cycles"});
  io("instructions", x.instructions, {"Instructions of the CPU", "instructions"});
  io("cache_misses", x.cache_misses, {"Misses of the last-level cache", "misses"});
  io("hardware_missing", x.hardware_missing,
     {"Why the three counters of the CPU are missing, or \"\""});
  io("cpu_joules", x.cpu_joules, {"The energy of the processor packages", "J"});
  io("gpu_joules", x.gpu_joules, {"The energy of the GPU", "J"});
  io("energy_missing", x.energy_missing, {"Why an energy is missing, or \"\""});
}

void fields(auto& io, Is<ProfileTimes> auto& x) {
  io.object("profile_times",
            "Sums over the recorded steps. Work that overlaps on several streams counts once");
  io("wall_ns", x.wall_ns, {"The wall time of the recorded steps", "ns"});
  io("busy_ns", x.busy_ns, {"The time with at least one piece of work on the device", "ns"});
  io("copy_ns", x.copy_ns, {"The time with a copy over the link", "ns"});
  io("exposed_copy_ns", x.exposed_copy_ns,
     {"The time with a copy over the link but no kernel", "ns"});
  io("overlap_ns", x.overlap_ns, {"The time with two or more pieces of work on the device", "ns"});
  io("gaps", x.gaps, {"How often the device idled between two pieces of work of a step", "gaps"});
  io("gap_ns", x.gap_ns, {"For how long it idled so", "ns"});
}

void fields(auto& io, Is<ProfileLosses> auto& x) {
  io.object("profile_losses", "What the recording of a profile lost");
  io("dropped", x.dropped, {"Records that the tracer dropped for want of room", "records"});
  io("lost_buffers", x.lost_buffers,
     {"Buffers that the tracer lost with all their records", "buffers"});
  io("without_times", x.without_times, {"Records whose times are missing", "records"});
  io("launches", x.launches, {"Calls that start work on a device", "calls"});
  io("launched", x.launched, {"Of these, calls whose work was recorded", "calls"});
  io("without_launch", x.without_launch,
     {"Work on a device whose call was not recorded", "records"});
  io("before_launch", x.before_launch,
     {"Work on a device that seems to start before its call", "records"});
  io("most_skew_ns", x.most_skew_ns,
     {"The longest time from the start of such work to its call", "ns"});
}

void fields(auto& io, Is<LaneWork> auto& x) {
  io.object("lane_work",
            "The work of a lane on one item in one stage, in a time window with a few items");
  io.required("item", x.item, {"The item, counted from 0 in the window"});
  io.required("lane", x.lane, {"The lane, as an index from 0"});
  io.required("stage", x.stage, {"The stage, as an index from 0"});
  io.required("start_ns", x.start_ns,
              {"Since the start of the window; work at the edges is cut", "ns"});
  io.required("end_ns", x.end_ns, {"Since the start of the window", "ns"});
}

void fields(auto& io, Is<CaseProfile> auto& x) {
  io.object("profile", "The profile of a case, recorded after the rounds");
  io.required("variant", x.variant, {"The case"});
  io("steps", x.steps, {"Recorded steps", "steps"});
  io.when_known("discarded", x.discarded, {"Warm-up steps, which are not recorded", "steps"});
  io.when_known("counters", x.counters, {"Counts over all steps"});
  io("overhead", x.overhead,
     {"The time of a step with the profiler over that without it; 0: not measured", "ratio"});
  io.when_known(
      "clock_error_ns", x.clock_error_ns,
      {"The largest error of device times on the clock of the host, to either side", "ns"});
  io.when_known("device_times", x.device_times, {"Where device times come from"});
  io.when_known(
      "times", x.times,
      {"Sums over the steps; absent without work on a device in documents of older versions"});
  io.when_known("losses", x.losses, {"What was lost; absent: nothing"});
  io("rows", x.rows, {"The profiler table"});
  io.when_known("lane_work", x.lane_work, {"Of a pipeline: which lane worked on which item"});
}

void fields(auto& io, Is<Published> auto& x) {
  io.object("published", "Times that somebody published");
  io.required("variant", x.variant, {"The case whose times they are"});
  io.when_known("point", x.point,
                {"The values of axes for which they were published; absent: all"});
  io.when_known("stage", x.stage,
                {"The label of the stage whose times they are; absent: all stages"});
  io("where", x.where, {"Where they were published"});
  io("wall_ms", x.wall_ms, {"Wall time", "ms"});
  io("device_ms", x.device_ms, {"Device time", "ms"});
  io("sum_ms", x.sum_ms, {"Host time and device time added, as some charts show", "ms"});
  io("first_call_ms", x.first_call_ms, {"The very first iteration, with nothing warmed up", "ms"});
  io("speed_up", x.speed_up, {"How many times as fast as the baseline", "ratio"});
  io.when_known("submitted_ms", x.submitted_ms,
                {"The time until all work was submitted to the GPU", "ms"});
  io.when_known("items", x.items,
                {"The iterations that the times cover; absent: one", "iterations"});
  io.when_known("ids", x.ids, {"The published experiments that they belong to"});
}

void fields(auto& io, Is<ClaimedRatio> auto& x) {
  io.object("claimed_ratio", "A claimed ratio of two times, the larger one over the smaller one");
  io.required("low", x.low,
              {"The lower end; equal to `high` if a single number is claimed", "ratio"});
  io.required("high", x.high, {"The upper end", "ratio"});
}

void fields(auto& io, Is<ClaimedTrend> auto& x) {
  io.object("claimed_trend", "A claim about the ratio along an axis of the sweep");
  io.required("axis", x.axis, {"The axis"});
  io.required("trend", x.trend,
              {"How the ratio changes from the smallest value of the axis to the largest"});
}

void fields(auto& io, Is<Claim> auto& x) {
  io.object("claim",
            "A claim of the config: `left` takes less time than `right`, more, or as much");
  io("text", x.text, {"The claim in words"});
  io.required("left", x.left, {"A variant"});
  io.required("relation", x.relation, {"How its time compares with that of `right`"});
  io.required("right", x.right, {"Another variant"});
  io.when_known("ids", x.ids, {"The published experiments that the claim is from"});
  io.when_known("point", x.point, {"The values of axes for which it is meant; absent: all"});
  io.when_known("ratio", x.ratio, {"The claimed ratio of the two times"});
  io.when_known(
      "within", x.within,
      {"Of a claim of equal times: the largest relative difference that is meant", "ratio"});
  io.when_known("across", x.across, {"The claimed change along an axis"});
}

void fields(auto& io, Is<GroupResult> auto& x) {
  io.object("group",
            "An experiment at one point of its sweep: cases that took turns in the same rounds");
  io.required("experiment", x.experiment,
              {"The experiment, by its name in the config; each point of its sweep has a group"});
  io("question", x.question, {"The question in the config"});
  io("point", x.point, {"The values of the axes of `sweep`; empty without a sweep"});
  io("baseline", x.baseline, {"The variant that speed-ups are relative to"});
  io("stop", x.stop,
     {"Why the measuring ended: intervals were narrow enough, or the time was up; \"\" without "
      "rounds"});
  io("order", x.order,
     {"For each round: who took its turn when, as indices into `cases` and on into `limits`"});
  io.when_known("cut_order", x.cut_order,
                {"The same for the rounds in `cut_rounds`; the last may be shorter"});
  io.when_known("condition_before", x.condition_before,
                {"The state of the GPU before all rounds; absent without one"});
  io.when_known("condition_after", x.condition_after, {"The state of the GPU after all rounds"});
  io.when_known("slowest_state_ns", x.slowest_state_ns,
                {"The longest time that reading the GPU's state after a turn took", "ns"});
  io.required("cases", x.cases, {"The variants"});
  io("limits", x.limits,
     {"What the machine can do at most, measured in the same rounds: memory streams, copies, "
      "launches, parts of pipelines"});
  io("profile", x.profile, {"Profiles of the cases"});
  io("published", x.published, {"Published times, from the config"});
  io("claims", x.claims, {"The claims of the config"});
  io.when_known("ids", x.ids, {"The published experiments that the group reproduces"});
  io.when_known("precision", x.precision,
                {"The experiment's own `precision`, where it has one", "ratio"});
  io.when_known("cache", x.cache, {"The experiment's own `cache`, where it has one"});
  io.when_known("may_differ", x.may_differ,
                {"In what outputs may differ without a variant being left unranked"});
  io.when_known(
      "scaled_from", x.scaled_from,
      {"The images per batch that the config asks for, if fewer fit into memory; absent: all fit",
       "images"});
}

void fields(auto& io, Is<MissingGroup> auto& x) {
  io.object("missing_group", "A planned group that an interrupted run did not finish");
  io.required("experiment", x.experiment, {"The experiment"});
  io("point", x.point, {"The values of the axes of `sweep`"});
  io("processes", x.processes,
     {"The processes of `measure.processes` that had measured it, which `groups` has",
      "processes"});
  io.when_known(
      "rounds", x.rounds,
      {"The rounds of it that `groups` has, if it was interrupted within its rounds", "rounds"});
}

void fields(auto& io, Is<Results> auto& x) {
  io.object("results", "What `normbench run` measured, and what it derived from that");
  io.required("tool", x.tool, {"The program that measured"});
  io("environment", x.environment, {"The machine that was measured, as it was when the run began"});
  io("config", x.config, {"The config, with all changes of the command line"});
  io("name", x.name, {"The name of the config"});
  io("about", x.about, {"What the config says it is about"});
  io("precision", x.precision,
     {"The half-width of the intervals that was asked for, and the least difference that counts",
      "ratio"});
  io("quick", x.quick, {"Measured with `--quick`: a few rounds only"});
  io("cache", x.cache, {"Whether the data was in the caches before each turn (hot) or not (cold)"});
  io("clock", x.clock, {"The clock that decides which case is faster"});
  io("seed", x.seed, {"The seed of the order of turns and of random data"});
  io("traced", x.traced, {"A profiling tool was attached, so nothing is ranked"});
  io("interrupted", x.interrupted, {"The run ended early"});
  io.when_known("unkept", x.unkept, {"It ended early because its journal could not be written"});
  io.when_known(
      "calibration", x.calibration,
      {"What `normbench calibrate` found on this machine before; absent: it was not run"});
  io.required("groups", x.groups, {"The groups, in the order of the config"});
  io.when_known("missing", x.missing,
                {"The groups that an interrupted run did not finish; absent for a finished run. "
                 "Empty if it was interrupted while it profiled"});
}

}  // namespace normbench
