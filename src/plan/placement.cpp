#include "plan/placement.h"

#include <algorithm>

namespace normbench {

std::size_t gap_limit(std::size_t bytes, std::size_t line) {
  constexpr std::size_t alias = 4096;  // 4K aliasing: cores compare the lower 12 bits first
  return std::min(alias, whole_lines(bytes, line) + line);
}

std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line) {
  std::size_t bytes = 0;
  for (const std::size_t size : sizes)
    bytes += whole_lines(size, line) + gap_limit(size, line) - line;
  return bytes > SIZE_MAX / std::max<std::size_t>(1, sets) ? SIZE_MAX : bytes * sets;
}

}  // namespace normbench
