/// Inflates zlib streams, up to a given number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace normbench {

/// How inflate_up_to() ended. Whole: at the end of the stream, with the right checksum. Short: the
/// input ended before the stream. Long: the stream inflates to more than `most` bytes. Damaged: at
/// an error in the stream.
enum class Deflated { Whole, Short, Long, Damaged };

/// Inflates a zlib stream and passes the inflated bytes to `take` in pieces, at most `most` bytes
/// in all. Throws std::bad_alloc.
Deflated inflate_up_to(std::size_t most, std::span<const std::uint8_t> bytes,
                       const std::function<void(std::span<const std::uint8_t>)>& take);

}  // namespace normbench
