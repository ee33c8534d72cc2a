#include "analysis/host_states.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "document/statistics.h"
#include "ops/stream.h"

namespace normbench {
namespace {

constexpr double kLevel = 0.05;

/// 2 exp(-6 k^2 / (n^3 + n^2)) of the largest statistic k.
double pettitt_p_value(double statistic, std::size_t values) {
  const auto n = static_cast<double>(values);
  return std::min(1.0, 2 * std::exp(-6 * statistic * statistic / (n * n * n + n * n)));
}

/// Of a change in the middle that no value contradicts.
double least_p_value(std::size_t values) {
  return pettitt_p_value(static_cast<double>(values / 2 * (values - values / 2)), values);
}

bool is_stream_of_host(const CaseResult& limit) {
  return measured(limit) && limit.stages.size() == 1 && is_op<Stream>(limit.stages[0]) &&
         limit.stages[0].place == Place::Cpu && !limit.resident;
}

bool move_the_same(const CaseResult& a, const CaseResult& b) {
  return a.threads == b.threads && a.source_bytes == b.source_bytes &&
         a.result_bytes == b.result_bytes;
}

/// Each with the fastest of the same bytes.
std::vector<std::pair<const CaseResult*, const CaseResult*>> compared(const GroupResult& group,
                                                                      const Results& results) {
  std::vector<std::pair<const CaseResult*, const CaseResult*>> pairs;
  for (const CaseResult& limit : group.limits) {
    if (!is_stream_of_host(limit)) continue;
    const CaseResult* fastest = &limit;
    for (const CaseResult& other : group.limits)
      if (is_stream_of_host(other) && move_the_same(limit, other) &&
          median_ns(other, results) < median_ns(*fastest, results))
        fastest = &other;
    if (fastest != &limit) pairs.emplace_back(&limit, fastest);
  }
  return pairs;
}

double median_ratio(std::span<const double> logs) {
  return std::exp(median(std::vector<double>(logs.begin(), logs.end())));
}

}  // namespace

ChangePoint change_point(std::span<const double> series) {
  ChangePoint found;
  double sum = 0, largest = 0;
  for (std::size_t t = 0; t + 1 < series.size(); ++t) {
    // What moves from the second part to the first is compared with all others.
    for (const double other : series) sum += (other > series[t]) - (other < series[t]);
    if (std::abs(sum) <= largest) continue;
    largest = std::abs(sum);
    found.at = t + 1;
  }
  if (found.at > 0) found.p_value = pettitt_p_value(largest, series.size());
  return found;
}

HostStates host_states(const GroupResult& group, const Results& results) {
  HostStates states;
  const auto pairs = compared(group, results);
  const double level = kLevel / static_cast<double>(std::max<std::size_t>(1, pairs.size()));
  double most = std::log(kOtherState);
  for (const auto& [limit, other] : pairs) {
    const auto logs = log_ratios(times_ns(*limit, results), times_ns(*other, results));
    states.rounds = static_cast<int>(logs.size());
    states.are_enough = least_p_value(logs.size()) <= level;
    const auto [at, p_value] = change_point(logs);
    if (p_value > level) continue;
    const double before = median_ratio(std::span(logs).first(at)),
                 after = median_ratio(std::span(logs).subspan(at)),
                 apart = std::abs(std::log(after / before));
    if (apart < most) continue;
    most = apart;
    states.change = {.limit = limit->variant,
                     .other = other->variant,
                     .round = static_cast<int>(at),
                     .before = before,
                     .after = after};
  }
  return states;
}

}  // namespace normbench
