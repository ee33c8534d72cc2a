/// Inflates zlib streams, up to a given number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace normbench {

/// How inflating a zlib stream ended. Whole: with the right checksum. Short: the input ended too
/// early. Long: there were more than `most` bytes. Damaged: with an error in the stream.
enum class Deflated { Whole, Short, Long, Damaged };

/// Inflates a zlib stream and passes the bytes to `take` piece by piece, at most `most` bytes.
/// Throws std::bad_alloc.
Deflated inflate_up_to(std::size_t most, std::span<const std::uint8_t> bytes,
                       const std::function<void(std::span<const std::uint8_t>)>& take);

}  // namespace normbench
