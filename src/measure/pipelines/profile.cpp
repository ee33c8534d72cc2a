#include "measure/pipelines/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "measure/recording.h"

namespace normbench {
namespace {

std::int64_t items_before(const ProfileOptions& options) {
  return options.skip_first + options.wait + options.warmup;
}

/// The names of an item's ranges that have its number, and their labels.
void add_labels(const Case& work, std::int64_t item, ProfiledSteps& steps) {
  std::vector<std::string> labels;
  for (const Stage& stage : work.stages) labels.push_back(stage.label);
  for (const StageRange& range : ranges_of(work.stages)) labels.push_back(range.name);
  for (const std::string& label : labels)
    if (is_numbered(label)) steps.labels.emplace(numbered(label, item), label);
}

/// What a device did between marks.
DeviceTrace trace_of(const Flow& flow, const Case& work, int device) {
  DeviceTrace trace;
  trace.source = name_of(DeviceTimes::CudaEvents);
  trace.clock_error_ns = flow.clock_error_ns;
  for (const LaneSpan& span : flow.spans) {
    if (span.stream == 0) continue;
    const Stage& stage = work.stages[span.stage];
    const std::string name =
        is_numbered(stage.label) ? numbered(stage.label, span.item) : stage.label;
    trace.records.push_back({.activity = Activity::Stage,
                             .start_ns = span.start_ns,
                             .end_ns = span.end_ns,
                             .name = trace.name(name),
                             .external_id = external_id(work, span.item, span.stage),
                             .device = device,
                             .stream = span.stream,
                             .bytes = stage.cost.read_bytes + stage.cost.written_bytes,
                             .over_link = is_copy_over_link(stage)});
  }
  return trace;
}

}  // namespace

std::vector<LaneWork> middle_work(const Flow& flow) {
  constexpr std::size_t few = 6;
  const std::size_t count = std::min(few, flow.end_ns.size());
  const std::size_t first = (flow.end_ns.size() - count) / 2;
  // Items with threads of their own begin in any order.
  const auto begins = std::span(flow.begin_ns).subspan(first, count);
  const auto ends = std::span(flow.end_ns).subspan(first, count);
  const std::int64_t from_ns = flow.round.start_ns + std::ranges::min(begins);
  const std::int64_t to_ns = flow.round.start_ns + std::ranges::max(ends);
  std::vector<LaneWork> work;
  for (const LaneSpan& span : flow.spans)
    if (span.end_ns > from_ns && span.start_ns < to_ns)
      work.push_back({.item = span.item,
                      .lane = static_cast<std::int64_t>(span.lane),
                      .stage = static_cast<std::int64_t>(span.stage),
                      .start_ns = std::max(span.start_ns, from_ns) - from_ns,
                      .end_ns = std::min(span.end_ns, to_ns) - from_ns});
  std::ranges::sort(work, {}, &LaneWork::start_ns);
  return work;
}

std::optional<ProfiledSteps> run_profiled_window(Engine& engine, const ProfileOptions& options,
                                                 RunContext& context, DeviceTracing& tracing,
                                                 bool traced) {
  const FlowOptions flow_options{
      .ranges = true, .device_marks = !traced, .external_ids = !traced, .on_done = {}};
  DeviceTracing* const tracer = traced ? &tracing : nullptr;
  ProfiledSteps steps;
  context.recorder.take();
  if (items_before(options) > 0) {
    const Range warmup(&context.recorder, RangeKind::Warmup, "warmup");
    const Recording recording(context.recorder, tracer);
    engine.run(items_before(options), flow_options);
    steps.discarded = items_before(options);
  }
  context.recorder.take();
  StepCounters counters(context, engine.has_device());
  Recording recording(context.recorder, tracer);
  ColdFiles(engine.work()).drop();
  counters.begin(true);
  Flow flow;
  {
    const Range window(
        &context.recorder, RangeKind::Step,
        context.recorder.intern(fmt::format("ProfilerStep#{}", items_before(options))));
    flow = engine.run(options.active, flow_options);
  }
  counters.end(true);
  DeviceTrace device = recording.stop();
  if (traced && !tracing.usable()) return std::nullopt;
  if (engine.has_device())
    steps.devices.push_back(
        traced ? std::move(device)
               : trace_of(flow, engine.work(), context.backends.at(Place::Cuda)->device()));
  steps.threads = context.recorder.take();
  steps.counters = counters.counters();
  steps.step_ns.assign(
      static_cast<std::size_t>(options.active),
      static_cast<double>(flow.round.wall_ns) / static_cast<double>(options.active));
  steps.lane_work = middle_work(flow);
  for (std::size_t i = 0; i < flow.end_ns.size(); ++i) {
    const auto item = static_cast<std::int64_t>(i);
    steps.items.push_back(
        {item, flow.round.start_ns + flow.begin_ns[i], flow.round.start_ns + flow.end_ns[i]});
    add_labels(engine.work(), item, steps);
  }
  return steps;
}

}  // namespace normbench
