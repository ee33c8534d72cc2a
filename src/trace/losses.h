/// What of a recording did not reach the trace, and what had to be changed in it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace normbench {

/// All 0: nothing.
struct TraceLosses {
  std::int64_t dropped = 0;         // by the tracer, for want of room
  std::int64_t without_times = 0;   // records whose times could not be had
  std::int64_t launches = 0;        // calls that start device work …
  std::int64_t launched = 0;        // … and those of them whose work is there
  std::int64_t without_launch = 0;  // device work whose call is not there
  std::int64_t before_launch = 0;   // device work that seems to start before its call …
  std::int64_t most_skew_ns = 0;    // … by this at most; shown at the call's start
  std::int64_t clipped = 0;         // slices that stuck out of their parent
  std::int64_t cut_off = 0;         // slices beyond the most that were asked for

  bool operator==(const TraceLosses&) const = default;
};

/// A loss under its name in the file's `normbench` key. Those that are marked have an instant in
/// the trace, whose args name them, when they are not 0; launches have one when some lack work.
struct LossField {
  std::string_view name;
  std::int64_t TraceLosses::*value;
  bool marked;
};
constexpr auto loss_fields() {
  return std::to_array<LossField>({{"dropped", &TraceLosses::dropped, true},
                                   {"without_times", &TraceLosses::without_times, true},
                                   {"launches", &TraceLosses::launches, false},
                                   {"launched", &TraceLosses::launched, false},
                                   {"without_launch", &TraceLosses::without_launch, true},
                                   {"before_launch", &TraceLosses::before_launch, true},
                                   {"most_skew_ns", &TraceLosses::most_skew_ns, false},
                                   {"clipped", &TraceLosses::clipped, true},
                                   {"cut_off", &TraceLosses::cut_off, true}});
}

}  // namespace normbench
