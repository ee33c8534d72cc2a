#include "measure/measure_group.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

#include "document/held_up.h"
#include "document/statistics.h"
#include "measure/group_run.h"
#include "measure/stop_rule.h"

namespace normbench {

namespace {

bool is_on_device(const Stage& stage) { return stage.place == Place::Cuda; }

void add_stage_times(const Case& planned, CaseResult& result, const Turn& turn) {
  if (turn.stage_ns.empty() && is_one_stage(planned))
    result.stages[0].rounds_ns.push_back(turn.round.wall_ns);
  for (std::size_t s = 0; s < turn.stage_ns.size(); ++s) {
    result.stages[s].rounds_ns.push_back(turn.stage_ns[s]);
    if (is_on_device(planned.stages[s])) result.stages[s].calls_ns.push_back(turn.calls_ns[s]);
  }
}

void add_flow_times(CaseResult& result, const Turn& turn) {
  if (!turn.flow) return;
  result.pipeline->fill_ns.push_back(turn.flow->fill_ns);
  result.pipeline->drain_ns.push_back(turn.flow->drain_ns);
  auto& latencies = result.pipeline->latency_ns;
  latencies.insert(latencies.end(), turn.flow->latency_ns.begin(), turn.flow->latency_ns.end());
  for (std::size_t lane = 0; lane < turn.flow->lanes.size(); ++lane) {
    result.pipeline->lanes[lane].busy_ns.push_back(turn.flow->lanes[lane].busy_ns);
    result.pipeline->lanes[lane].exposed_ns.push_back(turn.flow->lanes[lane].exposed_ns);
  }
}

/// Keeps the first `keep` elements of `from`, and moves the rest to the end of `to`.
template <class T>
void move_rest(std::vector<T>& from, std::size_t keep, std::vector<T>& to) {
  std::move(from.begin() + static_cast<std::ptrdiff_t>(keep), from.end(), std::back_inserter(to));
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(keep), from.end());
}

/// Keeps the first `whole` rounds of a case and moves the others to its cut rounds, which are not
/// evaluated. Deletes the times of stages, items and lanes in the cut rounds.
void set_aside(CaseResult& result, std::size_t whole) {
  move_rest(result.rounds, whole, result.cut_rounds);
  for (StageResult& stage : result.stages)
    for (auto* turns : {&stage.rounds_ns, &stage.calls_ns})
      turns->resize(std::min(turns->size(), whole));
  if (!result.pipeline) return;
  PipelineResult& pipeline = *result.pipeline;
  const std::size_t items = whole * static_cast<std::size_t>(result.iterations);
  pipeline.latency_ns.resize(std::min(pipeline.latency_ns.size(), items));
  for (auto* turns : {&pipeline.fill_ns, &pipeline.drain_ns})
    turns->resize(std::min(turns->size(), whole));
  for (LaneResult& lane : pipeline.lanes)
    for (auto* turns : {&lane.busy_ns, &lane.exposed_ns})
      turns->resize(std::min(turns->size(), whole));
}

/// Keeps the first `whole` rounds of a group. Moves each later round to `cut_rounds` of its case or
/// limit, and the order of the contenders in that round to `cut_order`.
void set_aside(GroupRun& run, std::size_t whole) {
  GroupResult& group = run.result();
  move_rest(group.order, whole, group.cut_order);
  for (auto* list : {&group.cases, &group.limits})
    for (CaseResult& result : *list)
      if (result.rounds.size() > whole) set_aside(result, whole);
}

/// Deletes all rounds of a group, including the cut ones.
void drop_rounds(GroupRun& run) {
  set_aside(run, 0);
  GroupResult& group = run.result();
  group.cut_order.clear();
  for (auto* list : {&group.cases, &group.limits})
    for (CaseResult& result : *list) result.cut_rounds.clear();
}

/// Call it after each round. `seconds` is the time of all rounds so far. After 1, 2, 4, 8, ...
/// rounds, tests whether the turns must be shortened (GroupRun::fit_turns_anew()). If they were
/// shortened, deletes all rounds and returns true.
bool fits_anew(GroupRun& run, double seconds) {
  if (!std::has_single_bit(run.result().order.size()) || !run.fit_turns_anew(seconds)) return false;
  drop_rounds(run);
  return true;
}

enum class BlockEnd { Whole, Cut, Interrupted, FittedAnew };

/// Runs a block of rounds (StopRule::block_rounds()) of all contenders that still take turns.
/// `start` is when the first block started, in seconds since the start of the group. If the time of
/// the group is over within the block, all rounds of the block become cut rounds (set_aside()). If
/// the run is interrupted, the unfinished round becomes a cut round. If fits_anew() returns true,
/// ends at once.
BlockEnd run_block(GroupRun& run, const StopRule& rule, double start) {
  const std::vector<Member*> contenders = run.live();
  auto& order = run.result().order;
  const std::size_t whole = order.size();
  const LatinSquare square(static_cast<int>(contenders.size()), run.random());
  const auto rounds = static_cast<int>(StopRule::block_rounds(contenders.size()));
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> took;
    std::size_t turns = 0;
    for (const int position : square.row(round)) {
      const bool is_over = rule.has_fewest(run.context().part.rounds + whole) &&
                           rule.time_is_over(run.seconds() - start);
      if (run.context().interrupted || is_over) {
        const std::size_t used = is_over ? whole : order.size();
        if (!took.empty()) order.push_back(std::move(took));
        set_aside(run, used);
        return is_over ? BlockEnd::Cut : BlockEnd::Interrupted;
      }
      Member& member = *contenders[position];
      if (member.live())
        run.guarded(member, [&] {
          TurnShape shape = member.shape;
          shape.looked_at = run.draws_a_call(member);
          Turn turn = run.turn(member, shape, order.size());
          turn.round.state = run.state_after_turn(member);
          member.result->rounds.push_back(turn.round);
          add_stage_times(*member.planned, *member.result, turn);
          add_flow_times(*member.result, turn);
          if (shape.looked_at) run.check_recent(member);
        });
      if (member.live()) took.push_back(member.index);
      run.tell({GroupStep::Kind::Turn, run.index(), ++turns, contenders.size(), order.size()});
    }
    order.push_back(std::move(took));
    run.walk_on();
    run.context().observer.round_done(static_cast<int>(order.size()), run.seconds(),
                                      rule.half_width());
    const bool fitted_anew = fits_anew(run, run.seconds() - start);
    if (run.context().on_round) run.context().on_round(run.result());
    if (fitted_anew) return BlockEnd::FittedAnew;
  }
  return BlockEnd::Whole;
}

/// Returns the time in ns by which a round is compared with other rounds. It is the device time if
/// `clock` is Device and the round has a device time, otherwise the wall time.
double decides(const Round& round, DecidingClock clock) {
  const bool device = clock == DecidingClock::Device && round.device_ns > 0;
  return static_cast<double>(device ? round.device_ns : round.wall_ns);
}

/// Returns the rounds of a case that an interrupted run has already measured.
std::span<const Round> earlier_rounds(const Part& part, const Member& member) {
  if (part.rounds == 0) return {};
  return part.first->cases[static_cast<std::size_t>(member.index)].rounds;
}

/// Returns why `rule` ends the rounds of the group now, or nothing if they go on. The rule gets the
/// times of all rounds of all cases that still take turns, including the rounds that an interrupted
/// run has measured. A round that other programs disturbed gets the time 0, which means that it has
/// no value.
std::optional<Stop> reason_to_stop(GroupRun& run, StopRule& rule, double seconds) {
  std::vector<std::vector<double>> series;
  std::size_t baseline = 0;
  for (const Member* member : run.live_cases()) {
    if (member->planned->variant == run.group().baseline) baseline = series.size();
    auto& values = series.emplace_back();
    for (const auto rounds : {earlier_rounds(run.context().part, *member),
                              std::span<const Round>(member->result->rounds)})
      for (const Round& round : rounds)
        values.push_back(is_held_up(*member->result, round, run.plan().measure.clock)
                             ? 0
                             : decides(round, run.plan().measure.clock));
  }
  return rule.decide(series, baseline, seconds);
}

/// Runs blocks of rounds until the stop rule ends the rounds, no case takes turns any more, the run
/// is interrupted, or the turns were shortened. Returns how the last block ended.
BlockEnd run_blocks(GroupRun& run) {
  const Measure measure = run.plan().measure_of(run.group());
  const Part& part = run.context().part;
  StopRule rule(measure.precision, std::max(0.0, run.budget().rounds - part.seconds),
                measure.processes);
  const double start = run.seconds();
  while (run.has_live_case()) {
    const BlockEnd end = run_block(run, rule, start);
    if (end == BlockEnd::Interrupted || end == BlockEnd::FittedAnew) return end;
    if (!run.has_live_case()) break;
    run.result().stop =
        end == BlockEnd::Cut ? Stop::Time : reason_to_stop(run, rule, run.seconds() - start);
    if (run.result().stop) return end;
  }
  return BlockEnd::Whole;
}

/// Runs the rounds. Runs none if an interrupted run has already completed them. Returns false when
/// interrupted.
bool run_rounds(GroupRun& run) {
  const Part& part = run.context().part;
  if (part.rounds > 0 && part.first->stop) {
    run.result().stop = part.first->stop;
    return true;
  }
  BlockEnd end = BlockEnd::FittedAnew;
  while (end == BlockEnd::FittedAnew) end = run_blocks(run);
  return end != BlockEnd::Interrupted;
}

/// Runs the rounds. If a case uses a device, also reads the condition of the device (such as clocks
/// and temperature) before and after the rounds. Returns false when interrupted.
bool run_rounds_in_condition(GroupRun& run) {
  const bool on_device = std::ranges::any_of(run.live_cases(), [](const Member* member) {
    return std::ranges::any_of(member->planned->stages, is_on_device);
  });
  if (!on_device) return run_rounds(run);
  Backend& device = *run.context().backends.at(Place::Cuda);
  run.result().condition_before = device.condition();
  const bool whole = run_rounds(run);
  run.result().condition_after = device.condition();
  run.result().slowest_state_ns = run.slowest_state_ns();
  return whole;
}

/// Runs the staged turns: turns after the rounds in which each stage is timed. Only cases whose
/// stages are not timed in the rounds take staged turns. Returns false when interrupted.
bool run_staged(GroupRun& run) {
  const auto is_staged = [](const Member* member) { return takes_staged_turns(*member); };
  const auto each = static_cast<std::size_t>(run.budget().staged_turns);
  const std::size_t turns =
      each * static_cast<std::size_t>(std::ranges::count_if(run.live(), is_staged));
  std::size_t done = 0;
  for (std::size_t number = 0; number < each; ++number) {
    for (Member* member : run.live()) {
      if (!is_staged(member)) continue;
      if (run.context().interrupted) return false;
      run.guarded(*member, [&] {
        TurnShape shape = member->shape;
        shape.marks = true;
        add_stage_times(*member->planned, *member->result, run.turn(*member, shape, number));
        for (StageResult& stage : member->result->stages) stage.staged = true;
      });
      run.tell({GroupStep::Kind::StagedTurn, run.index(), ++done, turns});
    }
    run.walk_on();
  }
  return true;
}

/// Makes the last call of a contender, and checks its output for at most `seconds`.
void check_last_call(GroupRun& run, Member& member, double seconds) {
  member.contender->last_call();
  run.check(member, seconds);
}

/// Runs turns of a contender and checks one call of each turn, until `checked_calls` of its calls
/// have been checked. Ends earlier if GroupRun::spent() would probably exceed `until` after the
/// next turn and its check.
void check_missing_calls(GroupRun& run, Member& member, double until) {
  if (!member.is_case(run.group())) return;
  const std::int64_t enough = run.plan().measure.checked_calls;
  TurnShape shape = member.shape;
  shape.looked_at = true;
  bool draws = true;
  while (draws && member.live() && member.result->check.calls < enough &&
         !run.context().interrupted &&
         run.spent() + member.turn_seconds() + member.image_check_seconds < until)
    run.guarded(member, [&] {
      // After a turn, check_recent() can check only the last calls, whose outputs still exist. With
      // a random number of iterations, each call of a full turn is equally likely to be the last.
      shape.iterations = run.drawn_call(member.shape.iterations);
      run.turn(member, shape, run.result().order.size());
      draws = run.check_recent(member);
    });
}

/// Checks the last call of each contender, and then further calls of the cases that have too few
/// checked calls. Returns false when interrupted.
bool check_again(GroupRun& run) {
  if (!run.context().part.check) return true;
  constexpr double share = 0.95;
  const double end =
      share * most_of_limit * run.plan().measure_of(run.group()).max_seconds_per_group;
  const std::vector<Member*> members = run.live();
  std::size_t done = 0;
  for (Member* member : members) {
    if (run.context().interrupted) return false;
    const double seconds = (end - run.spent()) / static_cast<double>(members.size() - done);
    run.guarded(*member, [&] { check_last_call(run, *member, seconds); });
    run.tell({GroupStep::Kind::Checked, run.index(), ++done, members.size()});
  }
  const double until = std::max(end, run.spent() + least_check_seconds);
  for (Member* member : members) {
    if (run.context().interrupted) return false;
    check_missing_calls(run, *member, until);
  }
  run.name_witnesses();
  return true;
}

}  // namespace

LatinSquare::LatinSquare(int k, std::mt19937_64& random) : labels_(k), shifts_(k) {
  std::iota(labels_.begin(), labels_.end(), 0);
  std::iota(shifts_.begin(), shifts_.end(), 0);
  std::shuffle(labels_.begin(), labels_.end(), random);
  std::shuffle(shifts_.begin(), shifts_.end(), random);
}

std::vector<int> LatinSquare::row(int index) const {
  const int k = size();
  std::vector<int> row(k);
  for (int position = 0; position < k; ++position) {
    // Without shift and labels, the row is 0, 1, k - 1, 2, k - 2, ... Neighbours differ by 1, -2,
    // 3, ... (modulo k). If k is even, all these differences are different, so each ordered pair of
    // neighbours occurs in only one row.
    const int step = position % 2 == 1 ? (position + 1) / 2 : (k - position / 2) % k;
    row[position] = labels_[(step + shifts_[index]) % k];
  }
  return row;
}

std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns) {
  const Range point(&context.recorder, RangeKind::Point,
                    context.recorder.intern(point_name(plan.groups[index])));
  GroupRun run(plan, index, context);
  if (!run.prepare(clock_cost_ns)) return std::nullopt;
  const bool whole =
      !context.rounds || (run_rounds_in_condition(run) && run_staged(run) && check_again(run));
  if (whole && !run.cut_short()) {
    run.note_images();
    return std::move(run.result());
  }
  if (context.on_round && !run.result().order.empty()) context.on_round(run.result());
  return std::nullopt;
}

std::optional<GroupForecast> forecast_group(const Plan& plan, std::size_t index,
                                            RunContext& context, double clock_cost_ns) {
  GroupRun run(plan, index, context);
  if (!run.prepare(clock_cost_ns) || run.cut_short() || run.live_cases().empty())
    return std::nullopt;
  return run.budget().forecast;
}

}  // namespace normbench
