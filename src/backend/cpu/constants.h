/// Per-channel constants, laid out for vector loads.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "backend/backend.h"

namespace normbench {

/// The constants a[c] and b[c] of each channel c. Behind the last channel, both arrays have 64 more
/// floats, which repeat the constants from channel 0 on. So a kernel can load 64 floats that start
/// at any channel.
struct Constants2 {
  std::vector<float> a, b;
};

/// Returns the table of `channels` channels. `of(c)` returns the constants a and b of channel c as
/// doubles. The table has them rounded to float32.
template <class Of>
Constants2 repeat_channels(std::int64_t channels, const Of& of) {
  constexpr std::int64_t most_ahead = 64;  // the number of floats behind the last channel
  Constants2 table;
  for (std::int64_t i = 0; i < channels + most_ahead; ++i) {
    const std::pair<double, double> pair = of(i % channels);
    table.a.push_back(static_cast<float>(pair.first));
    table.b.push_back(static_cast<float>(pair.second));
  }
  return table;
}

/// Throws std::runtime_error if a divisor is zero. torchvision makes the same check in every call.
inline void check_divisors(std::span<const double> divisors) {
  if (std::ranges::find(divisors, 0.0) != divisors.end())
    throw std::runtime_error("a standard deviation is 0");
}

/// Returns a launch that calls `body` with the table of constants that `make` returns. With
/// Constants::Cached, `make` is called once, before with_constants() returns. Otherwise every
/// launch calls `make`, and records the call as a range named `constants`.
template <class Table>
Launch with_constants(
    Constants when, std::function<Table()> make,
    std::function<void(Queue&, const View& in, const View& out, const Table&)> body) {
  if (when == Constants::Cached)
    return [table = make(), body](Queue& queue, std::span<const View> in, std::span<const View> out,
                                  View) { body(queue, in[0], out[0], table); };
  return [make, body](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const auto made = [&] {
      const Range range(queue.recorder, RangeKind::Part, constants_range);
      return make();
    };
    body(queue, in[0], out[0], made());
  };
}

}  // namespace normbench
