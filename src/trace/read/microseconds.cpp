#include "trace/read/microseconds.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace normbench {
namespace {

/// The year 2096 as time since the epoch; nanoseconds of the sum of two such times still fit.
constexpr std::int64_t most_us = 4'000'000'000'000'000;

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Of "12" and "345", rounded by the fourth decimal.
std::optional<std::int64_t> exact_ns(std::string_view whole, std::string_view decimals) {
  std::int64_t ns = 0;
  std::from_chars(whole.data(), whole.data() + whole.size(), ns);
  if (ns > most_us) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) ns = 10 * ns + (i < decimals.size() ? decimals[i] - '0' : 0);
  return ns + (decimals.size() > 3 && decimals[3] >= '5' ? 1 : 0);
}

std::optional<std::int64_t> rounded_ns(std::string_view text) {
  double us = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(us) <= static_cast<double>(most_us))) return std::nullopt;
  return std::llround(us * 1000);
}

}  // namespace

std::optional<std::int64_t> ns_of_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view size = text.substr(negative ? 1 : 0);
  const auto point = std::min(size.find('.'), size.size());
  const std::string_view whole = size.substr(0, point);
  const std::string_view decimals = size.substr(std::min(point + 1, size.size()));
  if (whole.empty() || whole.size() > 16 || !is_digits(whole) || !is_digits(decimals))
    return rounded_ns(text);
  const std::optional<std::int64_t> ns = exact_ns(whole, decimals);
  return negative && ns ? -*ns : ns;
}

std::optional<std::int64_t> ns_of_microseconds(std::int64_t us) {
  if (us > most_us || us < -most_us) return std::nullopt;
  return us * 1000;
}

}  // namespace normbench
