#include "backend/cpu/resize_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace normbench::resize_filter_test {
namespace {

constexpr DType kBytes = DType::UInt8;

Filter whole(std::int64_t from, std::int64_t to) {
  return make_filter(from, to, {.length = static_cast<double>(from)}, kBytes);
}

std::vector<double> exact_weights(std::int64_t from, const Taps& taps) {
  std::vector<double> weights(static_cast<std::size_t>(from));
  std::ranges::copy(taps.weights, weights.begin() + taps.first);
  return weights;
}

/// Returns the weights of all `from` input pixels in output pixel `k`, from the filter's shares.
std::vector<double> weights_of_shares(const Filter& filter, std::int64_t from, std::int64_t k) {
  std::vector<double> weights(static_cast<std::size_t>(from));
  for (auto p = static_cast<std::size_t>(filter.first_of(k)); p < weights.size(); ++p)
    if (static_cast<std::int64_t>(p) < filter.first_of(k + 1))
      weights[p] = filter.shares.after[p];
    else if (static_cast<std::int64_t>(p) < filter.first_of(k + 2))
      weights[p] = filter.shares.before[p];
  return weights;
}

/// Returns the same from the filter's whole numbers.
std::vector<double> weights_of_pairs(const Filter& filter, std::int64_t from, std::int64_t k) {
  const WholeWeights::Pixel& pixel = filter.whole.pixels[static_cast<std::size_t>(k)];
  std::vector<double> weights(static_cast<std::size_t>(from));
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 2 * filter.whole.pairs; ++i) {
    const std::int16_t weight = filter.whole.weights[static_cast<std::size_t>(pixel.begin + i)];
    const std::int64_t p = 2 * pixel.first_pair + i;
    EXPECT_TRUE(weight == 0 || (p >= 0 && p < from)) << p;
    if (p < from) weights[static_cast<std::size_t>(p)] = weight / static_cast<double>(pixel.sum);
    sum += weight;
  }
  EXPECT_EQ(sum, pixel.sum);
  EXPECT_FLOAT_EQ(pixel.unit, 1 / static_cast<float>(sum));
  return weights;
}

/// Returns the same from the filter's runs.
std::vector<double> weights_of_runs(const Filter& filter, std::int64_t from, std::int64_t k) {
  std::vector<double> weights(static_cast<std::size_t>(from));
  const auto sum = static_cast<double>(filter.whole.pixels[static_cast<std::size_t>(k)].sum);
  for (const std::int64_t of : {k, k + 1}) {
    std::int64_t p = filter.first_of(of);
    for (const EvenRun& run : filter.whole.runs_of(of)) {
      const EvenRun::Weights in_run = of == k ? run.after : run.before;
      EXPECT_LE(run.pixels, most_pixels_of_a_run);
      for (std::int64_t number = run.pixels; number > 0; --number, ++p)
        weights[static_cast<std::size_t>(p)] =
            static_cast<double>(in_run.constant + number * in_run.factor) / sum;
    }
    EXPECT_EQ(p, filter.first_of(of + 1));
  }
  return weights;
}

void expect_near(const std::vector<double>& weights, const std::vector<double>& exact, double error,
                 const std::string& where) {
  for (std::size_t p = 0; p < exact.size(); ++p)
    ASSERT_NEAR(weights[p], exact[p], error) << where << ", input pixel " << p;
}

std::string name_of(std::int64_t from, std::int64_t to, std::int64_t k) {
  return std::to_string(from) + " to " + std::to_string(to) + ", output pixel " + std::to_string(k);
}

TEST(ResizeFilter, SharesAreItsWeights) {
  for (const auto& [from, to] :
       {std::pair{7, 7}, {8, 4}, {9, 1}, {720, 224}, {720, 719}, {64, 2}}) {
    const Filter filter = whole(from, to);
    ASSERT_FALSE(filter.shares.empty()) << from << " to " << to;
    const std::vector<Taps> taps = triangle_filter(from, to);
    for (std::int64_t k = 0; k < to; ++k)
      expect_near(weights_of_shares(filter, from, k),
                  exact_weights(from, taps[static_cast<std::size_t>(k)]), 1e-7,
                  name_of(from, to, k));
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
    EXPECT_TRUE(filter.shares.empty() && filter.whole.runs.empty()) << from << " to " << to;
    EXPECT_FALSE(filter.whole.empty()) << from << " to " << to;
  }
  for (const auto& [from, to] : {std::pair{10, 11}, {100, 101}, {1, 2}})
    EXPECT_FALSE(whole(from, to).shares.empty()) << from << " to " << to;
}

TEST(ResizeFilter, OnlyBytesHaveWholeNumbers) {
  const Filter filter = make_filter(100, 30, {.length = 100}, DType::Float32);
  EXPECT_FALSE(filter.shares.empty());
  EXPECT_TRUE(filter.whole.empty());
}

TEST(ResizeFilter, WholeNumbersAreItsWeightsWithoutAnError) {
  for (const std::int64_t from : {1, 2, 16, 97, 375, 500, 720, 1281, 2624, 3001})
    for (std::int64_t to = 1 + from / 60; to <= 2 * from; to += 1 + from / 5) {
      const Filter filter = whole(from, to);
      ASSERT_FALSE(filter.whole.empty()) << from << " to " << to;
      const std::vector<Taps> taps = triangle_filter(from, to);
      for (std::int64_t k = 0; k < to; k += 1 + to / 50) {
        const std::vector<double> exact = exact_weights(from, taps[static_cast<std::size_t>(k)]);
        expect_near(weights_of_pairs(filter, from, k), exact, 1e-12, name_of(from, to, k));
        if (!filter.shares.empty())
          expect_near(weights_of_runs(filter, from, k), exact, 1e-12, name_of(from, to, k));
      }
    }
}

TEST(ResizeFilter, PartsOfAnAxisHaveWholeNumbers) {
  for (const AxisPart& part :
       {AxisPart{.begin = 100.5, .length = 749}, AxisPart{.begin = 0.125, .length = 999.875},
        AxisPart{.begin = 1000 * 4.0 / 232, .length = 1000 * 224.0 / 232}}) {
    const Filter filter = make_filter(1000, 224, part, kBytes);
    ASSERT_FALSE(filter.whole.runs.empty()) << part.begin;
    const std::vector<Taps> taps = triangle_filter(1000, 224, part);
    for (std::int64_t k = 0; k < 224; ++k) {
      const std::vector<double> exact = exact_weights(1000, taps[static_cast<std::size_t>(k)]);
      expect_near(weights_of_pairs(filter, 1000, k), exact, 1e-9, name_of(1000, 224, k));
      expect_near(weights_of_runs(filter, 1000, k), exact, 1e-9, name_of(1000, 224, k));
    }
  }
}

TEST(ResizeFilter, WeightsAndSumsThatDoNotFitAreNoWholeNumbers) {
  EXPECT_TRUE(whole(16'411, 4'001).whole.empty());  // two primes
  EXPECT_TRUE(whole(2624, 1).whole.empty());        // sums of bytes need more than 32 bits
  EXPECT_FALSE(whole(16'000, 4'000).whole.empty());
  EXPECT_TRUE(make_filter(1000, 224, {.begin = std::sqrt(2), .length = 900}, kBytes).whole.empty());
  EXPECT_TRUE(make_filter(1000, 224, {.length = std::sqrt(8e5)}, kBytes).whole.empty());
}

TEST(ResizeFilter, SumsOfWordsFitIntoThirtyTwoBits) {
  for (const auto& [from, to] : {std::pair{720, 224}, {4001, 97}, {8191, 2731}, {1, 1}, {3, 2}}) {
    const WholeWeights& weights = whole(from, to).whole;
    const double largest = std::ranges::max(weights.weights);
    EXPECT_GE(weights.pairs_per_sum, 1);
    EXPECT_LT(2 * static_cast<double>(weights.pairs_per_sum) * largest * 0x1p15, 0x1p31)
        << from << " to " << to;
  }
}

TEST(ResizeFilter, NarrowedSumsAreExactEnough) {
  double worst = 0;
  for (std::int64_t sum = 1; sum < 8'000'000; sum += 1 + sum / 7) {
    const Narrowing narrowing = narrowing_of(sum);
    const auto narrowed = [&](std::int64_t bytes) {
      EXPECT_LE(bytes + narrowing.bias(), std::numeric_limits<std::int32_t>::max());
      return (bytes + narrowing.bias()) >> narrowing.shift;
    };
    EXPECT_EQ(narrowed(0), -32768) << sum;
    EXPECT_LE(narrowed(255 * sum), 32767) << sum;
    for (std::int64_t bytes = 0; bytes <= 255 * sum; bytes += 1 + 255 * sum / 1009) {
      const double mean = static_cast<double>(bytes) / static_cast<double>(sum);
      const double found = static_cast<double>(narrowed(bytes)) * narrowing.unit;
      worst = std::max(worst, std::abs(found + narrowing.middle() - mean));
    }
  }
  EXPECT_LT(worst, 0.0039);
  EXPECT_GT(worst, 0.0030);
}

}  // namespace
}  // namespace normbench::resize_filter_test
