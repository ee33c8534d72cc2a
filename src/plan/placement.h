/// How many bytes buffers take when each turn places them anew.
#pragma once

#include <cstddef>
#include <span>

#include "core/enums.h"

namespace normbench {

/// The alignment of buffers: a host's cache line, or what a device's allocators give.
constexpr std::size_t alignment_of(Memory memory) { return host_reaches(memory) ? 64 : 512; }

/// `bytes` rounded up to whole lines.
constexpr std::size_t whole_lines(std::size_t bytes, std::size_t line = 64) {
  return (bytes + line - 1) / line * line;
}

/// The gap before a buffer is below this: 4 KiB; less for tiny ones, which would be mostly gaps.
std::size_t gap_limit(std::size_t bytes, std::size_t line);

/// Bytes for any random placement of `sets` sets of buffers of these sizes; SIZE_MAX if too many.
std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line = 64);

}  // namespace normbench
