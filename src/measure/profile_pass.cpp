#include "measure/profile_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "measure/device_lane.h"
#include "measure/group_run.h"
#include "measure/statistics.h"
#include "measure/step_counters.h"

namespace normbench {

namespace {

/// The recorder goes off with this, however the pass ends.
class RecorderOff {
 public:
  explicit RecorderOff(Recorder& recorder) : recorder_(recorder) {}
  ~RecorderOff() { recorder_.enable(false); }
  RecorderOff(const RecorderOff&) = delete;
  RecorderOff& operator=(const RecorderOff&) = delete;

 private:
  Recorder& recorder_;
};

/// One iteration with its ranges; returns its time. Graphs are captured before it.
double profiled_step(Contender& contender, RunContext& context, std::int64_t step,
                     DeviceLane* lane) {
  const std::string_view name = context.recorder.intern(fmt::format("ProfilerStep#{}", step));
  contender.capture(1);
  StageTimes* const times = lane != nullptr ? lane->begin_step() : nullptr;
  const std::int64_t start_ns = context.clock.now_ns();
  {
    const Range range(&context.recorder, RangeKind::Step, name);
    contender.advance();
    contender.run({.recorder = &context.recorder, .ranges = true, .times = times});
    contender.drain();
  }
  return static_cast<double>(context.clock.now_ns() - start_ns);
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

struct Recorded {
  std::vector<ThreadLog> threads;
  std::vector<double> step_ns;
  std::int64_t clock_error_ns = 0;
  ProfileCounters counters;
};

/// Warm-up steps are recorded, as they cost the same, and dropped.
Recorded run_schedule(Contender& contender, const ProfileOptions& options, RunContext& context) {
  const RecorderOff off(context.recorder);
  Recorded recorded;
  StepCounters counters(context, contender.device() != nullptr);
  std::optional<DeviceLane> lane;
  if (contender.device() != nullptr) lane.emplace(contender, context.clock);
  context.recorder.take();
  for (std::int64_t step = 0; step < schedule_steps(options); ++step) {
    const StepAction action = action_of_step(options, step);
    context.recorder.enable(action != StepAction::None);
    const bool with_lane = lane && action != StepAction::None;
    if (action == StepAction::Record) counters.begin(action_of_step(options, step - 1) != action);
    const double ns = profiled_step(contender, context, step, with_lane ? &*lane : nullptr);
    if (action == StepAction::Record) {
      counters.end(action_of_step(options, step + 1) != action);
      recorded.step_ns.push_back(ns);
      if (lane) lane->keep_step();
    }
    if (action == action_of_step(options, step + 1)) continue;
    auto logs = context.recorder.take();
    if (action == StepAction::Record) append(recorded.threads, std::move(logs));
  }
  if (lane) {
    recorded.clock_error_ns = lane->clock_error_ns();
    recorded.threads.push_back(lane->take());
  }
  recorded.counters = counters.counters();
  return recorded;
}

double overhead(const CaseResult& result, std::vector<double> step_ns) {
  std::vector<double> measured;
  for (const Round& round : result.rounds)
    measured.push_back(static_cast<double>(round.wall_ns) / static_cast<double>(result.iterations));
  const double base = measured.empty() ? 0 : median(std::move(measured));
  return base > 0 ? median(std::move(step_ns)) / base : 0;
}

CaseProfile profile_case(const Plan& plan, const Group& group, const Case& work,
                         const CaseResult& result, GroupMemory& memory, RunContext& context) {
  const Range variant(nullptr, RangeKind::Variant, work.variant);
  std::mt19937_64 random(static_cast<std::uint64_t>(plan.measure.seed));
  std::optional<Contender> contender;
  {
    const Range init(nullptr, RangeKind::Init, "init");
    contender.emplace(work, memory, context.backends, context.recorder);
    contender->place(random);
  }
  warm_up(*contender, context.clock);
  Recorded recorded = run_schedule(*contender, plan.profile, context);
  CaseProfile profile{.variant = work.variant,
                      .steps = static_cast<std::int64_t>(recorded.step_ns.size()),
                      .counters = std::move(recorded.counters),
                      .overhead = overhead(result, recorded.step_ns),
                      .clock_error_ns = recorded.clock_error_ns,
                      .rows = {}};
  profile.rows = context.on_profile({.experiment = group.experiment,
                                     .variant = work.variant,
                                     .point = group.point,
                                     .threads = std::move(recorded.threads)});
  return profile;
}

}  // namespace

StepAction action_of_step(const ProfileOptions& options, std::int64_t step) {
  if (step < options.skip_first || step >= schedule_steps(options)) return StepAction::None;
  const std::int64_t in_cycle =
      (step - options.skip_first) % (options.wait + options.warmup + options.active);
  if (in_cycle < options.wait) return StepAction::None;
  return in_cycle < options.wait + options.warmup ? StepAction::Warmup : StepAction::Record;
}

std::int64_t schedule_steps(const ProfileOptions& options) {
  return options.skip_first + std::max<std::int64_t>(1, options.repeat) *
                                  (options.wait + options.warmup + options.active);
}

bool profile_group(const Plan& plan, std::size_t index, RunContext& context, GroupResult& result) {
  const Group& group = plan.groups[index];
  const std::string name = point_name(group);
  const Range point(nullptr, RangeKind::Point, name);
  const auto hung = hung_contenders(context, index);
  std::vector<const Case*> works;
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (result.cases[i].status == Status::Ok && !hung.contains(group.cases[i].variant))
      works.push_back(&group.cases[i]);
  GroupMemory memory(works, plan.measure, context.backends, context.cache_bytes);

  std::vector<CaseProfile> profiles;
  for (const Case* work : works) {
    if (context.interrupted) return false;
    CaseResult& measured = result.cases[static_cast<std::size_t>(work - group.cases.data())];
    try {
      const Watched guard(context.watchdog, index, work->variant);
      profiles.push_back(profile_case(plan, group, *work, measured, memory, context));
    } catch (const std::exception& error) {
      measured.notes.push_back(fmt::format("not profiled: {}", error.what()));
    }
  }
  result.profile = std::move(profiles);
  return true;
}

}  // namespace normbench
