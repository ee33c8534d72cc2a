#include "measure/group_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>

#include "core/units.h"
#include "machine/disturbance.h"
#include "measure/empty_result.h"
#include "measure/make_contender.h"
#include "measure/turn_errors.h"

namespace normbench {

std::string point_name(const Group& group) {
  return group.point.empty() ? group.experiment
                             : fmt::format("{} {}", group.experiment, group.point.dump());
}

std::map<std::string, std::string> hung_contenders(const RunContext& context, std::size_t group) {
  if (context.journal == nullptr) return {};
  const auto& hung = context.journal->content().hung;
  const auto found = hung.find(group);
  return found == hung.end() ? std::map<std::string, std::string>{} : found->second;
}

namespace {

/// Files that a `load` with on_error skip does not read are counted and shown.
void note_left_out(Entrant& entrant) {
  for (const Stage& stage : entrant.work->stages)
    if (const Load* load = std::get_if<Load>(&stage.op)) {
      const std::vector<std::string> broken = broken_files(*load);
      if (broken.empty()) continue;
      entrant.result->notes.push_back(fmt::format("{} of {} files left out: {}", broken.size(),
                                                  load->files.size(), fmt::join(broken, ", ")));
    }
}

}  // namespace

GroupRun::GroupRun(const Plan& plan, std::size_t index, RunContext& context)
    : plan_(plan),
      index_(index),
      context_(context),
      start_ns_(context.clock.now_ns()),
      random_(static_cast<std::uint64_t>(plan.measure.seed) + index +
              (static_cast<std::uint64_t>(context.part.index) << 32)),
      result_(empty_result(group())) {
  enter(group().cases, result_.cases);
  if (!entrants_.empty() && context_.part.limits && context_.rounds)
    enter(group().limits, result_.limits);
}

void GroupRun::enter(const std::vector<Case>& work, std::vector<CaseResult>& results) {
  const auto hung = hung_contenders(context_, index_);
  const int first = &work == &group().cases ? 0 : static_cast<int>(group().cases.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work[i].skip) continue;
    Entrant entrant{.index = first + static_cast<int>(i), .work = &work[i], .result = &results[i]};
    if (const auto found = hung.find(work[i].variant); found != hung.end())
      entrant.fail(found->second);
    else
      entrants_.push_back(std::move(entrant));
  }
}

void GroupRun::take_memory() {
  memory_ = context_.memory;
  if (memory_ != nullptr) return;
  std::vector<const Case*> runnable;
  for (const Entrant& entrant : entrants_) runnable.push_back(entrant.work);
  memory_ = &own_memory_.emplace(runnable, plan_.measure, context_.backends, context_.cache_bytes);
}

bool GroupRun::prepare(double clock_cost_ns) {
  take_memory();
  for (Entrant& entrant : entrants_) {
    if (context_.interrupted) return false;
    if (entrant.is_case(group()) || !live_cases().empty())
      guarded(entrant, [&] { first_call(entrant, clock_cost_ns); });
  }
  if (live_cases().empty())
    skip_limits("no variant of the group could run");
  else if (!context_.rounds)
    skip_limits("nothing is measured");
  else
    align_turns();
  return true;
}

void GroupRun::skip_limits(const std::string& reason) {
  for (CaseResult& limit : result_.limits) {
    if (limit.status != Status::Ok) continue;
    limit.status = Status::Skipped;
    limit.reason = reason;
  }
}

void GroupRun::first_call(Entrant& entrant, double clock_cost_ns) {
  entrant.contender =
      make_contender(*entrant.work, plan_, *memory_, context_, random_, *entrant.result);
  entrant.result->first_call_ns = entrant.contender->first_call();
  if (context_.part.check) entrant.check();
  if (!entrant.live()) return;
  note_left_out(entrant);
  if (!context_.rounds) return;
  entrant.shape = entrant.contender->shape_of_turns(clock_cost_ns);
  if (context_.part.first != nullptr) {
    const GroupResult& first = *context_.part.first;
    const auto index = static_cast<std::size_t>(entrant.index);
    const std::size_t cases = first.cases.size();
    const CaseResult& same = index < cases ? first.cases[index] : first.limits[index - cases];
    if (same.iterations > 0) entrant.shape.iterations = same.iterations;
  }
}

void GroupRun::align_turns() {
  const std::vector<Entrant*> contenders = live();
  if (contenders.empty()) return;
  const auto baseline = std::ranges::find(
      contenders, group().baseline, [](const Entrant* entrant) { return entrant->work->variant; });
  const std::int64_t its =
      (baseline == contenders.end() ? contenders.front() : *baseline)->shape.iterations;
  const auto about_as_long = [its](const Entrant* entrant) {
    const std::int64_t own = entrant->shape.iterations;
    return own > 1 && its > 1 && own <= 2 * its && its <= 2 * own;
  };
  std::int64_t most = its;
  for (const Entrant* entrant : contenders)
    if (about_as_long(entrant)) most = std::max(most, entrant->shape.iterations);
  for (Entrant* entrant : contenders) {
    if (context_.part.first == nullptr && about_as_long(entrant)) entrant->shape.iterations = most;
    entrant->result->iterations = entrant->shape.iterations;
  }
}

Turn GroupRun::turn(Entrant& entrant, const TurnShape& shape, std::size_t number) {
  Recorder& recorder = context_.recorder;
  const Range variant(&recorder, RangeKind::Variant, recorder.intern(entrant.work->variant));
  const Range range(&recorder, RangeKind::Step, recorder.intern(fmt::format("#{}", number)));
  const auto& read = context_.disturbance;
  const Disturbance before = read ? read() : Disturbance{};
  Turn turn = entrant.contender->take_turn(shape, random_);
  turn.round.start_ns -= start_ns_;
  if (read) turn.round.disturbance = disturbance_between(before, read());
  return turn;
}

void GroupRun::guarded(Entrant& entrant, const std::function<void()>& work) {
  try {
    std::optional<Watched> guard;
    if (entrant.work->peer.empty()) guard.emplace(context_.watchdog, index_, entrant.work->variant);
    work();
  } catch (const CutShort&) {
    cut_short_ = true;
    entrant.contender.reset();
  } catch (const CannotRunHere& reason) {
    entrant.skip(reason.what());
  } catch (const std::bad_alloc&) {
    entrant.fail(fmt::format("no memory is left (it may need {} of host memory)",
                             format_bytes(static_cast<double>(need(*entrant.work).host))));
  } catch (const std::exception& error) {
    entrant.fail(error.what());
  }
}

Sides GroupRun::need(const Case& work) const {
  const Case* const alone[] = {&work};
  return memory_need(alone, plan_.measure.cache,
                     cold_caches(context_.backends, context_.cache_bytes))
      .total();
}

std::vector<Entrant*> GroupRun::live() {
  std::vector<Entrant*> found;
  for (Entrant& entrant : entrants_)
    if (entrant.live()) found.push_back(&entrant);
  return found;
}

std::vector<Entrant*> GroupRun::live_cases() {
  std::vector<Entrant*> found = live();
  std::erase_if(found, [&](const Entrant* entrant) { return !entrant->is_case(group()); });
  return found;
}

double GroupRun::seconds() const {
  return static_cast<double>(context_.clock.now_ns() - start_ns_) * 1e-9;
}

}  // namespace normbench
