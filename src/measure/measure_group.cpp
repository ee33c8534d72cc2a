#include "measure/measure_group.h"

#include "measure/group_run.h"
#include "measure/statistics.h"
#include "measure/stop_rule.h"

namespace normbench {

namespace {

constexpr int staged_turns = 12;

void add_stage_times(CaseResult& result, const Turn& turn) {
  if (turn.stage_ns.empty() && result.stages.size() == 1)
    result.stages[0].rounds_ns.push_back(turn.round.wall_ns);
  for (std::size_t s = 0; s < turn.stage_ns.size(); ++s)
    result.stages[s].rounds_ns.push_back(turn.stage_ns[s]);
}

/// Every live contender once at every position. False when interrupted.
bool run_block(GroupRun& run, const StopRule& rule) {
  const std::vector<Entrant*> contenders = run.live();
  auto& order = run.result().order;
  for (const auto& row : latin_square(static_cast<int>(contenders.size()), run.random())) {
    std::vector<int> took;
    for (const int position : row) {
      if (run.context().interrupted) return false;
      Entrant& entrant = *contenders[position];
      if (!entrant.live()) continue;
      run.guarded(entrant, [&] {
        const Turn turn = run.turn(entrant, entrant.shape, order.size());
        entrant.result->rounds.push_back(turn.round);
        add_stage_times(*entrant.result, turn);
      });
      if (entrant.live()) took.push_back(entrant.index);
    }
    order.push_back(std::move(took));
    run.context().observer.round_done(static_cast<int>(order.size()), run.seconds(),
                                      rule.half_width());
  }
  return true;
}

/// What decides, of every round of every case that still runs; and which of them is the baseline.
std::optional<std::string> reason_to_stop(GroupRun& run, StopRule& rule, double seconds) {
  const bool device = run.plan().measure.clock == DecidingClock::Device;
  std::vector<std::vector<double>> series;
  std::size_t baseline = 0;
  for (const Entrant* entrant : run.live_cases()) {
    if (entrant->work->variant == run.group().baseline) baseline = series.size();
    auto& values = series.emplace_back();
    for (const Round& round : entrant->result->rounds)
      values.push_back(static_cast<double>(device ? round.device_ns : round.wall_ns));
  }
  return rule.decide(series, baseline, seconds);
}

/// Whole blocks until the rule is content or no case is left. False when interrupted.
bool run_rounds(GroupRun& run) {
  StopRule rule(run.plan().measure.precision, run.plan().measure.max_seconds_per_group);
  const double start = run.seconds();
  while (!run.live_cases().empty()) {
    if (!run_block(run, rule)) return false;
    if (run.live_cases().empty()) break;
    if (const auto reason = reason_to_stop(run, rule, run.seconds() - start)) {
      run.result().stop = *reason;
      break;
    }
  }
  return true;
}

/// Stages too short to be timed inside the rounds get turns of their own. False when interrupted.
bool run_staged(GroupRun& run) {
  for (std::size_t number = 0; number < staged_turns; ++number)
    for (Entrant* entrant : run.live()) {
      if (entrant->work->stages.size() == 1 || entrant->shape.marks) continue;
      if (run.context().interrupted) return false;
      run.guarded(*entrant, [&] {
        TurnShape shape = entrant->shape;
        shape.marks = true;
        add_stage_times(*entrant->result, run.turn(*entrant, shape, number));
        for (StageResult& stage : entrant->result->stages) stage.staged = true;
      });
    }
  return true;
}

/// False when interrupted.
bool check_again(GroupRun& run) {
  for (Entrant* entrant : run.live()) {
    if (run.context().interrupted) return false;
    run.guarded(*entrant,
                [&] { checked_iteration(*entrant, std::byte{0x55}, true, run.context().clock); });
  }
  return true;
}

}  // namespace

std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns) {
  const std::string name = point_name(plan.groups[index]);
  const Range point(nullptr, RangeKind::Point, name);
  GroupRun run(plan, index, context);
  const bool whole =
      run.prepare(clock_cost_ns) && run_rounds(run) && run_staged(run) && check_again(run);
  if (!whole) return std::nullopt;
  return std::move(run.result());
}

}  // namespace normbench
