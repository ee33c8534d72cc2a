#include "analysis/pairs.h"

#include <algorithm>
#include <cmath>

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

/// Returns the effect of different processes. Each peer runs in a process of its own.
double effect_between(const CaseResult& a, const CaseResult& b) {
  return a.peer.empty() && b.peer.empty() ? 0 : kProcessEffect;
}

}  // namespace

double margin_of(const Pair& pair, double precision) {
  return std::max(precision, pair.process_effect);
}

std::vector<Pair> compare_pairs(const GroupResult& group, const Results& results) {
  std::vector<int> indices;
  std::vector<std::vector<double>> series;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i) {
    if (!is_comparable(group, group.cases[i], results)) continue;
    indices.push_back(i);
    series.push_back(times_ns(group.cases[i], results));
  }
  const auto k = static_cast<double>(indices.size());
  const double level = 1 - 0.05 / (k * (k - 1) / 2);
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < indices.size(); ++a)
    for (std::size_t b = a + 1; b < indices.size(); ++b) {
      const auto logs = log_ratios(series[a], series[b]);
      if (logs.empty()) continue;
      Pair pair{.a = indices[a],
                .b = indices[b],
                .ratio = paired_ratio(series[a], series[b], level),
                .rounds = static_cast<int>(logs.size()),
                .covered = enough_rounds(logs, level),
                .process_effect = effect_between(group.cases[indices[a]], group.cases[indices[b]])};
      const double margin = margin_of(pair, precision_of(group, results));
      pair.different =
          pair.covered && (pair.ratio.low > 1 + margin || pair.ratio.high < 1 - margin);
      pairs.push_back(pair);
    }
  return pairs;
}

std::optional<Pair> pair_of(const std::vector<Pair>& pairs, int a, int b) {
  for (Pair pair : pairs) {
    if (pair.a == a && pair.b == b) return pair;
    if (pair.a != b || pair.b != a) continue;
    pair.ratio = {1 / pair.ratio.value, 1 / pair.ratio.high, 1 / pair.ratio.low};
    std::swap(pair.a, pair.b);
    return pair;
  }
  return std::nullopt;
}

double widest_difference(const Pair& pair) {
  const Interval& ratio = pair.ratio;
  return std::max(std::exp(std::max(std::log(ratio.high), -std::log(ratio.low))) - 1,
                  pair.process_effect);
}

double visible_difference(const Pair& pair, double precision) {
  return margin_of(pair, precision) + std::exp(half_width(pair.ratio)) - 1;
}

bool is_tie(const Pair& pair, double precision) {
  return pair.covered && !pair.different &&
         half_width(pair.ratio) <= 2 * margin_of(pair, precision);
}

std::optional<Unlike> unlike_ends(const GroupResult& group) {
  std::vector<std::vector<TensorDesc>> outputs;
  for (const CaseResult& result : group.cases)
    outputs.push_back(measured(result) ? outputs_of(result) : std::vector<TensorDesc>());
  return first_unlike(outputs, group.may_differ);
}

}  // namespace normbench
