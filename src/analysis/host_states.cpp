#include "analysis/host_states.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "document/held_up.h"
#include "document/statistics.h"

namespace normbench {
namespace {

constexpr double kLevel = 0.05;

/// Returns Pettitt's p-value for the largest statistic k: 2 exp(-6 k^2 / (n^3 + n^2)).
double pettitt_p_value(double statistic, std::size_t values) {
  const auto n = static_cast<double>(values);
  return std::min(1.0, 2 * std::exp(-6 * statistic * statistic / (n * n * n + n * n)));
}

/// Returns the smallest p-value that a series of this length can have. It has this p-value if all
/// values of one half exceed all values of the other half.
double least_p_value(std::size_t values) {
  return pettitt_p_value(static_cast<double>(values / 2 * (values - values / 2)), values);
}

bool is_stream_of_host(const CaseResult& limit, DecidingClock clock) {
  if (!measured(limit) || is_busy(limit, clock)) return false;
  return limit.stages.size() == 1 && roles_of(limit.stages[0]).limit == LimitKind::Memory &&
         limit.stages[0].place == Place::Cpu && !limit.resident;
}

/// A stream is a loop that measures the memory limit. Returns each stream on the host, paired with
/// the fastest stream that moves the same bytes with as many threads. The fastest stream itself has
/// no pair.
std::vector<std::pair<const CaseResult*, const CaseResult*>> compared(const GroupResult& group,
                                                                      const Results& results) {
  struct Stream {
    const CaseResult* limit;
    double median_ns;
  };
  // Streams by the number of threads, the bytes that they read and the bytes that they write.
  std::map<std::tuple<int, std::int64_t, std::int64_t>, std::vector<Stream>> alike;
  const auto key = [](const CaseResult& limit) {
    return std::tuple(limit.threads, limit.source_bytes, limit.result_bytes);
  };
  for (const CaseResult& limit : group.limits)
    if (is_stream_of_host(limit, results.clock))
      alike[key(limit)].push_back({&limit, median_ns(limit, results)});
  std::vector<std::pair<const CaseResult*, const CaseResult*>> pairs;
  for (const CaseResult& limit : group.limits) {
    if (!is_stream_of_host(limit, results.clock)) continue;
    const auto& others = alike.at(key(limit));
    const Stream own{&limit, std::ranges::find(others, &limit, &Stream::limit)->median_ns};
    const Stream fastest = *std::ranges::min_element(others, {}, &Stream::median_ns);
    if (fastest.median_ns < own.median_ns) pairs.emplace_back(&limit, fastest.limit);
  }
  return pairs;
}

/// Returns the round that the log ratio with index `log` belongs to. A round with a time of 0 does
/// not count (times_ns) and has no log ratio.
int round_of(std::span<const double> times, std::span<const double> others, std::size_t log) {
  std::size_t round = 0;
  for (std::size_t seen = 0; round < times.size(); ++round)
    if (times[round] > 0 && others[round] > 0 && seen++ == log) break;
  return static_cast<int>(round);
}

double median_ratio(std::vector<double> logs) { return std::exp(median(std::move(logs))); }

}  // namespace

ChangePoint change_point(std::span<const double> series) {
  ChangePoint found;
  double sum = 0, largest = 0;
  for (std::size_t t = 0; t + 1 < series.size(); ++t) {
    // `sum` is the sum of sign(y - x) over all x up to index t and all y after it. Moving value t
    // from the second part to the first adds sign(y - value t) for all values y of the series.
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
  double most = std::log(other_state);
  const auto keep = [&](const CaseResult& limit, const CaseResult& other, std::vector<double> first,
                        std::vector<double> second, std::optional<int> round) {
    const auto rounds = static_cast<int>(second.size());
    const double before = median_ratio(std::move(first)), after = median_ratio(std::move(second)),
                 apart = std::abs(std::log(after / before));
    if (apart <= most || std::min(before, after) >= 1) return;
    most = apart;
    states.change = {.limit = limit.variant,
                     .other = other.variant,
                     .round = round,
                     .rounds = rounds,
                     .before = before,
                     .after = after};
  };
  for (const auto& [limit, other] : pairs) {
    const auto times = times_ns(*limit, results), others = times_ns(*other, results);
    const auto logs = log_ratios(times, others);
    const auto rounds = static_cast<int>(logs.size());
    states.rounds = states.rounds == 0 ? rounds : std::min(states.rounds, rounds);
    states.are_enough = least_p_value(static_cast<std::size_t>(states.rounds)) <= level;
    const auto [at, p_value] = change_point(logs);
    if (p_value <= level) {
      const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(at);
      keep(*limit, *other, {logs.begin(), middle}, {middle, logs.end()},
           round_of(times, others, at));
    }
    if (least_p_value(logs.size()) > level) continue;
    if (const auto levels = two_levels(logs, std::log(other_state))) {
      std::vector<double> low, high;
      for (const double one : logs) (one < levels->between ? low : high).push_back(one);
      if (low.size() < high.size()) std::swap(low, high);
      keep(*limit, *other, std::move(low), std::move(high), std::nullopt);
    }
  }
  return states;
}

}  // namespace normbench
