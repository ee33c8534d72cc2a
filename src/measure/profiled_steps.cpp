#include "measure/profiled_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "measure/device_lane.h"
#include "measure/profile_schedule.h"
#include "measure/step_counters.h"

namespace normbench {

namespace {

/// Recorder and tracer record while this lives and no longer, however it ends.
class Recording {
 public:
  Recording(Recorder& recorder, DeviceTracing* tracing) : recorder_(recorder), tracing_(tracing) {
    if (tracing_ != nullptr) tracing_->start();
    recorder_.enable(true);
  }
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  DeviceTrace stop() {
    recorder_.enable(false);
    return tracing_ != nullptr ? tracing_->stop() : DeviceTrace{};
  }

 private:
  Recorder& recorder_;
  DeviceTracing* tracing_;
};

void append(std::vector<ThreadLog>& all, std::vector<ThreadLog> more) {
  for (ThreadLog& log : more) {
    const auto same = std::ranges::find(all, log.tid, &ThreadLog::tid);
    if (same == all.end())
      all.push_back(std::move(log));
    else
      std::ranges::move(log.slices, std::back_inserter(same->slices));
  }
}

class Steps {
 public:
  Steps(Contender& contender, RunContext& context, DeviceTracing& tracing, bool traced)
      : contender_(contender),
        context_(context),
        recorder_(context.recorder),
        tracing_(tracing),
        traced_(traced),
        counters_(context, contender.device() != nullptr),
        kept_(context.clock, tracing) {
    if (contender.device() != nullptr && !traced)
      lane_.emplace(contender, context.clock, context.backends.at(Place::Cuda)->device());
  }

  /// Nothing of these is kept, also by the recorder.
  void skip(const Stretch& steps) {
    contender_.capture(steps.last - steps.first);
    for (std::int64_t step = steps.first; step < steps.last; ++step) run(step, {.ranges = true});
  }

  void warm_up(const Stretch& steps) {
    contender_.capture(steps.last - steps.first);
    StageProfile dropped(context_.clock, tracing_);
    {
      const Recording recording(recorder_, traced_ ? &tracing_ : nullptr);
      for (std::int64_t step = steps.first; step < steps.last; ++step)
        run(step, {.ranges = true, .times = begin_times(), .profile = &dropped});
    }
    recorder_.take();
    result_.discarded += steps.last - steps.first;
  }

  void record(const Stretch& steps) {
    contender_.capture(steps.last - steps.first);
    Recording recording(recorder_, traced_ ? &tracing_ : nullptr);
    for (std::int64_t step = steps.first; step < steps.last; ++step) {
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
    append(result_.threads, recorder_.take());
  }

  ProfiledSteps result() {
    result_.counters = counters_.counters();
    result_.faults = kept_.faults();
    return std::move(result_);
  }

 private:
  StageTimes* begin_times() { return lane_ ? lane_->begin_step() : nullptr; }

  /// One iteration in the range of its step, until it is done; returns its time.
  double run(std::int64_t step, const IterationOptions& options) {
    const std::string_view name = recorder_.intern(fmt::format("ProfilerStep#{}", step));
    const std::int64_t start_ns = context_.clock.now_ns();
    {
      const Range range(&recorder_, RangeKind::Step, name);
      contender_.advance();
      contender_.run(options);
      contender_.drain();
    }
    return static_cast<double>(context_.clock.now_ns() - start_ns);
  }

  Contender& contender_;
  RunContext& context_;
  Recorder& recorder_;
  DeviceTracing& tracing_;
  bool traced_;
  StepCounters counters_;
  StageProfile kept_;
  std::optional<DeviceLane> lane_;
  ProfiledSteps result_;
};

}  // namespace

std::optional<ProfiledSteps> run_profiled_steps(Contender& contender, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced) {
  Steps steps(contender, context, tracing, traced);
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
