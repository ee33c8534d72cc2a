/// CRC-32 of bytes and of files, as zlib and Python's zlib.crc32 count it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

/// The checksum of `bytes` behind other bytes, whose checksum is `before`.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

/// The checksum of two texts one behind the other; `bytes` is the length of the second one.
std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::int64_t bytes);

struct Checksum {
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

/// The checksum of a whole file, or nothing where the file cannot be read.
std::optional<Checksum> checksum_of(const std::string& path);

}  // namespace normbench
