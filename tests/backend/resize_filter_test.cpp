#include "backend/cpu/resize_filter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace normbench::resize_filter_test {
namespace {

Filter whole(std::int64_t from, std::int64_t to) {
  return make_shared_filter(from, to, {.length = static_cast<double>(from)}, DType::UInt8);
}

/// Returns the weights of all `from` input pixels in output pixel `k`, from the filter's shares.
template <class Weight>
std::vector<double> weights_of(const Filter& filter, const Shares<Weight>& shares, std::int64_t k,
                               double unit) {
  const auto first = [&](std::int64_t output) {
    return output < std::ssize(filter.pixels)
               ? filter.pixels[static_cast<std::size_t>(output)].first
               : filter.pixels.back().past_last();
  };
  std::vector<double> weights(shares.before.size());
  for (std::int64_t p = first(k); p < first(k + 1); ++p)
    weights[static_cast<std::size_t>(p)] = unit * shares.after[static_cast<std::size_t>(p)];
  for (std::int64_t p = first(k + 1); p < first(k + 2); ++p)
    weights[static_cast<std::size_t>(p)] = unit * shares.before[static_cast<std::size_t>(p)];
  return weights;
}

std::vector<double> exact_weights(std::int64_t from, const Taps& taps) {
  std::vector<double> weights(static_cast<std::size_t>(from));
  std::ranges::copy(taps.weights, weights.begin() + taps.first);
  return weights;
}

TEST(ResizeFilter, SharesAreItsWeights) {
  for (const auto& [from, to] :
       {std::pair{7, 7}, {8, 4}, {9, 1}, {720, 224}, {720, 719}, {64, 2}}) {
    const Filter filter = whole(from, to);
    ASSERT_FALSE(filter.shares.empty()) << from << " to " << to;
    const std::vector<Taps> taps = triangle_filter(from, to);
    for (std::int64_t k = 0; k < to; ++k) {
      const std::vector<double> weights = weights_of(filter, filter.shares, k, 1),
                                exact = exact_weights(from, taps[static_cast<std::size_t>(k)]);
      for (std::size_t p = 0; p < exact.size(); ++p)
        ASSERT_NEAR(weights[p], exact[p], 1e-7) << from << " to " << to << " at " << k << ", " << p;
    }
  }
}

TEST(ResizeFilter, EveryAxisThatShrinksHasSharesUnlessItHasTooManyTaps) {
  for (std::int64_t from = 1; from <= 400; from += 1 + from / 10)
    for (std::int64_t to = 1; to <= from; ++to) {
      const Filter filter = whole(from, to);
      ASSERT_EQ(filter.shares.empty(), filter.most_taps > 64) << from << " to " << to;
    }
}

TEST(ResizeFilter, AnAxisThatGrowsByMuchHasNone) {
  for (const auto& [from, to] : {std::pair{4, 8}, {3, 100}, {1, 50}}) {
    const Filter filter = whole(from, to);
    EXPECT_TRUE(filter.shares.empty() && filter.fixed.empty()) << from << " to " << to;
  }
  for (const auto& [from, to] : {std::pair{10, 11}, {100, 101}, {1, 2}})
    EXPECT_FALSE(whole(from, to).shares.empty()) << from << " to " << to;
}

TEST(ResizeFilter, OnlyBytesHaveWholeNumbers) {
  const Filter filter = make_shared_filter(100, 30, {.length = 100}, DType::Float32);
  EXPECT_FALSE(filter.shares.empty());
  EXPECT_TRUE(filter.fixed.empty());
  EXPECT_TRUE(make_filter(100, 30, {.length = 100}).shares.empty());
}

TEST(ResizeFilter, PartsOfAnAxisHaveShares) {
  const Filter filter =
      make_shared_filter(1000, 224, {.begin = 100.5, .length = 749}, DType::UInt8);
  ASSERT_FALSE(filter.shares.empty());
  EXPECT_GT(filter.pixels.front().first, 90);
  EXPECT_LT(filter.pixels.back().past_last(), 860);
}

TEST(ResizeFilter, WholeNumbersSumToOneAndAreExactEnough) {
  int fixed = 0, all = 0;
  for (const std::int64_t from : {16, 97, 375, 500, 720, 1281, 2624})
    for (std::int64_t to = std::max<std::int64_t>(1, from / 20); to <= from; to += 1 + from / 7) {
      const Filter filter = whole(from, to);
      if (filter.shares.empty()) continue;
      ++all;
      if (filter.fixed.empty()) continue;
      ++fixed;
      const std::vector<Taps> taps = triangle_filter(from, to);
      for (std::int64_t k = 0; k < to; ++k) {
        const std::vector<double> weights = weights_of(filter, filter.fixed, k, filter.unit),
                                  exact = exact_weights(from, taps[static_cast<std::size_t>(k)]);
        double sum = 0, above = 0, below = 0;
        for (std::size_t p = 0; p < exact.size(); ++p) {
          sum += weights[p];
          (weights[p] > exact[p] ? above : below) += std::abs(weights[p] - exact[p]);
        }
        ASSERT_NEAR(sum, 1, 1e-6) << from << " to " << to << " at " << k;
        ASSERT_LE(255 * std::max(above, below), largest_fixed_error + 1e-4) << from << " to " << to;
      }
    }
  EXPECT_GT(fixed, all / 2) << "of " << all;
}

}  // namespace
}  // namespace normbench::resize_filter_test
