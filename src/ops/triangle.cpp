#include "ops/triangle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace normbench {

std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1.0, scale);
  std::vector<Taps> filter(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(centre - reach + 0.5)));
    const auto last =
        std::min<std::int64_t>(from, static_cast<std::int64_t>(std::floor(centre + reach + 0.5)));
    Taps& taps = filter[static_cast<std::size_t>(i)];
    taps.first = first;
    for (std::int64_t p = first; p < last; ++p) {
      const double distance = std::abs(static_cast<double>(p) + 0.5 - centre) / reach;
      taps.weights.push_back(std::max(0.0, 1 - distance));
    }
    const double sum = std::accumulate(taps.weights.begin(), taps.weights.end(), 0.0);
    for (double& weight : taps.weights) weight /= sum;
  }
  return filter;
}

}  // namespace normbench
