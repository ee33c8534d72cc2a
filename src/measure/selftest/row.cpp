#include "measure/selftest/row.h"

#include <fmt/format.h>

#include <exception>
#include <limits>

namespace normbench::selftest {
namespace {

/// 1: as far from the exact value as a right one may be.
double share(double error, double bound) {
  if (error == 0) return 0;
  return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

void add(RowFinding& finding, const std::string& words, const Ran& ran) {
  if (ran.judged.failure) fail(finding, fmt::format("{}: {}", words, *ran.judged.failure));
  if (!ran.bound) return;
  const bool nearer = share(ran.judged.error, *ran.bound) > share(finding.max_error, finding.bound);
  if (nearer || !finding.compared) {
    finding.max_error = ran.judged.error;
    finding.bound = *ran.bound;
    finding.worst = words;
  }
  finding.compared = true;
}

}  // namespace

void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run) {
  if (row.stopped || lab.lost()) return;
  ++row.finding.offered;
  try {
    if (!row.kernel->accepts(op, signature)) return;
    ++row.finding.accepted;
    add(row.finding, words, run());
  } catch (const std::exception& error) {
    fail(row.finding, fmt::format("{}: {}", words, error.what()));
    row.stopped = true;
    lab.recover();
  }
}

void fail(RowFinding& finding, const std::string& words) {
  ++finding.wrong;
  if (finding.failure.empty()) finding.failure = words;
}

}  // namespace normbench::selftest
