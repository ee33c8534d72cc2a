#include "measure/profiled_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

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

// A case works on one stream, whose real number only a tracer knows; they count from 1.
constexpr std::int64_t kStream = 1;

/// What a device did, where no tracer tells: marks around the work of each stage, tied to the
/// host's clock anew before every step, as the two clocks drift apart.
class DeviceLane {
 public:
  /// The case has a device, the number of which is `device`.
  DeviceLane(PreparedCase& prepared, Clock& clock, int device)
      : prepared_(prepared), clock_(clock), device_(device) {}

  /// Call when drained; what is returned takes the step's times.
  StageTimes* begin_step() {
    anchor_ = take_anchor(*prepared_.device(), clock_);
    return &times_.emplace(clock_, prepared_.work().stages.size());
  }

  /// Adds the step's records. Call when it is drained.
  void keep_step() {
    Queue& queue = *prepared_.device();
    const auto host_ns = [&](int mark) { return anchor_.host_ns + queue.ns_between(0, mark); };
    for (const auto& [run, from, to] : times_->spans())
      trace_.records.push_back({.activity = Activity::Stage,
                                .start_ns = host_ns(from),
                                .end_ns = host_ns(to),
                                .name = trace_.name(run.name),
                                .external_id = run.external_id,
                                .device = device_,
                                .stream = kStream,
                                .bytes = run.bytes,
                                .over_link = is_over_link(run)});
    trace_.clock_error_ns = std::max(trace_.clock_error_ns, anchor_.error_ns);
  }

  /// What the steps kept since the last call did.
  DeviceTrace take() {
    trace_.source = name_of(DeviceTimes::CudaEvents);
    return std::exchange(trace_, {});
  }

 private:
  bool is_over_link(const StageRun& run) const {
    const auto stages = prepared_.work().stages.begin();
    return std::all_of(stages + static_cast<std::ptrdiff_t>(run.first),
                       stages + static_cast<std::ptrdiff_t>(run.last) + 1, is_copy_over_link);
  }

  PreparedCase& prepared_;
  Clock& clock_;
  int device_;
  Anchor anchor_;
  std::optional<StageTimes> times_;
  DeviceTrace trace_;
};

/// A profile while its steps run.
class Steps {
 public:
  Steps(PreparedCase& prepared, RunContext& context, DeviceTracing& tracing, bool traced)
      : prepared_(prepared),
        context_(context),
        tracing_(tracing),
        traced_(traced),
        counters_(context, prepared.device() != nullptr),
        kept_(context.clock, tracing) {
    if (prepared.device() != nullptr && !traced)
      lane_.emplace(prepared, context.clock, context.backends.at(Place::Cuda)->device());
  }

  /// Nothing of these is kept, also by the recorder.
  void skip(const Stretch& steps) {
    prepared_.capture(steps.last - steps.first);
    for (std::int64_t step = steps.first; step < steps.last; ++step) {
      prepared_.number(step);
      run(step, {.ranges = true});
    }
  }

  void warm_up(const Stretch& steps) {
    prepared_.capture(steps.last - steps.first);
    StageProfile dropped(context_.clock, tracing_);
    {
      const Recording recording(context_.recorder, traced_ ? &tracing_ : nullptr);
      for (std::int64_t step = steps.first; step < steps.last; ++step) {
        prepared_.number(step);
        run(step, {.ranges = true, .times = begin_times(), .profile = &dropped});
      }
    }
    context_.recorder.take();
    result_.discarded += steps.last - steps.first;
  }

  void record(const Stretch& steps) {
    prepared_.launch_graphs_once(steps.last - steps.first);
    Recording recording(context_.recorder, traced_ ? &tracing_ : nullptr);
    for (std::int64_t step = steps.first; step < steps.last; ++step) {
      prepared_.number(step);
      for (const auto& [name, label] : prepared_.numbered_names())
        result_.labels.emplace(name, label);
      prepared_.cold_files().drop();
      StageTimes* const times = begin_times();
      counters_.begin(step == steps.first);
      const double ns = run(step, {.ranges = true, .times = times, .profile = &kept_});
      counters_.end(step + 1 == steps.last);
      result_.step_ns.push_back(ns);
      if (lane_) lane_->keep_step();
    }
    DeviceTrace device = recording.stop();
    if (traced_) result_.devices.push_back(std::move(device));
    if (lane_) result_.devices.push_back(lane_->take());
    append(result_.threads, context_.recorder.take());
  }

  ProfiledSteps result() {
    result_.counters = counters_.counters();
    result_.faults = kept_.faults();
    return std::move(result_);
  }

 private:
  StageTimes* begin_times() { return lane_ ? lane_->begin_step() : nullptr; }

  /// One iteration in the range of its step, until it is done; returns its time.
  double run(std::int64_t step, IterationOptions options) {
    options.item = step;
    const std::string_view name = context_.recorder.intern(fmt::format("ProfilerStep#{}", step));
    const std::int64_t start_ns = context_.clock.now_ns();
    {
      const Range range(&context_.recorder, RangeKind::Step, name);
      prepared_.advance();
      prepared_.run(options);
      prepared_.drain();
    }
    return static_cast<double>(context_.clock.now_ns() - start_ns);
  }

  PreparedCase& prepared_;
  RunContext& context_;
  DeviceTracing& tracing_;
  bool traced_;
  StepCounters counters_;
  StageProfile kept_;
  std::optional<DeviceLane> lane_;
  ProfiledSteps result_;
};

}  // namespace

bool is_copy_over_link(const Stage& stage) {
  return std::holds_alternative<H2d>(stage.op) || std::holds_alternative<D2h>(stage.op) ||
         std::holds_alternative<Exchange>(stage.op);
}

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

std::optional<ProfiledSteps> run_profiled_steps(PreparedCase& prepared,
                                                const ProfileOptions& options, RunContext& context,
                                                DeviceTracing& tracing, bool traced) {
  Steps steps(prepared, context, tracing, traced);
  context.recorder.take();
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
    if (traced && !tracing.usable()) return std::nullopt;
    step = stretch.last;
  }
  return steps.result();
}

}  // namespace normbench
