#include "measure/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/file.h"
#include "core/issue.h"
#include "measure/measure_group.h"
#include "measure/profile_pass.h"
#include "measure/turn.h"

namespace normbench {
namespace {

template <class Cases>
std::string variants(const Cases& cases) {
  std::string text;
  for (const auto& work : cases)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", work.variant);
  return text;
}

/// The same text for a group of a plan and of a journal that belong together.
template <class AnyGroup>
std::string identity(const AnyGroup& group) {
  return fmt::format("\"{}\" at {} with {}, baseline \"{}\"", group.experiment, group.point.dump(),
                     variants(group.cases), group.baseline);
}

void require_index(std::size_t index, const Plan& plan) {
  if (index >= plan.groups.size())
    throw Invalid(fmt::format("it names group {}, but the config plans {} groups (counted from 0)",
                              index, plan.groups.size()));
}

void append_rounds(CaseResult& result, CaseResult& part, std::int64_t offset_ns) {
  const auto append = [offset_ns](std::vector<Round>& rounds, const std::vector<Round>& more) {
    for (Round round : more) {
      round.start_ns += offset_ns;
      rounds.push_back(round);
    }
  };
  append(result.rounds, part.rounds);
  append(result.cut_rounds, part.cut_rounds);
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    std::ranges::copy(part.stages[s].rounds_ns, std::back_inserter(result.stages[s].rounds_ns));
    std::ranges::copy(part.stages[s].calls_ns, std::back_inserter(result.stages[s].calls_ns));
  }
  result.check.ok = result.check.ok && part.check.ok;
  result.check.add(part.check);
}

void append_flow(PipelineResult& pipeline, const PipelineResult& part) {
  for (const auto times :
       {&PipelineResult::fill_ns, &PipelineResult::drain_ns, &PipelineResult::latency_ns})
    std::ranges::copy(part.*times, std::back_inserter(pipeline.*times));
  for (std::size_t lane = 0; lane < pipeline.lanes.size(); ++lane)
    for (const auto times : {&LaneResult::busy_ns, &LaneResult::exposed_ns})
      std::ranges::copy(part.lanes[lane].*times, std::back_inserter(pipeline.lanes[lane].*times));
}

void append_case(CaseResult& result, CaseResult& part, std::int64_t offset_ns) {
  if (result.status != Status::Ok) return;
  if (part.status != Status::Ok) {
    result = std::move(part);
    return;
  }
  append_rounds(result, part, offset_ns);
  if (result.pipeline) append_flow(*result.pipeline, *part.pipeline);
}

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

/// Measures the group in `measure.processes` fresh processes, one after another, each with its
/// share of the time. Nothing when the run is interrupted.
std::optional<GroupResult> measure_in_processes(const Plan& plan, std::size_t index,
                                                RunContext& context) {
  const std::int64_t start_ns = context.clock.now_ns();
  std::optional<GroupResult> group, first;
  for (std::int64_t i = 0; i < plan.measure.processes; ++i) {
    const std::int64_t offset_ns = context.clock.now_ns() - start_ns;
    auto part = context.fresh_process(index, {.index = i, .first = first ? &*first : nullptr});
    if (!part || context.interrupted) return std::nullopt;
    if (!group)
      first = group = std::move(part);
    else
      append_part(*group, std::move(*part), offset_ns);
    context.observer.round_done(static_cast<int>(group->order.size()),
                                static_cast<double>(context.clock.now_ns() - start_ns) * 1e-9, 0);
    context.observer.step_done({GroupStep::Kind::Process, index, static_cast<std::size_t>(i + 1),
                                static_cast<std::size_t>(plan.measure.processes)});
  }
  return group;
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
  context.capture.emplace(context, plan.measure.turn_timeout_seconds);
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

void require_fit(const JournalContent& content, const Plan& plan) {
  for (const auto& [index, hung] : content.hung) require_index(index, plan);
  for (const auto& [index, group] : content.groups) {
    require_index(index, plan);
    const std::string kept = identity(group), planned = identity(plan.groups[index]);
    if (kept != planned)
      throw Invalid(fmt::format("its group {} is {}; the config plans {}", index, kept, planned));
  }
}

void append_part(GroupResult& group, GroupResult part, std::int64_t offset_ns) {
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    append_case(group.cases[i], part.cases[i], offset_ns);
  for (std::size_t i = 0; i < group.limits.size(); ++i)
    append_case(group.limits[i], part.limits[i], offset_ns);
  std::ranges::move(part.order, std::back_inserter(group.order));
  std::ranges::move(part.cut_order, std::back_inserter(group.cut_order));
  group.slowest_state_ns = std::max(group.slowest_state_ns, part.slowest_state_ns);
  if (part.stop == Stop::Time) group.stop = part.stop;
  group.condition_after = std::move(part.condition_after);
}

Results run(const Plan& plan, RunContext& context) {
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
  results.unkept = !context.unkept.empty();
  return results;
}

}  // namespace normbench
