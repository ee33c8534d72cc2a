#include "analysis/compare_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/case_analysis.h"
#include "core/units.h"

namespace normbench {
namespace {

constexpr double kGrownError = 2;       // times what it was, and …
constexpr double kErrorOfBound = 0.01;  // … this part of its bound
constexpr double kFaultsDiffer = 0.1;   // relative to the larger, and …
constexpr double kFewestFaults = 1;     // … absolute, an iteration

std::int64_t bytes_moved(const CaseResult& result) {
  std::int64_t bytes = 0;
  for (const StageResult& stage : result.stages) bytes += stage.bytes;
  return bytes;
}

std::string kernels(const CaseResult& result) {
  std::vector<std::string> names;
  for (const StageResult& stage : result.stages)
    names.push_back(stage.kernel.empty() ? stage.op : stage.op + " " + stage.kernel);
  const std::string& peer = result.peer_version.empty() ? result.peer : result.peer_version;
  return fmt::format("{}{}{}", peer, peer.empty() ? "" : ": ", fmt::join(names, ", "));
}

/// The median over a side's runs of their page faults an iteration.
double faults(const std::vector<CaseRun>& runs) {
  std::vector<double> values;
  for (const CaseRun& run : runs)
    if (run.result != nullptr && measured(*run.result))
      values.push_back(faults_per_iteration(*run.result));
  return median(std::move(values));
}

/// The largest error of a side's runs.
double error(const std::vector<CaseRun>& runs) {
  double largest = 0;
  for (const CaseRun& run : runs)
    if (run.result != nullptr && measured(*run.result))
      largest = std::max(largest, run.result->check.max_abs_error);
  return largest;
}

void compare_bytes(const char* kind, const char* where, std::int64_t base, std::int64_t now,
                   std::vector<CaseFinding>& findings) {
  if (base == now) return;
  findings.push_back({kind, base, now,
                      fmt::format("{} {}, was {}", format_bytes(static_cast<double>(now)), where,
                                  format_bytes(static_cast<double>(base)))});
}

void compare_errors(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const double base = error(matched.base), now = error(matched.now);
  const double bound = shown_case(matched.now).check.bound;
  if (now <= kGrownError * base || now <= kErrorOfBound * bound) return;
  findings.push_back(
      {"max_error", base, now,
       fmt::format("max error {:.2g}, was {:.2g} (bound {:.2g})", now, base, bound)});
}

void compare_faults(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const double base = faults(matched.base), now = faults(matched.now);
  const double apart = std::abs(now - base);
  if (apart < kFewestFaults || apart <= kFaultsDiffer * std::max(base, now)) return;
  findings.push_back({"faults", base, now,
                      fmt::format("{} page faults a batch, was {}", format_count(std::llround(now)),
                                  format_count(std::llround(base)))});
}

void compare_kernels(const CaseResult& base, const CaseResult& now,
                     std::vector<CaseFinding>& findings) {
  if (kernels(base) != kernels(now))
    findings.push_back({"kernels", kernels(base), kernels(now),
                        fmt::format("runs {}, was {}", kernels(now), kernels(base))});
  if (base.threads != now.threads)
    findings.push_back({"threads", base.threads, now.threads,
                        fmt::format("{} threads, was {}", now.threads, base.threads)});
}

void compare_status(const MatchedCase& matched, std::vector<CaseFinding>& findings) {
  const Status base = status_of(matched.base), now = status_of(matched.now);
  if (base == now) return;
  const std::string reason = reason_of(now == Status::Ok ? matched.base : matched.now);
  findings.push_back({"status", name_of(base), name_of(now),
                      fmt::format("{}, was {}{}", name_of(now), name_of(base),
                                  reason.empty() ? "" : " (" + reason + ")")});
}

}  // namespace

Status status_of(const std::vector<CaseRun>& runs) {
  Status status = Status::Skipped;
  for (const CaseRun& run : runs) {
    if (run.result == nullptr) continue;
    if (run.result->status == Status::Failed) return Status::Failed;
    if (measured(*run.result)) status = Status::Ok;
  }
  return status;
}

std::string reason_of(const std::vector<CaseRun>& runs) {
  const Status status = status_of(runs);
  std::string reason;
  int such = 0, all = 0;
  for (const CaseRun& run : runs) {
    if (run.result == nullptr) continue;
    ++all;
    if (run.result->status != status) continue;
    if (++such == 1) reason = run.result->reason;
  }
  return such == all ? reason : fmt::format("in {} of {} runs: {}", such, all, reason);
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
  compare_bytes("link_bytes", "over the link", link_bytes(base), link_bytes(now), findings);
  compare_bytes("bytes", "moved", bytes_moved(base), bytes_moved(now), findings);
  compare_kernels(base, now, findings);
  if (measured(base) && measured(now)) {
    compare_errors(matched, findings);
    compare_faults(matched, findings);
  }
  return findings;
}

}  // namespace normbench
