/// How fast the machine could run a case, each of its stages, and the sum of those.
#pragma once

#include "analysis/case_analysis.h"
#include "ops/roles.h"

namespace normbench {

/// From this share on a case counts as running at its limit.
constexpr double at_limit = 0.85;

/// What a limit is a limit of.
LimitKind limit_kind(const CaseResult& limit);
/// The kind of the group's limit of that name; nothing when there is none.
std::optional<LimitKind> limit_kind(const GroupResult& group, const std::string& name);

/// The host memory that a transfer reads or writes; pinned where the document does not say.
Memory link_memory(const CaseResult& result, std::size_t stage);

/// How fast the machine can move a case's bytes at most, or null. Over the link: the slowest of the
/// pinned copies of its transfers and of the streams of its kernels that cross it. Else the fastest
/// stream in the same place that moves as many bytes each way, on the host with as many threads;
/// not one that stays in the cache.
const CaseResult* bytes_limit_of(const GroupResult& group, const CaseResult& result,
                                 const Results& results);

/// The limit of a case, or null: the limit of its bytes, or launching a kernel where that takes
/// longer.
const CaseResult* limit_of(const GroupResult& group, const CaseResult& result,
                           const Results& results);

/// Fills the stages of a measured case's analysis, and what follows from them: floor, binding limit
/// and bytes moved. A stage's limit is the slower of `launch` and, for a transfer, the copy of as
/// many bytes the same way from the same kind of memory (pinned for all that is not pageable); for
/// others the fastest stream of its mix, in its place, with as many threads; for a kernel that
/// reads or writes host memory one that does the same over the link. One that stays in the cache
/// only where the stage's input is there. Stages that move no bytes have none.
void add_stage_limits(const GroupResult& group, const CaseResult& result, const Results& results,
                      CaseAnalysis& analysis);

}  // namespace normbench
