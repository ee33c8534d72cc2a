/// Limits of the machine: how fast it could run a case and each of its stages.
#pragma once

#include "analysis/case_analysis.h"
#include "analysis/known_limits.h"
#include "ops/roles.h"

namespace normbench {

/// A case runs at its limit if the limit's time over the case's time is at least this.
constexpr double at_limit = 0.85;

/// Returns what `limit` measures: the link, launches, page faults or memory.
LimitKind limit_kind(const CaseResult& limit);
/// Returns the kind of the group's limit with this name; nothing if there is none.
std::optional<LimitKind> limit_kind(const GroupResult& group, const std::string& name);

/// Returns the median of a stage's times per iteration in ns. Leaves out times of 0, which mark
/// rounds that do not count because other programs used the processors.
double stage_ns(const CaseResult& result, const StageResult& stage);
/// Returns the fewest bytes that a stage must read and write.
StreamMix stage_mix(const StageResult& stage);

/// Returns the kind of host memory that a transfer reads or writes; pinned if the document does not
/// record it.
Memory link_memory(const CaseResult& result, std::size_t stage);

/// Returns the limit of the bytes that a case moves; null if it has none. A stream is a limit that
/// only reads and writes memory.
/// - For a case that uses the link, it is the slowest of the limits of its stages on the link. The
///   limit of a transfer is a copy with pinned memory. The limit of a kernel is a stream over the
///   link.
/// - For any other case, it is the fastest stream that reads and writes as many bytes (limit_mix)
///   in the same place (host or GPU) and, on the host, with as many threads. Streams that stay in
///   the cache are not used.
const CaseResult* bytes_limit_of(const KnownLimits& limits, const CaseResult& result);

/// Returns the limit of a case: the limit of its bytes, or a kernel launch if that takes longer.
/// Returns null if its bytes have no limit.
const CaseResult* limit_of(const KnownLimits& limits, const CaseResult& result);

/// Sets `stages`, `floor_ns`, `binding` and `bytes_moved` in the analysis of a measured case.
/// Stages that move no bytes have no limit. The limit of a GPU kernel is the limit of its bytes, or
/// a launch if that takes longer. The limit of the bytes is:
/// - for a transfer: a copy of as many bytes in the same direction, with pinned memory unless the
///   transfer uses pageable memory;
/// - for a kernel that reads or writes host memory: a stream that does the same over the link;
/// - for any other stage: the fastest stream that reads and writes as many bytes (limit_mix) in the
///   same place and, on the host, with as many threads. A stream that stays in the cache is used
///   only if the stage's input is in the cache.
void add_stage_limits(const KnownLimits& limits, const CaseResult& result, const Results& results,
                      CaseAnalysis& analysis);

}  // namespace normbench
