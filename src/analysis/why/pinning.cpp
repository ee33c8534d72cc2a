#include "analysis/why/causes.h"

namespace normbench {
namespace {

/// Returns the stages of a case that page-lock memory in every batch or copy into page-locked
/// memory.
std::vector<const StageResult*> locking_stages(const CaseResult& result) {
  std::vector<const StageResult*> stages;
  for (const StageResult& stage : result.stages)
    if (page_locks(stage)) stages.push_back(&stage);
  return stages;
}

/// Returns true for a stage that copies into page-locked memory instead of locking memory in place.
bool pins(const StageResult& stage) { return roles_of(stage).locks == PageLocking::Copies; }

bool locks_anew(const std::vector<const StageResult*>& stages) {
  return !stages.empty() && (!pins(*stages[0]) || stages[0]->output == OutputPolicy::Fresh);
}

/// Returns the time per iteration that the host spends in these stages, in ns. Returns nothing if
/// they have no times.
std::optional<Interval> own_ns(const CaseResult& result,
                               const std::vector<const StageResult*>& stages) {
  std::vector<double> totals;
  for (const StageResult* stage : stages) {
    const auto& turns = stage->calls_ns.empty() ? stage->rounds_ns : stage->calls_ns;
    if (turns.empty() || (!totals.empty() && totals.size() != turns.size())) return std::nullopt;
    totals.resize(turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i)
      totals[i] += static_cast<double>(turns[i]) / static_cast<double>(result.iterations);
  }
  if (totals.empty()) return std::nullopt;
  return time_interval(totals, decision_level);
}

Interval time_of(const CaseResult& result, const Results& results) {
  return time_interval(times_ns(result, results), decision_level);
}

/// Returns a - b. The rounds are not paired, so the interval is the widest one that both intervals
/// allow.
Interval difference(const Interval& a, const Interval& b) {
  return {.value = a.value - b.value, .low = a.low - b.high, .high = a.high - b.low};
}

/// Returns the largest saving per batch, in ns, of a case with page-locked memory against a case
/// that differs only in that its memory is pageable. Returns nothing if there is no such pair.
std::optional<Interval> saved_by_memory(const GroupResult& group, const Results& results) {
  std::optional<Interval> best;
  for (const CaseResult& a : group.cases)
    for (const CaseResult& b : group.cases) {
      if (!measured(a) || !measured(b) || !uses_gpu(a) || !locking_stages(b).empty()) continue;
      const std::vector<Factor> changed = factors(a, b);
      const Factor* memory =
          only_factor(changed, {Factor::Kind::Memory, Factor::Kind::SourceMemory});
      if (memory == nullptr || !is_pageable(std::get<Memory>(memory->left)) ||
          !is_page_locked(std::get<Memory>(memory->right)))
        continue;
      const Interval saved = difference(time_of(a, results), time_of(b, results));
      if (!best || saved.value > best->value) best = saved;
    }
  return best;
}

/// Returns true if `plain` is the case `locking` without its page-locking stages.
bool same_but_for(const CaseResult& locking, const CaseResult& plain) {
  CaseResult rest = locking;
  std::erase_if(rest.stages, page_locks);
  return rest.stages.size() < locking.stages.size() && factors(rest, plain).empty();
}

/// Returns the largest saving per batch, in ns, if memory is page-locked once instead of in every
/// batch. It is the time of a case with pageable memory, less the time of the same case with
/// page-locking stages, without these stages. Returns nothing if there is no such pair.
std::optional<Interval> saved_without_locking(const GroupResult& group, const Results& results) {
  std::optional<Interval> best;
  for (const CaseResult& locking : group.cases)
    for (const CaseResult& plain : group.cases) {
      if (!measured(locking) || !measured(plain) || !same_but_for(locking, plain)) continue;
      const auto own = own_ns(locking, locking_stages(locking));
      if (!own) continue;
      const Interval rest = difference(time_of(locking, results), *own);
      const Interval saved = difference(time_of(plain, results), rest);
      if (!best || saved.value > best->value) best = saved;
    }
  return best;
}

}  // namespace

std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results) {
  auto saved = saved_by_memory(group, results);
  if (!saved) saved = saved_without_locking(group, results);
  if (!saved) return std::nullopt;
  std::optional<PinningCost> cheapest;
  for (const CaseResult& result : group.cases) {
    const std::vector<const StageResult*> stages = locking_stages(result);
    if (!measured(result) || !locks_anew(stages)) continue;
    const auto own = own_ns(result, stages);
    if (own && (!cheapest || own->value < cheapest->once_ns))
      cheapest = {.registers = !pins(*stages[0]), .once_ns = own->value, .saved_ns = *saved};
  }
  return cheapest;
}

}  // namespace normbench
