#include "analysis/measured_group.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "analysis/case_analysis.h"
#include "document/held_up.h"

namespace normbench {
namespace {

/// The number of rounds of a case, and a bit for each round: 1 if its time is above 0, so that it
/// counts (see times_ns()).
struct RoundBits {
  std::size_t rounds = 0;
  std::vector<std::uint64_t> words = {};
  auto operator<=>(const RoundBits&) const = default;
};

RoundBits bits_of(const std::vector<double>& times) {
  constexpr std::size_t bits = 64;
  RoundBits found{.rounds = times.size()};
  found.words.resize((times.size() + bits - 1) / bits);
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] > 0) found.words[i / bits] |= std::uint64_t{1} << i % bits;
  return found;
}

std::size_t shared_rounds(const RoundBits& a, const RoundBits& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.words.size(), b.words.size()); ++i)
    count += static_cast<std::size_t>(std::popcount(a.words[i] & b.words[i]));
  return count;
}

/// Returns true if two cases share too few rounds to be compared. The test does not apply, and the
/// result is false, if one of them has fewer than `fewest_left_alone` rounds in all.
bool share_too_few(const RoundBits& own, const RoundBits& other) {
  return own.rounds >= fewest_left_alone && other.rounds >= fewest_left_alone &&
         shared_rounds(own, other) < fewest_left_alone;
}

/// Returns for each case whether it may be compared with the other cases. Most cases have the same
/// set of rounds that count, so each distinct set is compared only once.
std::vector<bool> comparable_cases(const GroupResult& group,
                                   const std::vector<std::vector<double>>& times,
                                   DecidingClock clock) {
  std::map<RoundBits, bool> all;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!times[i].empty()) all.emplace(bits_of(times[i]), true);
  for (auto& [own, is_comparable] : all)
    is_comparable = std::ranges::none_of(
        all, [&own = own](const auto& other) { return share_too_few(own, other.first); });
  std::vector<bool> comparable;
  for (std::size_t i = 0; i < times.size(); ++i)
    comparable.push_back(!times[i].empty() && !is_busy(group.cases[i], clock) &&
                         all.at(bits_of(times[i])));
  return comparable;
}

}  // namespace

MeasuredGroup::MeasuredGroup(const GroupResult& group, const Results& results)
    : group_(group),
      results_(results),
      limits_(group, results),
      baseline_(index_of(group, group.baseline)) {
  for (const CaseResult& result : group.cases)
    times_ns_.push_back(measured(result) ? normbench::times_ns(result, results)
                                         : std::vector<double>());
  comparable_ = comparable_cases(group, times_ns_, results.clock);
  for (const Published& one : group.published)
    if (one.stage.empty()) published_[one.variant].push_back(&one);
}

const std::vector<const Published*>& MeasuredGroup::published(const std::string& variant) const {
  static const std::vector<const Published*> none;
  const auto found = published_.find(variant);
  return found == published_.end() ? none : found->second;
}

}  // namespace normbench
