/// zlib streams, of which no more is inflated than is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace normbench {

/// How a zlib stream ended: with the right checksum of its own; before its end; with more to come
/// than was wanted; or with a fault.
enum class Deflated { Whole, Short, Long, Damaged };

/// Hands on what comes out of a zlib stream, piece by piece, and at most `most` bytes of it. Throws
/// std::bad_alloc.
Deflated inflate_up_to(std::size_t most, std::span<const std::uint8_t> bytes,
                       const std::function<void(std::span<const std::uint8_t>)>& take);

}  // namespace normbench
