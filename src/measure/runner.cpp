#include "measure/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/file.h"
#include "core/issue.h"
#include "measure/group_run.h"
#include "measure/measure_group.h"
#include "measure/profile_pass.h"
#include "measure/profiler_capture.h"
#include "measure/turn_shape.h"

namespace normbench {
namespace {

template <class Cases>
std::string variants(const Cases& cases) {
  std::string text;
  for (const auto& planned : cases)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", planned.variant);
  return text;
}

/// Returns a text that identifies a group. A planned group and its result in a journal have the
/// same text.
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

/// Throws Invalid if `group`, from the journal, is not the group `index` of the plan.
void require_same(std::size_t index, const GroupResult& group, const Plan& plan) {
  require_index(index, plan);
  const std::string kept = identity(group), planned = identity(plan.groups[index]);
  if (kept != planned)
    throw Invalid(fmt::format("its group {} is {}; the config plans {}", index, kept, planned));
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
    result.stages[s].staged = result.stages[s].staged || part.stages[s].staged;
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
  for (const std::string& note : part.notes)
    if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(note);
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

/// Writes to the journal, if there is one. If writing fails, stores the reason.
class Keeping {
 public:
  explicit Keeping(Journal* journal) : journal_(journal) {}

  /// Calls `add` with the journal. Returns false if the journal cannot be written. The run must
  /// then end, because later results would be lost if the process were killed.
  bool keep(const std::function<void(Journal&)>& add) {
    if (journal_ == nullptr) return true;
    try {
      add(*journal_);
    } catch (const CannotWrite& error) {
      unkept_ = error.what();
    }
    return unkept_.empty();
  }

  /// Returns why the journal cannot be written, or "".
  const std::string& unkept() const { return unkept_; }

 private:
  Journal* journal_;
  std::string unkept_;
};

/// Returns the end of the last turn of the group, in ns since the start of the group. Returns 0 if
/// there are no turns.
std::int64_t end_ns(const GroupResult& group) {
  std::int64_t end = 0;
  for (const auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list)
      for (const auto* rounds : {&result.rounds, &result.cut_rounds})
        for (const Round& round : *rounds) end = std::max(end, round.start_ns + round.wall_ns);
  return end;
}

/// Returns the time from the start of the first turn of the group to the end of its last turn, in
/// s.
double seconds_of_rounds(const GroupResult& group) {
  const std::int64_t end = end_ns(group);
  std::int64_t start = end;
  for (const auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list)
      for (const auto* rounds : {&result.rounds, &result.cut_rounds})
        for (const Round& round : *rounds) start = std::min(start, round.start_ns);
  return static_cast<double>(end - start) * 1e-9;
}

/// Between the end of `group` and the start of its next part, `part`, other groups were measured.
/// The counters `held_back_ns` tell for how long the clocks of the device have been throttled so
/// far. Adds their increase between `group` and `part` to `group.condition_before`. So
/// `condition_after` minus `condition_before` counts only the time in which the group was measured.
/// Call it before `part.condition_after` replaces `group.condition_after`.
void leave_out_between(GroupResult& group, const GroupResult& part) {
  if (group.condition_before.is_object() && !group.condition_after.is_object()) {
    // The process that measured the group was killed, so its last counters are missing. Throttling
    // is then counted only from the start of `part`.
    group.condition_before = part.condition_before;
    return;
  }
  const Json& until = value_at(group.condition_after, "/held_back_ns");
  const Json& from = value_at(part.condition_before, "/held_back_ns");
  if (!value_at(group.condition_before, "/held_back_ns").is_object() || !until.is_object() ||
      !from.is_object())
    return;
  for (auto& [reason, ns] : group.condition_before["held_back_ns"].items()) {
    const Json then = until.value(reason, Json()), now = from.value(reason, Json());
    if (ns.is_number_integer() && then.is_number_integer() && now.is_number_integer())
      ns = ns.get<std::int64_t>() + now.get<std::int64_t>() - then.get<std::int64_t>();
  }
}

/// Measures the groups of a plan. If `measure.processes` is above 1, each group is divided into
/// that many parts, and each part is measured by a process of its own: first part 0 of every group,
/// then part 1 of every group, and so on. So the rounds of a group are spread over the whole run.
class Measuring {
 public:
  Measuring(const Plan& plan, RunContext& context, Keeping& keeping)
      : plan_(plan),
        context_(context),
        keeping_(keeping),
        clock_cost_ns_(clock_cost_ns(context.clock)),
        parts_(context.rounds ? plan.measure.processes : 1),
        groups_(plan.groups.size()) {
    if (context.journal == nullptr) return;
    for (const auto& [index, group] : context.journal->content().groups)
      groups_.at(index) = {.sum = group, .parts = parts_};
    for (const auto& [index, parts] : context.journal->content().parts)
      if (!groups_.at(index).sum && std::ranges::all_of(parts, has_limits_of(index)))
        for (const GroupResult& part : parts) groups_.at(index).add(part);
    for (const auto& [index, group] : context.journal->content().begun)
      if (!group.result.order.empty() && has_limits_of(index)(group.result))
        groups_.at(index).begun = group;
  }

  /// Returns false if the run was interrupted, or if the journal could not be written.
  bool run() {
    for (std::int64_t part = 0; part < parts_; ++part)
      for (std::size_t i = 0; i < groups_.size(); ++i)
        if (groups_[i].parts <= part && !measure(i, part)) return false;
    return true;
  }

  /// Returns the groups that were not measured by all processes, in the order of the plan.
  std::vector<MissingGroup> missing() const {
    std::vector<MissingGroup> list;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].parts < parts_)
        list.push_back(
            {.experiment = plan_.groups[i].experiment,
             .point = plan_.groups[i].point,
             .processes = groups_[i].parts,
             .rounds = groups_[i].begun ? std::ssize(groups_[i].begun->result.order) : 0});
    return list;
  }

  /// Returns the groups that were measured completely or in part, in the order of the plan.
  std::vector<GroupResult> take() {
    std::vector<GroupResult> measured;
    for (Measured& group : groups_) {
      if (group.sum) measured.push_back(std::move(*group.sum));
      if (group.begun) measured.push_back(std::move(group.begun->result));
    }
    return measured;
  }

 private:
  /// The results of a group so far.
  struct Measured {
    // The result of part 0, and the result of all measured parts together.
    std::optional<GroupResult> first = {}, sum = {};
    std::int64_t parts = 0;
    std::optional<BegunGroup> begun = {};

    void add(GroupResult part) {
      ++parts;
      if (sum)
        append_part(*sum, std::move(part));
      else
        first = sum = std::move(part);
    }
  };

  /// Measures a part of a group and adds it to the journal. Returns false if the run must end.
  bool measure(std::size_t index, std::int64_t part) {
    Measured& group = groups_[index];
    context_.observer.group_started(index, plan_.groups[index], part);
    const bool fresh = parts_ > 1 && plan_.groups[index].runs_here();
    auto result =
        fresh ? context_.fresh_process(index, {.index = part,
                                               .first = group.first ? &*group.first : nullptr,
                                               .hung = hung_contenders(context_, index)})
              : measure_on(index, group);
    if (!result || (fresh && context_.interrupted)) return false;
    const bool last = part + 1 == parts_;
    const bool kept =
        last || keeping_.keep([&](Journal& journal) { journal.add_part(index, *result); });
    group.add(std::move(*result));
    if (parts_ > 1)
      context_.observer.step_done({GroupStep::Kind::Process, index,
                                   static_cast<std::size_t>(part + 1),
                                   static_cast<std::size_t>(parts_)});
    if (!last) return kept;
    const bool whole =
        keeping_.keep([&](Journal& journal) { journal.add_group(index, *group.sum); });
    context_.observer.group_finished(index, *group.sum);
    return whole;
  }

  /// Returns a function that tells whether a group in the journal has the same limits (cases that
  /// measure a limit of the machine) as the plan. The limits depend on the machine. Further rounds
  /// can be appended only if the limits are the same.
  std::function<bool(const GroupResult&)> has_limits_of(std::size_t index) const {
    return [&planned = plan_.groups[index].limits](const GroupResult& group) {
      return std::ranges::equal(group.limits, planned, {}, &CaseResult::variant, &Case::variant);
    };
  }

  /// Measures a group, or the rest of a group that an interrupted run has begun. Meanwhile adds all
  /// rounds so far to the journal if the run is interrupted, if rounds were dropped, or if at least
  /// a second has passed and the number of rounds has grown by a quarter since they were last
  /// added. So the size of the journal is proportional to the number of rounds.
  std::optional<GroupResult> measure_on(std::size_t index, Measured& group) {
    constexpr std::int64_t least_ns = 1'000'000'000;
    constexpr std::size_t quarter = 4;
    const std::optional<BegunGroup> before = group.begun;
    const Part part = context_.part;
    if (before) context_.part = rest_of(*before);
    const std::size_t earlier = context_.part.rounds;
    std::int64_t kept_ns = context_.clock.now_ns();
    std::size_t kept = earlier;
    context_.on_round = [&](const GroupResult& now) {
      const std::size_t rounds = earlier + now.order.size();
      const bool is_due = rounds < kept || (context_.clock.now_ns() - kept_ns >= least_ns &&
                                            rounds >= kept + kept / quarter);
      if (!is_due && !context_.interrupted) return;
      const BegunGroup begun{.result = together(before, now),
                             .seconds = (before ? before->seconds : 0) + seconds_of_rounds(now)};
      keeping_.keep([&](Journal& journal) { journal.add_begun(index, begun); });
      group.begun.reset();
      if (rounds > 0) group.begun = begun;
      kept_ns = context_.clock.now_ns();
      kept = rounds;
    };
    std::optional<GroupResult> result = measure_group(plan_, index, context_, clock_cost_ns_);
    context_.part = part;
    context_.on_round = {};
    if (!result) return result;
    group.begun.reset();
    return together(before, std::move(*result));
  }

  /// Returns a `Part` that continues a group of an interrupted run. Cases that have failed take no
  /// more turns.
  Part rest_of(const BegunGroup& group) const {
    Part part = context_.part;
    part.index = std::ssize(group.result.order);
    part.first = &group.result;
    part.rounds = group.result.order.size();
    part.seconds = group.seconds;
    for (const auto* list : {&group.result.cases, &group.result.limits})
      for (const CaseResult& result : *list)
        if (result.status == Status::Failed) part.hung.emplace(result.variant, result.reason);
    return part;
  }

  static GroupResult together(const std::optional<BegunGroup>& before, GroupResult now) {
    if (!before) return now;
    GroupResult sum = before->result;
    append_part(sum, std::move(now));
    return sum;
  }

  const Plan& plan_;
  RunContext& context_;
  Keeping& keeping_;
  double clock_cost_ns_;
  std::int64_t parts_;
  std::vector<Measured> groups_;
};

/// Profiles the groups without a profile, and adds each of them to the journal again. If the
/// journal has two lines about a group, the later one replaces the earlier one. Returns false if
/// the run was interrupted or the journal could not be written.
bool profile_groups(const Plan& plan, RunContext& context, DeviceTracing& tracing, Keeping& keeping,
                    std::vector<GroupResult>& groups) {
  if (context.capture != nullptr) context.capture->begin();
  bool whole = true;
  for (std::size_t i = 0; i < groups.size() && whole; ++i) {
    if (!groups[i].profile.empty()) continue;
    whole = profile_group(plan, i, context, tracing, groups[i]) &&
            (groups[i].profile.empty() ||
             keeping.keep([&](Journal& journal) { journal.add_group(i, groups[i]); }));
  }
  return whole;
}

}  // namespace

void require_fit(const JournalContent& content, const Plan& plan) {
  for (const auto& [index, hung] : content.hung) require_index(index, plan);
  for (const auto& [index, group] : content.groups) require_same(index, group, plan);
  for (const auto& [index, parts] : content.parts)
    for (const GroupResult& part : parts) require_same(index, part, plan);
  for (const auto& [index, group] : content.begun) require_same(index, group.result, plan);
}

void append_part(GroupResult& group, GroupResult part) {
  const std::int64_t offset_ns = end_ns(group);
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    append_case(group.cases[i], part.cases[i], offset_ns);
  for (std::size_t i = 0; i < group.limits.size(); ++i)
    append_case(group.limits[i], part.limits[i], offset_ns);
  std::ranges::move(part.order, std::back_inserter(group.order));
  std::ranges::move(part.cut_order, std::back_inserter(group.cut_order));
  group.slowest_state_ns = std::max(group.slowest_state_ns, part.slowest_state_ns);
  if (part.stop == Stop::Time || !group.stop) group.stop = part.stop;
  leave_out_between(group, part);
  group.condition_after = std::move(part.condition_after);
}

RunOutcome run(const Plan& plan, RunContext& context) {
  RunOutcome outcome{.results = without_groups(plan)};
  Results& results = outcome.results;
  Keeping keeping(context.journal);
  Measuring measuring(plan, context, keeping);
  results.interrupted = !measuring.run();
  std::vector<MissingGroup> missing = measuring.missing();
  results.groups = measuring.take();
  DeviceTracing tracing(context.tracer);
  if (plan.profile.enabled && !results.interrupted)
    results.interrupted = !profile_groups(plan, context, tracing, keeping, results.groups);
  if (results.interrupted) results.missing = std::move(missing);
  outcome.untraced = tracing.missing();
  outcome.unkept = keeping.unkept();
  results.unkept = !outcome.unkept.empty();
  return outcome;
}

}  // namespace normbench
