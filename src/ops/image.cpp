#include "ops/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "ops/jpeg.h"
#include "ops/png.h"

namespace normbench {
namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;
constexpr std::array<std::uint8_t, 3> jpeg_mark{0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 8> png_mark{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// True if `bytes` starts with `mark`, or is a beginning of it: then the decoder says truncated.
bool starts_as(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> mark) {
  const std::size_t known = std::min(bytes.size(), mark.size());
  return std::equal(mark.begin(), mark.begin() + known, bytes.begin());
}

}  // namespace

void set_size(Image& image, std::int64_t height, std::int64_t width) {
  if (height > most_pixels / width)
    throw std::runtime_error(
        fmt::format("{}x{} pixels are too many (at most {} in all)", height, width, most_pixels));
  image.height = height;
  image.width = width;
  image.rgb.resize(3 * height * width);
}

void read_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);  // an error for what is no plain file
  if (error) throw std::runtime_error(error.message());
  if (size > most_file_bytes)
    throw std::runtime_error(
        fmt::format("{} bytes are too many (at most {})", size, most_file_bytes));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::generic_category().message(errno));
  bytes.resize(size);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw std::runtime_error("cannot be read to its end");
}

void decode_image(std::span<const std::uint8_t> bytes, Image& image) {
  if (bytes.empty()) throw std::runtime_error("empty file");
  if (starts_as(bytes, jpeg_mark)) return decode_jpeg(bytes, image);
  if (starts_as(bytes, png_mark)) return decode_png(bytes, image);
  std::string start;
  for (const auto byte : bytes.first(std::min<std::size_t>(bytes.size(), 4)))
    start += fmt::format(" {:02x}", byte);
  throw std::runtime_error("not an image this version reads (JPEG and PNG; the file starts with" +
                           start + ")");
}

}  // namespace normbench
