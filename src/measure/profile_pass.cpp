#include "measure/profile_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "document/statistics.h"
#include "measure/group_run.h"
#include "measure/profiled_steps.h"
#include "measure/stage_shapes.h"
#include "measure/turn.h"

namespace normbench {

namespace {

/// A step's profiled time over its measured time; 0 when that is not known.
double overhead(const CaseResult& result, std::vector<double> step_ns) {
  std::vector<double> measured;
  for (const Round& round : result.rounds)
    measured.push_back(static_cast<double>(round.wall_ns) / static_cast<double>(result.iterations));
  const double base = measured.empty() ? 0 : median(std::move(measured));
  return base > 0 ? median(std::move(step_ns)) / base : 0;
}

/// With the tracer as long as that works, else with marks; the steps begin anew then.
ProfiledSteps profiled_steps(Contender& contender, const Plan& plan, RunContext& context,
                             DeviceTracing& tracing, std::vector<std::string>& notes) {
  if (contender.device() != nullptr && tracing.usable()) {
    if (auto steps = run_profiled_steps(contender, plan.profile, context, tracing, true))
      return std::move(*steps);
    notes.push_back(fmt::format("profiled again with CUDA events, as its tracer failed: {}",
                                tracing.missing()));
  }
  return *run_profiled_steps(contender, plan.profile, context, tracing, false);
}

/// All but what is made of the trace.
CaseProfile empty_profile(const CaseResult& result, const ProfiledSteps& steps) {
  CaseProfile profile{.variant = result.variant,
                      .steps = static_cast<std::int64_t>(steps.step_ns.size()),
                      .discarded = steps.discarded,
                      .counters = steps.counters,
                      .overhead = overhead(result, steps.step_ns),
                      .rows = {}};
  for (const DeviceTrace& device : steps.devices) {
    profile.device_times = parse_word<DeviceTimes>(device.source);
    profile.clock_error_ns = std::max(profile.clock_error_ns, device.clock_error_ns);
  }
  return profile;
}

CaseProfile profile_case(const Plan& plan, const Group& group, const Case& work, CaseResult& result,
                         GroupMemory& memory, RunContext& context, DeviceTracing& tracing) {
  const Range variant(&context.recorder, RangeKind::Variant, context.recorder.intern(work.variant));
  std::mt19937_64 random(static_cast<std::uint64_t>(plan.measure.seed));
  std::optional<Contender> contender;
  {
    const Range init(&context.recorder, RangeKind::Init, "init");
    contender.emplace(work, memory, context.backends, context.recorder);
    contender->place(random);
    if (contender->device() != nullptr) tracing.usable();
  }
  warm_up(*contender, context.clock);
  ProfiledSteps steps = profiled_steps(*contender, plan, context, tracing, result.notes);
  CaseProfile profile = empty_profile(result, steps);
  context.on_profile({.experiment = group.experiment,
                      .variant = work.variant,
                      .point = group.point,
                      .threads = std::move(steps.threads),
                      .devices = std::move(steps.devices),
                      .faults = std::move(steps.faults),
                      .shapes = input_shapes(work)},
                     profile);
  return profile;
}

}  // namespace

bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result) {
  const Group& group = plan.groups[index];
  const Range point(&context.recorder, RangeKind::Point,
                    context.recorder.intern(point_name(group)));
  const auto hung = hung_contenders(context, index);
  std::vector<const Case*> works;
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (result.cases[i].status == Status::Ok && group.cases[i].peer.empty() &&
        !hung.contains(group.cases[i].variant))
      works.push_back(&group.cases[i]);
  GroupMemory memory(works, plan.measure, context.backends, context.cache_bytes);

  std::vector<CaseProfile> profiles;
  for (const Case* work : works) {
    if (context.interrupted) return false;
    CaseResult& measured = result.cases[static_cast<std::size_t>(work - group.cases.data())];
    try {
      const Watched guard(context.watchdog, index, work->variant);
      profiles.push_back(profile_case(plan, group, *work, measured, memory, context, tracing));
    } catch (const std::exception& error) {
      measured.notes.push_back(fmt::format("not profiled: {}", error.what()));
    }
  }
  result.profile = std::move(profiles);
  return true;
}

}  // namespace normbench
