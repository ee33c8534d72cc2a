#include "measure/processes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace normbench {

namespace {

void append_rounds(CaseResult& result, CaseResult& part, std::int64_t offset_ns) {
  for (Round& round : part.rounds) {
    round.start_ns += offset_ns;
    result.rounds.push_back(round);
  }
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    std::ranges::copy(part.stages[s].rounds_ns, std::back_inserter(result.stages[s].rounds_ns));
    std::ranges::copy(part.stages[s].calls_ns, std::back_inserter(result.stages[s].calls_ns));
  }
  result.check.ok = result.check.ok && part.check.ok;
  result.check.max_abs_error = std::max(result.check.max_abs_error, part.check.max_abs_error);
}

void append_case(CaseResult& result, CaseResult& part, std::int64_t offset_ns) {
  if (result.status != Status::Ok) return;
  if (part.status != Status::Ok)
    result = std::move(part);
  else
    append_rounds(result, part, offset_ns);
}

}  // namespace

void append_part(GroupResult& group, GroupResult part, std::int64_t offset_ns) {
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    append_case(group.cases[i], part.cases[i], offset_ns);
  for (std::size_t i = 0; i < group.limits.size(); ++i)
    append_case(group.limits[i], part.limits[i], offset_ns);
  std::ranges::move(part.order, std::back_inserter(group.order));
  if (part.stop == Stop::Time) group.stop = part.stop;
  group.condition_after = std::move(part.condition_after);
}

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
  }
  return group;
}

}  // namespace normbench
