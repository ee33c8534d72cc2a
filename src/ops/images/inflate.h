/// zlib streams, inflated only as far as is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace normbench {

/// How a zlib stream ended: with its right checksum; before its end; with more to come than was
/// wanted; or with a fault.
enum class Deflated { Whole, Short, Long, Damaged };

/// Gives the inflated bytes of a zlib stream to `take`, piece by piece, at most `most` of them.
/// Throws std::bad_alloc.
Deflated inflate_up_to(std::size_t most, std::span<const std::uint8_t> bytes,
                       const std::function<void(std::span<const std::uint8_t>)>& take);

}  // namespace normbench
