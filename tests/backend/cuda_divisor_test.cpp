#include <gtest/gtest.h>

#include <random>

#include "backend/cuda/divisor.h"

namespace normbench::cuda::cuda_divisor_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Divisor divides by multiplying with a rounded reciprocal. Returns the dividends at which an
/// error of the reciprocal would first give a wrong quotient: large multiples of the divisor, and
/// the values just below them.
std::vector<std::int64_t> edges(std::int64_t divisor) {
  std::vector<std::int64_t> all{0, 1, kMost, kMost - 1};
  for (const std::int64_t limit :
       {divisor, std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 62, kMost}) {
    const std::int64_t multiple = limit / divisor * divisor;
    for (const std::int64_t x : {multiple - 1, multiple, limit - 1, limit})
      if (x >= 0) all.push_back(x);
  }
  return all;
}

void expect_exact(const Divisor& d, std::int64_t x) {
  const auto [quotient, remainder] = d.split(x);
  ASSERT_EQ(quotient, x / d.divisor) << x << " / " << d.divisor;
  ASSERT_EQ(remainder, x % d.divisor) << x << " / " << d.divisor;
}

void expect_exact_everywhere(std::int64_t divisor, std::mt19937_64& random) {
  const Divisor d = Divisor::of(divisor);
  for (const std::int64_t x : edges(divisor)) expect_exact(d, x);
  for (int bits = 1; bits < 64; ++bits)
    expect_exact(d, static_cast<std::int64_t>(random() >> (64 - bits)));
}

TEST(Divisor, IsExactForSmallDivisors) {
  std::mt19937_64 random(1);
  for (std::int64_t divisor = 1; divisor <= 5000; ++divisor) {
    expect_exact_everywhere(divisor, random);
    if (HasFatalFailure()) return;
  }
}

TEST(Divisor, IsExactForDivisorsOfEverySize) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> divisors{kMost, kMost - 1};
  for (int bits = 1; bits < 63; ++bits) {
    const std::int64_t power = std::int64_t{1} << bits;
    divisors.insert(divisors.end(), {power - 1, power, power + 1});
    for (int i = 0; i < 20; ++i)
      divisors.push_back(power + static_cast<std::int64_t>(random() >> (64 - bits)));
  }
  for (const std::int64_t divisor : divisors) {
    expect_exact_everywhere(divisor, random);
    if (HasFatalFailure()) return;
  }
}

TEST(Divisor, IsOneByDefault) {
  EXPECT_EQ(Divisor{}.split(kMost).quotient, kMost);
  EXPECT_EQ(Divisor{}.split(41).quotient, 41);
  EXPECT_EQ(Divisor{}.split(41).remainder, 0);
}

}  // namespace
}  // namespace normbench::cuda::cuda_divisor_test
