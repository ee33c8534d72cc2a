#include "analysis/twin.h"

#include <algorithm>

namespace normbench {

namespace {

/// As for the pairs of the group: the 5 % are shared by all of them.
double level(const GroupResult& group) {
  const auto k = static_cast<double>(std::ranges::count_if(group.cases, measured));
  return 1 - 0.05 / std::max(1.0, k * (k - 1) / 2);
}

Twin compared(const Subject& subject, const CaseResult& other) {
  const auto own = times_ns(subject.result(), subject.results);
  const auto its = times_ns(other, subject.results);
  const double at = level(subject.group);
  const Interval ratio = paired_ratio(its, own, at);
  return {.result = &other,
          .time_ns = median(its),
          .faster = enough_rounds(its, own, at) && ratio.high < 1 - subject.results.precision,
          .share = 1 - ratio.value};
}

}  // namespace

std::optional<Twin> twin(const Subject& subject,
                         const std::function<bool(std::span<const Factor>)>& wanted) {
  std::optional<Twin> best;
  for (const CaseResult& other : subject.group.cases) {
    if (!measured(other) || !wanted(factors(subject.result(), other))) continue;
    const Twin found = compared(subject, other);
    if (!best || found.time_ns < best->time_ns) best = found;
  }
  return best;
}

}  // namespace normbench
