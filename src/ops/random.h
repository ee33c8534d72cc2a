/// Random bytes by position: any part can be made without the parts before it.
#pragma once

#include <cstdint>
#include <span>

namespace normbench {

/// Bytes [first, first + out.size()) of the endless random sequence of `seed`.
void random_bytes(std::uint64_t seed, std::int64_t first, std::span<std::uint8_t> out);

}  // namespace normbench
