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

/// True when the case has a stage of this op.
bool has_op(const CaseResult& result, const std::string& op);

/// ln(a / b) of the rounds both have.
std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b);

/// True when the two series have rounds enough for an interval at `level`.
bool enough_rounds(const std::vector<double>& a, const std::vector<double>& b, double level);

/// The fastest limit that moves as many bytes each way with as many threads, or null.
const CaseResult* limit_of(const GroupResult& group, const CaseResult& result,
                           const Results& results);

CaseAnalysis analyse_case(const GroupResult& group, const CaseResult& result,
                          const Results& results);

}  // namespace normbench
