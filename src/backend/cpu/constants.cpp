#include "backend/cpu/constants.h"

#include <algorithm>
#include <stdexcept>

namespace normbench {
namespace {

constexpr std::int64_t kMostAhead = 64;  // floats that kernels load from any channel on

}  // namespace

Constants2 repeat_channels(std::int64_t channels,
                           const std::function<std::pair<double, double>(std::int64_t)>& of) {
  Constants2 table;
  table.a.reserve(static_cast<std::size_t>(channels + kMostAhead));
  table.b.reserve(table.a.capacity());
  for (std::int64_t i = 0; i < channels + kMostAhead; ++i) {
    const auto [a, b] = of(i % channels);
    table.a.push_back(static_cast<float>(a));
    table.b.push_back(static_cast<float>(b));
  }
  return table;
}

void check_divisors(std::span<const double> divisors) {
  if (std::ranges::find(divisors, 0.0) != divisors.end())
    throw std::runtime_error("a standard deviation is 0");
}

}  // namespace normbench
