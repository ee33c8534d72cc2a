/// What one case's rounds say by themselves, against the baseline and against the limit.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// True for an ok case with at least one round.
bool measured(const CaseResult& result);

/// Nanoseconds per iteration of every round, on the clock that decides.
std::vector<double> times_ns(const CaseResult& result, const Results& results);

/// Median nanoseconds per iteration of a measured case.
double median_ns(const CaseResult& result, const Results& results);

/// Minor faults per iteration: the median of the rounds.
double faults_per_iteration(const CaseResult& result);

/// Median wall and device nanoseconds per iteration of a measured case, whichever clock decides; no
/// device time for a case that used none.
double wall_ns(const CaseResult& result);
std::optional<double> device_ns(const CaseResult& result);

/// True when the case has a stage of this op.
bool has_op(const CaseResult& result, const std::string& op);

/// True when a stage of the case runs on the GPU.
bool uses_gpu(const CaseResult& result);

/// Bytes that the case sends over the link between host and device, both ways.
std::int64_t link_bytes(const CaseResult& result);

/// The part of a case's time that a stage takes: of all stages' time on the host, of the wall time
/// where a GPU takes part, since host and device times overlap. 0 when not attributed.
double stage_share(const CaseResult& result, const StageResult& stage);

/// ln(a / b) of the rounds both have.
std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b);

/// True when the two series have rounds enough for an interval at `level`.
bool enough_rounds(const std::vector<double>& a, const std::vector<double>& b, double level);

/// How fast the machine can move a case's bytes at most, or null. Over the link: the slowest of the
/// pinned copies of its transfers. Else the fastest stream in the same place that moves as many
/// bytes each way, on the host with as many threads; not one that stays in the cache.
const CaseResult* bytes_limit_of(const GroupResult& group, const CaseResult& result,
                                 const Results& results);

/// What the machine can do at most for a case, or null: that, or for a case so small that it takes
/// longer, launching a kernel or starting and joining a team of threads.
const CaseResult* limit_of(const GroupResult& group, const CaseResult& result,
                           const Results& results);

CaseAnalysis analyse_case(const GroupResult& group, const CaseResult& result,
                          const Results& results);

}  // namespace normbench
