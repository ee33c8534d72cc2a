#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/why/causes.h"

namespace normbench {
namespace {

/// The measured cases of a group by their threads, peer, source and stages. Two cases that differ
/// in nothing, or only in a kind of memory, are in the same list. So factors() has to compare only
/// the cases of one list.
class NearlyAlike {
 public:
  explicit NearlyAlike(const GroupResult& group) {
    for (const CaseResult& result : group.cases)
      if (measured(result)) cases_[key(result)].push_back(&result);
  }

  const std::vector<const CaseResult*>& to(const CaseResult& result) const {
    static const std::vector<const CaseResult*> none;
    const auto found = cases_.find(key(result));
    return found == cases_.end() ? none : found->second;
  }

 private:
  using Source = std::tuple<DType, Layout, PixelFormat, std::array<std::int64_t, 4>>;
  using Stages = std::vector<std::pair<std::string, OutputPolicy>>;
  using Key = std::tuple<std::int64_t, std::string, std::optional<Source>, Stages>;

  static Key key(const CaseResult& result) {
    std::optional<Source> source;
    if (result.source) {
      const Shape& shape = result.source->shape;
      source.emplace(result.source->dtype, result.source->layout, shape.format, shape.extents());
    }
    Stages stages;
    for (const StageResult& stage : result.stages) stages.emplace_back(stage.op, stage.output);
    return {result.threads, result.peer, std::move(source), std::move(stages)};
  }

  std::map<Key, std::vector<const CaseResult*>> cases_;
};

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

/// Returns a - b. The rounds are not paired, so the interval reaches from the smallest to the
/// largest difference that the two intervals allow.
Interval difference(const Interval& a, const Interval& b) {
  return {.value = a.value - b.value, .low = a.low - b.high, .high = a.high - b.low};
}

/// Returns the kinds of memory of a case's tensors.
std::vector<Memory> memories(const CaseResult& result) {
  std::vector<Memory> kinds;
  if (result.source) kinds.push_back(result.source->memory);
  for (const StageResult& stage : result.stages) kinds.push_back(stage.out.memory);
  return kinds;
}

/// Returns the largest saving per batch, in ns, of a case with page-locked memory against a case
/// that differs only in that its memory is pageable. Returns nothing if there is no such pair.
std::optional<Interval> saved_by_memory(const GroupResult& group, const Results& results) {
  std::optional<Interval> best;
  const NearlyAlike cases(group);
  for (const CaseResult& a : group.cases) {
    if (!measured(a) || !uses_gpu(a)) continue;
    for (const CaseResult* other : cases.to(a)) {
      const CaseResult& b = *other;
      if (&a == &b || memories(a) == memories(b) || !locking_stages(b).empty()) continue;
      const std::vector<Factor> changed = factors(a, b);
      const Factor* memory =
          only_factor(changed, {Factor::Kind::Memory, Factor::Kind::SourceMemory});
      if (memory == nullptr || !is_pageable(std::get<Memory>(memory->left)) ||
          !is_page_locked(std::get<Memory>(memory->right)))
        continue;
      const Interval saved = difference(time_of(a, results), time_of(b, results));
      if (!best || saved.value > best->value) best = saved;
    }
  }
  return best;
}

/// Returns the largest saving per batch, in ns, if memory is locked once instead of in every batch.
/// It is the difference of two times. The first is the time of a case with pageable memory. The
/// second is the time of the same case with additional page-locking stages, minus the time of these
/// stages. Returns nothing if there is no such pair.
std::optional<Interval> saved_without_locking(const GroupResult& group, const Results& results) {
  std::optional<Interval> best;
  const NearlyAlike cases(group);
  for (const CaseResult& locking : group.cases) {
    const std::vector<const StageResult*> stages = locking_stages(locking);
    const auto own = measured(locking) ? own_ns(locking, stages) : std::nullopt;
    if (!own) continue;
    CaseResult without = locking;
    std::erase_if(without.stages, page_locks);
    for (const CaseResult* plain : cases.to(without)) {
      if (!factors(without, *plain).empty()) continue;
      const Interval rest = difference(time_of(locking, results), *own);
      const Interval saved = difference(time_of(*plain, results), rest);
      if (!best || saved.value > best->value) best = saved;
    }
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
