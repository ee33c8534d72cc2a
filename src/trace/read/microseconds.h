/// Times of trace files, which are microseconds, as nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace normbench {

/// Of a decimal number as text, exact when it has at most three decimals and no exponent, else
/// rounded to the nearest; nothing for what is no such number or too large.
std::optional<std::int64_t> ns_of_microseconds(std::string_view text);
std::optional<std::int64_t> ns_of_microseconds(std::int64_t us);

}  // namespace normbench
