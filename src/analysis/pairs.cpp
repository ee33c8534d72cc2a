#include "analysis/pairs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/case_analysis.h"

namespace normbench {

double margin_of(const Pair& pair, double precision) {
  return std::max(precision, pair.process_effect);
}

Pairs::Pairs(const MeasuredGroup& group) {
  const auto& cases = group.group().cases;
  for (int i = 0; i < static_cast<int>(cases.size()); ++i)
    if (group.is_comparable(i))
      members_.emplace(i,
                       Member{group.times_ns(i), !cases[static_cast<std::size_t>(i)].peer.empty()});
  const auto k = static_cast<double>(members_.size());
  level_ = 1 - 0.05 / (k * (k - 1) / 2);
  precision_ = precision_of(group.group(), group.results());
}

std::optional<Pair> Pairs::of(int a, int b) const {
  if (a > b) {
    std::optional<Pair> pair = of(b, a);
    if (!pair) return pair;
    pair->ratio = {1 / pair->ratio.value, 1 / pair->ratio.high, 1 / pair->ratio.low};
    std::swap(pair->a, pair->b);
    return pair;
  }
  const auto one = members_.find(a), other = members_.find(b);
  if (a == b || one == members_.end() || other == members_.end()) return std::nullopt;
  const std::vector<double>&times = one->second.times_ns, &others = other->second.times_ns;
  const auto logs = log_ratios(times, others);
  if (logs.empty()) return std::nullopt;
  // Each peer runs in a process of its own, so a pair with a peer compares two processes.
  const bool is_one_process = !one->second.of_peer && !other->second.of_peer;
  Pair pair{.a = a,
            .b = b,
            .ratio = paired_ratio(times, others, level_),
            .rounds = static_cast<int>(logs.size()),
            .covered = enough_rounds(logs, level_),
            .process_effect = is_one_process ? 0 : kProcessEffect};
  const double margin = margin_of(pair, precision_);
  pair.different = pair.covered && (pair.ratio.low > 1 + margin || pair.ratio.high < 1 - margin);
  return pair;
}

bool Pairs::empty() const {
  // Two cases usually share rounds, so the loops end early. Only cases with few rounds may share
  // none.
  for (auto one = members_.begin(); one != members_.end(); ++one)
    for (auto other = std::next(one); other != members_.end(); ++other)
      if (!log_ratios(one->second.times_ns, other->second.times_ns).empty()) return false;
  return true;
}

std::vector<Pair> Pairs::among(std::vector<int> cases) const {
  std::ranges::sort(cases);
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < cases.size(); ++a)
    for (std::size_t b = a + 1; b < cases.size(); ++b)
      if (auto pair = of(cases[a], cases[b])) pairs.push_back(*std::move(pair));
  return pairs;
}

std::vector<Pair> Pairs::shown(const std::vector<int>& chosen) const {
  std::vector<int> cases;
  for (const auto& [index, member] : members_) cases.push_back(index);
  if (are_all_shown()) return among(cases);
  const std::set<int> wanted(chosen.begin(), chosen.end());
  std::vector<Pair> pairs;
  for (const int a : cases) {
    const auto add = [&](int b) {
      if (auto pair = b > a ? of(a, b) : std::nullopt) pairs.push_back(*std::move(pair));
    };
    if (wanted.contains(a))
      std::ranges::for_each(cases, add);
    else
      std::ranges::for_each(wanted, add);
  }
  return pairs;
}

std::int64_t Pairs::count() const {
  const auto k = static_cast<std::int64_t>(members_.size());
  return k * (k - 1) / 2;
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
