/// The fields of the results document, in one list per struct for writing and reading. A list calls
/// one of these functions for each field:
/// - `io.required` if every document must have it;
/// - `io.when_known` if it is left out when it is null, 0, empty or all zeros;
/// - `io(name, member)` otherwise.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include "document/results.h"

namespace normbench {

/// T is `Struct` for reading and `const Struct` for writing.
template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
concept Enum = std::is_enum_v<T>;

/// A column of "rounds": its name, and a function that returns the member of a Round.
struct RoundColumn {
  const char* name;
  std::int64_t& (*of)(Round&);
};

inline constexpr auto round_columns = std::to_array<RoundColumn>({
    {"wall_ns", [](Round& r) -> std::int64_t& { return r.wall_ns; }},
    {"device_ns", [](Round& r) -> std::int64_t& { return r.device_ns; }},
    {"submitted_ns", [](Round& r) -> std::int64_t& { return r.submitted_ns; }},
    {"cpu_ns", [](Round& r) -> std::int64_t& { return r.cpu_ns; }},
    {"start_ns", [](Round& r) -> std::int64_t& { return r.start_ns; }},
    {"queued_ns", [](Round& r) -> std::int64_t& { return r.queued_ns; }},
    {"minor_faults", [](Round& r) -> std::int64_t& { return r.counters.minor_faults; }},
    {"major_faults", [](Round& r) -> std::int64_t& { return r.counters.major_faults; }},
    {"voluntary_switches", [](Round& r) -> std::int64_t& { return r.counters.voluntary_switches; }},
    {"involuntary_switches",
     [](Round& r) -> std::int64_t& { return r.counters.involuntary_switches; }},
    {"steal_ns", [](Round& r) -> std::int64_t& { return r.disturbance.steal_ns; }},
    {"throttled_ns", [](Round& r) -> std::int64_t& { return r.disturbance.throttled_ns; }},
    {"frequency_khz", [](Round& r) -> std::int64_t& { return r.disturbance.frequency_khz; }},
    {"sm_clock_mhz", [](Round& r) -> std::int64_t& { return r.state.sm_clock_mhz; }},
    {"turn_clock_mhz", [](Round& r) -> std::int64_t& { return r.turn_clock_mhz; }},
    {"throttle_bits", [](Round& r) -> std::int64_t& { return r.state.throttle_bits; }},
    {"temperature_c", [](Round& r) -> std::int64_t& { return r.state.temperature_c; }},
});

void fields(auto& io, Is<StageResult> auto& x) {
  io.required("op", x.op);
  io("label", x.label);
  io("kernel", x.kernel);
  io.when_known("forced", x.forced);
  io.when_known("ranges", x.ranges);
  io("place", x.place);
  io("out", x.out);
  io.when_known("parameters", x.parameters);
  io("min_bytes", x.min_bytes);
  io.when_known("min_read_bytes", x.min_read_bytes);
  io("bytes", x.bytes);
  io("link_bytes", x.link_bytes);
  io("flops", x.flops);
  io("output", x.output);
  io("rounds_ns", x.rounds_ns);
  io.when_known("calls_ns", x.calls_ns);
  io("staged", x.staged);
  io.when_known("resident", x.resident);
}

void fields(auto& io, Is<CheckResult> auto& x) {
  io.required("ok", x.ok);
  io("max_abs_error", x.max_abs_error);
  io("bound", x.bound);
  io.when_known("bound_share", x.bound_share);
  io.when_known("unchecked_values", x.unchecked_values);
  io.when_known("psnr_db", x.psnr_db);
  io.when_known("psnr_bound_db", x.psnr_bound_db);
  io.when_known("held_to", x.held_to);
  io.when_known("variant", x.variant);
  io.when_known("calls", x.calls);
}

void fields(auto& io, Is<LaneResult> auto& x) {
  io.required("name", x.name);
  io("servers", x.servers);
  io("threads", x.threads);
  io("stages", x.stages);
  io.when_known("alone", x.alone);
  io.when_known("busy_ns", x.busy_ns);
  io.when_known("exposed_ns", x.exposed_ns);
}

void fields(auto& io, Is<PipelineResult> auto& x) {
  io("in_flight", x.in_flight);
  io("submit", x.submit);
  io("lanes", x.lanes);
  io.when_known("part_of", x.part_of);
  io.when_known("lane", x.lane);
  io("fill_ns", x.fill_ns);
  io("drain_ns", x.drain_ns);
  io("latency_ns", x.latency_ns);
}

void fields(auto& io, Is<BrokenFiles> auto& x) {
  io.required("why", x.why);
  io("count", x.count);
  io("names", x.names);
}

void fields(auto& io, Is<RemarkedFiles> auto& x) {
  io.required("remark", x.remark);
  io("count", x.count);
  io("names", x.names);
}

void fields(auto& io, Is<OtherPictures> auto& x) {
  io.required("kind", x.kind);
  io("count", x.count);
}

void fields(auto& io, Is<DatasetResult> auto& x) {
  io("images", x.images);
  io("files", x.files);
  io("bytes", x.bytes);
  io.when_known("prepare_seconds", x.prepare_seconds);
  io.when_known("psnr_db", x.psnr_db);
  io.when_known("left_out", x.left_out);
  io.when_known("remarks", x.remarks);
  io.when_known("other_pictures", x.beside.others);
  io.when_known("in_folders", x.beside.in_folders);
}

void fields(auto& io, Is<CaseResult> auto& x) {
  io.required("variant", x.variant);
  io.when_known("written", x.written);
  io("axes", x.axes);
  io.required("status", x.status);
  io("reason", x.reason);
  io.when_known("skip", x.skip);
  io("threads", x.threads);
  io.when_known("threads_decided", x.threads_decided);
  io.when_known("wait", x.wait);
  io.when_known("graph", x.graph);
  io.when_known("pipeline", x.pipeline);
  io.when_known("dataset", x.dataset);
  io.when_known("peer", x.peer);
  io.when_known("peer_version", x.peer_version);
  io.when_known("resident", x.resident);
  io("iterations", x.iterations);
  io("images", x.images);
  io("source_bytes", x.source_bytes);
  io("result_bytes", x.result_bytes);
  io("source", x.source);
  io.when_known("more_inputs", x.more_inputs);
  io.when_known("outputs", x.outputs);
  io("first_call_ns", x.first_call_ns);
  io.when_known("bracket_ns", x.bracket_ns);
  io("stages", x.stages);
  io("rounds", x.rounds);
  io.when_known("cut_rounds", x.cut_rounds);
  io("check", x.check);
  io("notes", x.notes);
}

void fields(auto& io, Is<ProfileRow> auto& x) {
  io.required("name", x.name);
  io("place", x.place);
  io("calls", x.calls);
  io("self_cpu_ns", x.self_cpu_ns);
  io("cpu_ns", x.cpu_ns);
  io("self_device_ns", x.self_device_ns);
  io("device_ns", x.device_ns);
  io("shapes", x.shapes);
  io.when_known("annotation", x.annotation);
  io.when_known("constants", x.constants);
  io.when_known("image", x.image);
  io.when_known("longest", x.longest);
  io.when_known("min_ns", x.min_ns);
  io.when_known("p50_ns", x.p50_ns);
  io.when_known("p95_ns", x.p95_ns);
  io.when_known("max_ns", x.max_ns);
  io.when_known("bytes", x.bytes);
  io.when_known("faults", x.faults);
}

void fields(auto& io, Is<Counters> auto& x) {
  io("minor_faults", x.minor_faults);
  io("major_faults", x.major_faults);
  io("voluntary_switches", x.voluntary_switches);
  io("involuntary_switches", x.involuntary_switches);
}

void fields(auto& io, Is<ProfileCounters> auto& x) {
  io("software", x.software);
  io("cycles", x.cycles);
  io("instructions", x.instructions);
  io("cache_misses", x.cache_misses);
  io("hardware_missing", x.hardware_missing);
  io("cpu_joules", x.cpu_joules);
  io("gpu_joules", x.gpu_joules);
  io("energy_missing", x.energy_missing);
}

void fields(auto& io, Is<ProfileTimes> auto& x) {
  io("wall_ns", x.wall_ns);
  io("busy_ns", x.busy_ns);
  io("copy_ns", x.copy_ns);
  io("exposed_copy_ns", x.exposed_copy_ns);
  io("overlap_ns", x.overlap_ns);
  io("gaps", x.gaps);
  io("gap_ns", x.gap_ns);
}

void fields(auto& io, Is<ProfileLosses> auto& x) {
  io("dropped", x.dropped);
  io("lost_buffers", x.lost_buffers);
  io("without_times", x.without_times);
  io("launches", x.launches);
  io("launched", x.launched);
  io("without_launch", x.without_launch);
  io("before_launch", x.before_launch);
  io("most_skew_ns", x.most_skew_ns);
}

void fields(auto& io, Is<LaneWork> auto& x) {
  io.required("item", x.item);
  io.required("lane", x.lane);
  io.required("stage", x.stage);
  io.required("start_ns", x.start_ns);
  io.required("end_ns", x.end_ns);
}

void fields(auto& io, Is<CaseProfile> auto& x) {
  io.required("variant", x.variant);
  io("steps", x.steps);
  io.when_known("discarded", x.discarded);
  io.when_known("counters", x.counters);
  io("overhead", x.overhead);
  io.when_known("clock_error_ns", x.clock_error_ns);
  io.when_known("device_times", x.device_times);
  io.when_known("times", x.times);
  io.when_known("losses", x.losses);
  io("rows", x.rows);
  io.when_known("lane_work", x.lane_work);
}

void fields(auto& io, Is<Published> auto& x) {
  io.required("variant", x.variant);
  io.when_known("point", x.point);
  io.when_known("stage", x.stage);
  io("where", x.where);
  io("wall_ms", x.wall_ms);
  io("device_ms", x.device_ms);
  io("sum_ms", x.sum_ms);
  io("first_call_ms", x.first_call_ms);
  io("speed_up", x.speed_up);
  io.when_known("submitted_ms", x.submitted_ms);
  io.when_known("items", x.items);
  io.when_known("ids", x.ids);
}

void fields(auto& io, Is<ClaimedRatio> auto& x) {
  io.required("low", x.low);
  io.required("high", x.high);
}

void fields(auto& io, Is<ClaimedTrend> auto& x) {
  io.required("axis", x.axis);
  io.required("trend", x.trend);
}

void fields(auto& io, Is<Claim> auto& x) {
  io("text", x.text);
  io.required("left", x.left);
  io.required("relation", x.relation);
  io.required("right", x.right);
  io.when_known("ids", x.ids);
  io.when_known("point", x.point);
  io.when_known("ratio", x.ratio);
  io.when_known("within", x.within);
  io.when_known("across", x.across);
}

void fields(auto& io, Is<GroupResult> auto& x) {
  io.required("experiment", x.experiment);
  io("question", x.question);
  io("point", x.point);
  io("baseline", x.baseline);
  io("stop", x.stop);
  io("order", x.order);
  io.when_known("cut_order", x.cut_order);
  io.when_known("condition_before", x.condition_before);
  io.when_known("condition_after", x.condition_after);
  io.when_known("slowest_state_ns", x.slowest_state_ns);
  io.required("cases", x.cases);
  io("limits", x.limits);
  io("profile", x.profile);
  io("published", x.published);
  io("claims", x.claims);
  io.when_known("ids", x.ids);
  io.when_known("precision", x.precision);
  io.when_known("cache", x.cache);
  io.when_known("may_differ", x.may_differ);
  io.when_known("scaled_from", x.scaled_from);
}

void fields(auto& io, Is<MissingGroup> auto& x) {
  io.required("experiment", x.experiment);
  io("point", x.point);
  io("processes", x.processes);
}

void fields(auto& io, Is<Results> auto& x) {
  io.required("tool", x.tool);
  io("environment", x.environment);
  io("config", x.config);
  io("name", x.name);
  io("about", x.about);
  io("precision", x.precision);
  io("quick", x.quick);
  io("cache", x.cache);
  io("clock", x.clock);
  io("seed", x.seed);
  io("traced", x.traced);
  io("interrupted", x.interrupted);
  io.when_known("unkept", x.unkept);
  io.when_known("calibration", x.calibration);
  io.required("groups", x.groups);
  io.when_known("missing", x.missing);
}

}  // namespace normbench
