#include "measure/runner.h"

#include "core/file.h"
#include "measure/measure_group.h"
#include "measure/processes.h"
#include "measure/profile_pass.h"
#include "measure/profiler_capture.h"
#include "measure/turn.h"

namespace normbench {

namespace {

Results without_groups(const Plan& plan) {
  Results results;
  results.config = plan.config;
  results.name = plan.name;
  results.about = plan.about;
  results.precision = plan.measure.precision;
  results.quick = plan.measure.quick;
  results.cache = plan.measure.cache;
  results.clock = plan.measure.clock;
  results.seed = plan.measure.seed;
  return results;
}

/// False when the journal cannot be written: what comes after would be lost in a kill.
bool keep(RunContext& context, std::size_t index, const GroupResult& group) {
  if (context.journal == nullptr) return true;
  try {
    context.journal->add_group(index, group);
  } catch (const CannotWrite& error) {
    context.unkept = error.what();
  }
  return context.unkept.empty();
}

/// The group as an earlier run left it, or measured now; nothing when interrupted.
std::optional<GroupResult> obtain(const Plan& plan, std::size_t index, RunContext& context,
                                  double clock_cost_ns) {
  if (context.journal != nullptr) {
    const auto& kept = context.journal->content().groups;
    if (const auto found = kept.find(index); found != kept.end()) return found->second;
  }
  context.observer.group_started(index, plan.groups[index]);
  auto group = plan.measure.processes > 1 && context.rounds
                   ? measure_in_processes(plan, index, context)
                   : measure_group(plan, index, context, clock_cost_ns);
  if (!group) return std::nullopt;
  keep(context, index, *group);
  context.observer.group_finished(index, *group);
  return group;
}

/// A group's line in the journal with its profile comes later and wins. False when it ended early.
bool profile_groups(const Plan& plan, RunContext& context, std::vector<GroupResult>& groups) {
  const ProfilerCapture capture(context);
  DeviceTracing tracing(context.tracer);
  bool whole = true;
  for (std::size_t i = 0; i < groups.size() && whole; ++i) {
    if (!groups[i].profile.empty()) continue;
    whole = profile_group(plan, i, context, tracing, groups[i]) &&
            (groups[i].profile.empty() || keep(context, i, groups[i]));
  }
  context.untraced = tracing.missing();
  return whole;
}

}  // namespace

Results run(const Plan& plan, RunContext& context) {
  const Range range(&context.recorder, RangeKind::Run, context.recorder.intern(plan.name));
  Results results = without_groups(plan);
  const double clock_cost = clock_cost_ns(context.clock);
  for (std::size_t i = 0; i < plan.groups.size() && !results.interrupted; ++i) {
    if (auto group = obtain(plan, i, context, clock_cost))
      results.groups.push_back(std::move(*group));
    else
      results.interrupted = true;
    results.interrupted = results.interrupted || !context.unkept.empty();
  }
  if (plan.profile.enabled && !results.interrupted)
    results.interrupted = !profile_groups(plan, context, results.groups);
  return results;
}

}  // namespace normbench
