#include <algorithm>
#include <cmath>

#include "analysis/case_analysis.h"
#include "analysis/compare/compare.h"

namespace normbench {
namespace {

using FindingKind = CaseFinding::Kind;

// The output error in NEW is reported if it exceeds kGrownError times the error in BASE and
// kErrorOfBound times the allowed error.
constexpr double kGrownError = 2;
constexpr double kErrorOfBound = 0.01;
// Page faults are reported if they differ by more than kFaultsDiffer of the larger number and by at
// least kFewestFaults per iteration.
constexpr double kFaultsDiffer = 0.1;
constexpr double kFewestFaults = 1;

RunBy run_by(const CaseResult& result) {
  RunBy by{.peer = result.peer_version.empty() ? result.peer : result.peer_version, .stages = {}};
  for (const StageResult& stage : result.stages) by.stages.emplace_back(stage.op, stage.kernel);
  return by;
}

/// Returns a side's page faults per iteration: the median over its runs.
double faults(const std::vector<CaseRun>& runs) {
  std::vector<double> values;
  for (const CaseRun& run : runs)
    if (run.result != nullptr && measured(*run.result))
      values.push_back(faults_per_iteration(*run.result));
  return median(std::move(values));
}

double error(const std::vector<CaseRun>& runs) {
  double largest = 0;
  for (const CaseRun& run : runs)
    if (run.result != nullptr && measured(*run.result) && run.result->check.psnr_bound_db == 0)
      largest = std::max(largest, run.result->check.max_abs_error);
  return largest;
}

void add_unless_same(FindingKind kind, const CaseFinding::Value& base,
                     const CaseFinding::Value& now, std::vector<CaseFinding>& findings) {
  if (base != now) findings.push_back({kind, base, now});
}

void compare_errors(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const double base = error(matched.base), now = error(matched.now);
  const double bound = shown_case(matched.now).check.bound;
  if (now > kGrownError * base && now > kErrorOfBound * bound)
    findings.push_back({FindingKind::MaxError, base, now, bound});
}

void compare_faults(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const double base = faults(matched.base), now = faults(matched.now);
  const double apart = std::abs(now - base);
  if (apart >= kFewestFaults && apart > kFaultsDiffer * std::max(base, now))
    findings.push_back({FindingKind::Faults, base, now});
}

void compare_status(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const Ending base = ending_of(matched.base), now = ending_of(matched.now);
  if (base.status != now.status)
    findings.push_back(
        {FindingKind::Status, base.status, now.status, 0, now.status == Status::Ok ? base : now});
}

}  // namespace

Ending ending_of(const std::vector<CaseRun>& runs) {
  Ending ending;
  for (const CaseRun& run : runs) {
    if (run.result == nullptr) continue;
    ++ending.all;
    if (run.result->status == Status::Failed) ending.status = Status::Failed;
    if (measured(*run.result) && ending.status != Status::Failed) ending.status = Status::Ok;
  }
  for (const CaseRun& run : runs)
    if (run.result != nullptr && run.result->status == ending.status && ++ending.such == 1)
      ending.reason = run.result->reason;
  return ending;
}

const CaseResult& shown_case(const std::vector<CaseRun>& runs) {
  const CaseResult* shown = nullptr;
  for (const CaseRun& run : runs) {
    if (run.result == nullptr) continue;
    if (measured(*run.result)) return *run.result;
    if (shown == nullptr || run.result->status == Status::Failed) shown = run.result;
  }
  return *shown;
}

std::vector<CaseFinding> case_findings(const MatchedCase& matched) {
  const CaseResult& base = shown_case(matched.base);
  const CaseResult& now = shown_case(matched.now);
  std::vector<CaseFinding> findings;
  compare_status(matched, findings);
  add_unless_same(FindingKind::LinkBytes, link_bytes(base), link_bytes(now), findings);
  add_unless_same(FindingKind::Bytes, moved_bytes(base), moved_bytes(now), findings);
  add_unless_same(FindingKind::Kernels, run_by(base), run_by(now), findings);
  add_unless_same(FindingKind::Threads, std::int64_t{base.threads}, std::int64_t{now.threads},
                  findings);
  if (measured(base) && measured(now)) {
    compare_errors(matched, findings);
    compare_faults(matched, findings);
  }
  return findings;
}

}  // namespace normbench
