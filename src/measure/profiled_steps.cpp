#include "measure/profiled_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "measure/recording.h"

namespace normbench {
namespace {

std::int64_t steps_of_cycle(const ProfileOptions& options) {
  return options.wait + options.warmup + options.active;
}

StepAction kind_of_step(const ProfileOptions& options, std::int64_t step) {
  const StepAction action = action_of_step(options, step);
  return is_recorded(action) ? StepAction::Record : action;
}

void append(std::vector<ThreadLog>& all, std::vector<ThreadLog> more) {
  for (ThreadLog& log : more) {
    const auto same = std::ranges::find(all, log.tid, &ThreadLog::tid);
    if (same == all.end())
      all.push_back(std::move(log));
    else
      std::ranges::move(log.slices, std::back_inserter(same->slices));
  }
}

bool is_over_link(const StageRun& run, const Case& planned) {
  return std::all_of(planned.stages.begin() + static_cast<std::ptrdiff_t>(run.first),
                     planned.stages.begin() + static_cast<std::ptrdiff_t>(run.last) + 1,
                     is_copy_over_link);
}

/// Runs the steps (iterations) of a profile and collects what they record.
class Steps {
 public:
  Steps(Engine& engine, RunContext& context, DeviceTracing& tracing, bool traced)
      : engine_(engine),
        context_(context),
        tracing_(tracing),
        traced_(traced),
        marks_(engine.device() != nullptr && !traced),
        counters_(context, engine.device() != nullptr),
        kept_(context.clock, tracing) {}

  /// Runs steps without recording them.
  void skip(const Stretch& steps) {
    engine_.capture(steps.last - steps.first);
    for (std::int64_t step = steps.first; step < steps.last; ++step) {
      engine_.item().number_names(step);
      engine_.begin_step({.ranges = true, .first = step});
      engine_.step(name_of_step(step));
      engine_.end_step();
    }
  }

  void warm_up(const Stretch& steps) {
    engine_.capture(steps.last - steps.first);
    StageProfile dropped(context_.clock, tracing_);
    {
      const Recording recording(context_.recorder, tracer());
      for (std::int64_t step = steps.first; step < steps.last; ++step) {
        engine_.item().number_names(step);
        engine_.begin_step(options(step, &dropped));
        engine_.step(name_of_step(step));
        engine_.end_step();
      }
    }
    context_.recorder.take();
    result_.discarded += steps.last - steps.first;
  }

  void record(const Stretch& steps) {
    engine_.launch_graphs_once(steps.last - steps.first);
    Recording recording(context_.recorder, tracer());
    DeviceTrace trace = trace_of_marks();
    for (std::int64_t step = steps.first; step < steps.last; ++step) {
      engine_.item().number_names(step);
      engine_.cold_files().drop();
      engine_.begin_step(options(step, &kept_));
      counters_.begin(step == steps.first);
      engine_.step(name_of_step(step));
      counters_.end(step + 1 == steps.last);
      const Flow flow = engine_.end_step();
      result_.step_ns.push_back(static_cast<double>(flow.round.wall_ns));
      add_labels(step);
      add_records(flow, trace);
    }
    keep_device(recording.stop(), std::move(trace));
    append(result_.threads, context_.recorder.take());
  }

  /// Runs `items` items of a pipeline and deletes what was recorded.
  void warm_up_items(std::int64_t items) {
    const Range warmup(&context_.recorder, RangeKind::Warmup, "warmup");
    const Recording recording(context_.recorder, tracer());
    engine_.run(items, item_options());
    result_.discarded = items;
  }

  /// Runs and records `items` items of a pipeline in one turn. The range around them is named after
  /// `step`.
  void record_items(std::int64_t items, std::int64_t step) {
    Recording recording(context_.recorder, tracer());
    engine_.cold_files().drop();
    counters_.begin(true);
    Flow flow;
    {
      const Range window(&context_.recorder, RangeKind::Step, name_of_step(step));
      flow = engine_.run(items, item_options());
    }
    counters_.end(true);
    DeviceTrace trace = trace_of_marks();
    add_records(flow, trace);
    keep_device(recording.stop(), std::move(trace));
    append(result_.threads, context_.recorder.take());
    result_.step_ns.assign(static_cast<std::size_t>(items),
                           static_cast<double>(flow.round.wall_ns) / static_cast<double>(items));
    result_.lane_work = middle_work(flow);
    for (std::size_t i = 0; i < flow.end_ns.size(); ++i) {
      const auto item = static_cast<std::int64_t>(i);
      result_.items.push_back(
          {item, flow.round.start_ns + flow.begin_ns[i], flow.round.start_ns + flow.end_ns[i]});
      add_labels(item);
    }
  }

  ProfiledSteps result() {
    result_.counters = counters_.counters();
    result_.faults = kept_.faults();
    return std::move(result_);
  }

 private:
  DeviceTracing* tracer() { return traced_ ? &tracing_ : nullptr; }
  EngineOptions options(std::int64_t step, StageProfile* profile) const {
    return {.ranges = true, .marks = marks_, .spans = marks_, .profile = profile, .first = step};
  }
  EngineOptions item_options() const {
    return {.ranges = true, .marks = !traced_, .external_ids = !traced_};
  }
  std::string_view name_of_step(std::int64_t step) {
    return context_.recorder.intern(fmt::format("ProfilerStep#{}", step));
  }

  /// Adds an entry to `labels` for each range label that contains "{i}". Its value is the label.
  /// Its key is the name of the range in this step: the label with the number of the step in place
  /// of "{i}".
  void add_labels(std::int64_t step) {
    for (const std::string_view label : engine_.labels())
      if (is_numbered(label)) result_.labels.emplace(numbered(label, step), label);
  }

  static DeviceTrace trace_of_marks() {
    DeviceTrace trace;
    trace.source = name_of(DeviceTimes::CudaEvents);
    return trace;
  }
  /// Adds the spans of device work between marks to `trace`. There are none if a tracer is used.
  void add_records(const Flow& flow, DeviceTrace& trace) const {
    trace.clock_error_ns = std::max(trace.clock_error_ns, flow.clock_error_ns);
    for (const StageSpan& span : flow.spans) {
      if (span.stream == 0) continue;
      // span.stream is a number that the engine gave. Only a tracer knows CUDA's number.
      trace.records.push_back({.activity = Activity::Stage,
                               .start_ns = span.start_ns,
                               .end_ns = span.end_ns,
                               .name = trace.name(span.run.name),
                               .external_id = span.run.external_id,
                               .device = context_.backends.at(Place::Cuda)->device(),
                               .stream = span.stream,
                               .bytes = span.run.bytes,
                               .over_link = is_over_link(span.run, engine_.planned())});
    }
  }
  void keep_device(DeviceTrace traced, DeviceTrace marked) {
    if (engine_.device() == nullptr) return;
    result_.devices.push_back(traced_ ? std::move(traced) : std::move(marked));
  }

  Engine& engine_;
  RunContext& context_;
  DeviceTracing& tracing_;
  bool traced_;
  bool marks_;  // device work is timed between marks
  StepCounters counters_;
  StageProfile kept_;
  ProfiledSteps result_;
};

/// Runs the steps of the schedule that `options` describes. Returns false if the tracer failed.
bool run_schedule(Steps& steps, const ProfileOptions& options, RunContext& context,
                  DeviceTracing& tracing, bool traced) {
  std::optional<Range> warmup;
  for (std::int64_t step = 0; step < schedule_steps(options);) {
    const Stretch stretch = stretch_from(options, step);
    if (stretch.action == StepAction::Record) {
      warmup.reset();
      steps.record(stretch);
    } else {
      if (!warmup) warmup.emplace(&context.recorder, RangeKind::Warmup, "warmup");
      stretch.action == StepAction::Warmup ? steps.warm_up(stretch) : steps.skip(stretch);
    }
    if (traced && !tracing.usable()) return false;
    step = stretch.last;
  }
  return true;
}

/// Runs the items of a pipeline: first those whose records are deleted, then those that are kept.
/// Returns false if the tracer failed.
bool run_window(Steps& steps, const ProfileOptions& options, RunContext& context,
                DeviceTracing& tracing, bool traced) {
  const std::int64_t before = options.skip_first + options.wait + options.warmup;
  if (before > 0) steps.warm_up_items(before);
  context.recorder.take();
  steps.record_items(options.active, before);
  return !traced || tracing.usable();
}

}  // namespace

bool is_copy_over_link(const Stage& stage) { return roles_of(stage.op).link != LinkUse::None; }

StepAction action_of_step(const ProfileOptions& options, std::int64_t step) {
  if (step < options.skip_first) return StepAction::None;
  step -= options.skip_first;
  if (options.skip_first_wait != 0) step += options.wait;
  const std::int64_t cycle = steps_of_cycle(options);
  if (options.repeat > 0 && step / cycle >= options.repeat) return StepAction::None;
  const std::int64_t in_cycle = step % cycle;
  if (in_cycle < options.wait) return StepAction::None;
  if (in_cycle < options.wait + options.warmup) return StepAction::Warmup;
  return in_cycle + 1 < cycle ? StepAction::Record : StepAction::RecordAndSave;
}

std::int64_t schedule_steps(const ProfileOptions& options) {
  const std::int64_t cycles = std::max<std::int64_t>(1, options.repeat);
  const std::int64_t not_waited = options.skip_first_wait != 0 ? options.wait : 0;
  return options.skip_first + cycles * steps_of_cycle(options) - not_waited;
}

Stretch stretch_from(const ProfileOptions& options, std::int64_t first) {
  const std::int64_t steps = schedule_steps(options);
  Stretch stretch{
      .action = kind_of_step(options, first), .first = first, .last = std::min(first + 1, steps)};
  while (stretch.last < steps &&
         action_of_step(options, stretch.last - 1) != StepAction::RecordAndSave &&
         kind_of_step(options, stretch.last) == stretch.action)
    ++stretch.last;
  return stretch;
}

std::vector<LaneWork> middle_work(const Flow& flow) {
  constexpr std::size_t few = 6;
  const std::size_t count = std::min(few, flow.end_ns.size());
  const std::size_t first = (flow.end_ns.size() - count) / 2;
  // If each item has its own thread, items may begin in any order, so the first one of the list
  // need not begin first.
  const auto begins = std::span(flow.begin_ns).subspan(first, count);
  const auto ends = std::span(flow.end_ns).subspan(first, count);
  const std::int64_t from_ns = flow.round.start_ns + std::ranges::min(begins);
  const std::int64_t to_ns = flow.round.start_ns + std::ranges::max(ends);
  std::vector<LaneWork> work;
  for (const StageSpan& span : flow.spans)
    if (span.end_ns > from_ns && span.start_ns < to_ns)
      work.push_back({.item = span.run.item,
                      .lane = static_cast<std::int64_t>(span.lane),
                      .stage = static_cast<std::int64_t>(span.run.first),
                      .start_ns = std::max(span.start_ns, from_ns) - from_ns,
                      .end_ns = std::min(span.end_ns, to_ns) - from_ns});
  std::ranges::sort(work, {}, &LaneWork::start_ns);
  return work;
}

std::optional<ProfiledSteps> run_profiled_steps(Engine& engine, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced) {
  Steps steps(engine, context, tracing, traced);
  context.recorder.take();
  const auto run = engine.planned().pipeline ? run_window : run_schedule;
  if (!run(steps, options, context, tracing, traced)) return std::nullopt;
  return steps.result();
}

}  // namespace normbench
