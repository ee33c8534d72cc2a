/// CRC-32 of bytes and of files, as computed by zlib and by Python's zlib.crc32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

/// Returns the checksum of a text of which `bytes` is the end. `before` is the checksum of all that
/// comes before `bytes`; 0 if nothing does.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

/// Returns the checksum of a text that consists of two parts. `first` and `second` are the
/// checksums of the parts, and `bytes` is the length of the second part.
std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::int64_t bytes);

struct Checksum {
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

/// Returns the checksum of a whole file; std::nullopt if the file cannot be read.
std::optional<Checksum> checksum_of(const std::string& path);

}  // namespace normbench
