#include "dataset/checksum.h"

#include <zlib.h>

#include <fstream>
#include <vector>

namespace normbench {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::int64_t bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, bytes));
}

std::optional<Checksum> checksum_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  Checksum sum;
  std::vector<char> part(1 << 20);
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    const std::string_view got(part.data(), static_cast<std::size_t>(file.gcount()));
    sum.crc32 = crc32_of(got, sum.crc32);
    sum.bytes += file.gcount();
  }
  return file.bad() ? std::nullopt : std::optional(sum);
}

}  // namespace normbench
