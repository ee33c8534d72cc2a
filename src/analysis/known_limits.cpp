#include "analysis/known_limits.h"

#include "analysis/limits.h"

namespace normbench {

KnownLimits::KnownLimits(const GroupResult& group, const Results& results) {
  for (const CaseResult& limit : group.limits) {
    named_.emplace(limit.variant, measured(limit) ? &limit : nullptr);
    if (measured(limit)) add(limit, results);
  }
}

void KnownLimits::add(const CaseResult& limit, const Results& results) {
  const StreamMix of_case{.read = limit.source_bytes, .written = limit.result_bytes};
  const bool is_alone = limit.stages.size() == 1 && !limit.pipeline;
  const KnownLimit known{.result = &limit,
                         .median_ns = median_ns(limit, results),
                         .stage_ns = is_alone ? stage_ns(limit, limit.stages[0]) : 0};
  if (limit.pipeline && limit.pipeline->lane.empty()) fed_[limit.pipeline->part_of] = &limit;
  if (has_limit_of(limit, LimitKind::Memory)) {
    case_streams_[key(of_case)].push_back(known);
    if (!limit.pipeline && !limit.resident)
      alike_streams_[key(limit_mix(of_case))].push_back(known);
  }
  if (!is_alone) return;
  const StageResult& stage = limit.stages[0];
  transfers_[{stage.op, stage.link_bytes}].push_back(known);
  if (known.stage_ns <= 0) return;
  if (roles_of(stage).limit == LimitKind::Memory)
    stage_streams_[key(stage_mix(stage))].push_back(known);
  if (roles_of(stage).limit == LimitKind::Launch) launches_.push_back(known);
}

}  // namespace normbench
