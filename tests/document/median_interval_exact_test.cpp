/// Compares median_interval_indices(), the order statistics that bound the median's confidence
/// interval, with sums of binomial coefficients in exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "document/statistics.h"

namespace normbench::median_interval_exact_test {
namespace {

__extension__ using Wide = unsigned __int128;

/// A natural number of any size, stored as 64-bit limbs, lowest limb first.
class Natural {
 public:
  explicit Natural(std::uint64_t value = 0) : limbs_{value} {}

  void add(const Natural& other) {
    Wide carry = 0;
    for (std::size_t i = 0; i < other.limbs_.size() || carry > 0; ++i) {
      if (i == limbs_.size()) limbs_.push_back(0);
      carry += limbs_[i];
      if (i < other.limbs_.size()) carry += other.limbs_[i];
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  void multiply(std::uint64_t by) {
    Wide carry = 0;
    for (std::uint64_t& limb : limbs_) {
      carry += static_cast<Wide>(limb) * by;
      limb = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    if (carry > 0) limbs_.push_back(static_cast<std::uint64_t>(carry));
  }
  /// Divides by `by`. The remainder must be 0.
  void divide(std::uint64_t by) {
    Wide rest = 0;
    for (std::size_t i = limbs_.size(); i-- > 0;) {
      rest = rest << 64 | limbs_[i];
      limbs_[i] = static_cast<std::uint64_t>(rest / by);
      rest %= by;
    }
    ASSERT_EQ(static_cast<std::uint64_t>(rest), 0u);
    while (limbs_.size() > 1 && limbs_.back() == 0) limbs_.pop_back();
  }
  int bits() const {
    return static_cast<int>(64 * limbs_.size()) - std::countl_zero(limbs_.back());
  }
  /// Returns true if this number is at most 2 to the power `power`.
  bool is_at_most_two_to(int power) const {
    const auto limb = static_cast<std::size_t>(power / 64);
    const std::uint64_t top = std::uint64_t{1} << power % 64;
    if (limbs_.size() != limb + 1) return limbs_.size() <= limb;
    if (limbs_.back() != top) return limbs_.back() < top;
    return std::all_of(limbs_.begin(), limbs_.end() - 1, [](std::uint64_t x) { return x == 0; });
  }

 private:
  std::vector<std::uint64_t> limbs_;
};

/// Returns 1/alpha for confidence levels 1 - alpha. The levels are 0.9, 0.95, 0.96, 0.99, and 1 -
/// 0.05/k for several numbers k of comparisons.
std::vector<std::uint64_t> alpha_inverses() {
  std::vector<std::uint64_t> all{10, 20, 25, 100};
  for (const std::uint64_t k : {2, 3, 6, 10, 15, 21, 28, 45, 105, 190}) all.push_back(20 * k);
  return all;
}

double level_of(std::uint64_t alpha_inverse) { return 1 - 1 / static_cast<double>(alpha_inverse); }

/// Computes the exact indices for n values. take() gets the terms C(n, 0), C(n, 1), and so on, one
/// by one. For every level, `low_` is the largest low index at which both tails of the binomial
/// distribution together have a probability of at most alpha. This holds if 2 * sum * alpha_inverse
/// <= 2^n.
class ExactIndices {
  static constexpr int kFactorBits = 13;  // bits of 2 * the largest alpha_inverse

 public:
  explicit ExactIndices(int n) : n_(n), low_(alpha_inverses().size(), -1) {}

  /// Adds the next term. Returns false if both tails together are now above alpha at every level.
  bool take(const Natural& term) {
    sum_.add(term);
    bool any = sum_.bits() + kFactorBits <= n_;  // the sum is small enough for every level
    if (any) std::ranges::fill(low_, k_++);
    if (any) return true;
    for (std::size_t i = 0; i < low_.size(); ++i) {
      Natural tails = sum_;
      tails.multiply(2 * alpha_inverses_[i]);
      if (low_[i] != k_ - 1 || !tails.is_at_most_two_to(n_)) continue;
      low_[i] = k_;
      any = true;
    }
    ++k_;
    return any;
  }
  void expect_agreement() const {
    for (std::size_t i = 0; i < low_.size(); ++i) {
      const auto indices = median_interval_indices(n_, level_of(alpha_inverses_[i]));
      EXPECT_EQ(indices ? indices->first : -1, low_[i]) << n_ << " " << alpha_inverses_[i];
      EXPECT_EQ(indices.value_or(std::pair(-1, n_)).second, n_ - 1 - low_[i]);
    }
  }

 private:
  const std::vector<std::uint64_t> alpha_inverses_ = alpha_inverses();
  int n_, k_ = 0;
  Natural sum_;
  std::vector<int> low_;
};

TEST(ExactMedianInterval, AgreesForEveryNumberOfRoundsFrom6To500) {
  std::vector<Natural> row{Natural(1)};  // a row of Pascal's triangle
  for (int n = 1; n <= 500; ++n) {
    row.emplace_back(0);
    for (std::size_t k = row.size() - 1; k > 0; --k) row[k].add(row[k - 1]);
    if (n < 6) continue;
    ExactIndices exact(n);
    for (std::size_t k = 0; exact.take(row[k]); ++k) {
    }
    exact.expect_agreement();
  }
}

TEST(ExactMedianInterval, AgreesForManyRounds) {
  for (const int n : {501, 777, 1000, 1023, 1024, 1025, 1077, 2048, 4999, 10000, 30011, 100'000}) {
    ExactIndices exact(n);
    Natural term(1);
    for (std::uint64_t k = 0; exact.take(term); ++k) {
      term.multiply(static_cast<std::uint64_t>(n) - k);
      term.divide(k + 1);
    }
    exact.expect_agreement();
  }
}

/// Returns the binomial coverage of the interval from order statistic `low` to n - 1 - `low`.
double coverage(int n, int low) {
  double term = std::exp2(-n), tail = 0;
  for (int k = 0; k <= low; ++k) {
    tail += term;
    term *= static_cast<double>(n - k) / (k + 1);
  }
  return 1 - 2 * tail;
}

TEST(MedianInterval, CoversAsOftenAsTheBinomialSays) {
  constexpr int kTrials = 20'000;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const auto& [n, level] :
       {std::pair(6, 0.95), {12, 0.95}, {20, 0.96}, {25, 0.99}, {60, 1 - 0.05 / 15}}) {
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& value : values) value = std::pow(uniform(random), 3);  // median 0, most near 0
      const Interval interval = median_interval(values, level);
      covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
    }
    const double expected = coverage(n, median_interval_indices(n, level)->first);
    EXPECT_GE(expected, level);
    EXPECT_NEAR(static_cast<double>(covered) / kTrials, expected,
                4 * std::sqrt(expected * (1 - expected) / kTrials))
        << n << " " << level;
  }
}

}  // namespace
}  // namespace normbench::median_interval_exact_test
