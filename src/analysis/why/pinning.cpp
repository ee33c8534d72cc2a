#include "analysis/why/causes.h"

namespace normbench {
namespace {

/// The stages of a case that page-lock memory on every batch, or copy into such memory.
std::vector<const StageResult*> locking_stages(const CaseResult& result) {
  std::vector<const StageResult*> stages;
  for (const StageResult& stage : result.stages)
    if (page_locks(stage)) stages.push_back(&stage);
  return stages;
}

/// True for a stage that copies into page-locked memory, and locks none where it lies.
bool pins(const StageResult& stage) { return roles_of(stage).locks == PageLocking::Copies; }

bool locks_anew(const std::vector<const StageResult*>& stages) {
  return !stages.empty() && (!pins(*stages[0]) || stages[0]->output == OutputPolicy::Fresh);
}

/// The host's time in these stages per iteration, with its interval; nothing when not attributed.
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

/// The widest difference that the intervals allow: no rounds are paired.
Interval difference(const Interval& a, const Interval& b) {
  return {.value = a.value - b.value, .low = a.low - b.high, .high = a.high - b.low};
}

/// What the same chain saves when only the memory changes, from pageable to page-locked.
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

/// True when `plain` is the case without its page-locking.
bool same_but_for(const CaseResult& locking, const CaseResult& plain) {
  CaseResult rest = locking;
  std::erase_if(rest.stages, page_locks);
  return rest.stages.size() < locking.stages.size() && factors(rest, plain).empty();
}

/// How much longer the chain from pageable memory takes than one whose page-locking does not count,
/// as if it were done once.
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
