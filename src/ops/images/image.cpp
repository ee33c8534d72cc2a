#include "ops/images/image.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "core/input_file.h"
#include "ops/images/jpeg.h"
#include "ops/images/png.h"
#include "ops/images/recognise.h"
#include "ops/images/webp.h"

namespace normbench {
namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{1} << 30;
constexpr std::string_view jpeg_mark = "\xFF\xD8\xFF", riff_mark = "RIFF", webp_mark = "WEBP";
constexpr std::size_t webp_mark_at = 8;

/// Returns true for a PNG file that Xcode made for iOS. Its pixels have no zlib header and are
/// stored as blue, green, red, so it is not a valid PNG.
bool is_apples_png(std::string_view bytes) {
  constexpr std::size_t first_type_at = 12;
  return bytes.size() > first_type_at && bytes.substr(first_type_at).starts_with("CgBI");
}

/// Returns true if `bytes` starts with `mark`, or if `bytes` is shorter than `mark` and equals its
/// start. In the second case the decoder reports a truncated file.
bool starts_as(std::string_view bytes, std::string_view mark) {
  return bytes.starts_with(mark.substr(0, bytes.size()));
}

bool starts_as_webp(std::string_view bytes) {
  return bytes.starts_with(riff_mark) &&
         (bytes.size() <= webp_mark_at || starts_as(bytes.substr(webp_mark_at), webp_mark));
}

}  // namespace

View view_of(Image& image) {
  return {reinterpret_cast<std::byte*>(image.pixels().data()),
          dense(DType::UInt8, Layout::Nhwc, {1, 3, image.height, image.width}, Memory::Pageable)};
}

void check_pixels(std::int64_t height, std::int64_t width) {
  if (height > most_pixels / width)
    throw std::runtime_error(
        fmt::format("{}x{} pixels are too many (at most {} in all)", height, width, most_pixels));
}

void set_size(Image& image, std::int64_t height, std::int64_t width) {
  check_pixels(height, width);
  image.height = height;
  image.width = width;
  image.rows = {.length = static_cast<double>(height)};
  image.columns = {.length = static_cast<double>(width)};
  if (!image.is_in_target()) image.rgb.resize(3 * height * width);
}

void read_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  const InputFile file(path);
  if (file.bytes() > most_file_bytes)
    throw std::runtime_error(
        fmt::format("{} bytes are too many (at most {})", file.bytes(), most_file_bytes));
  bytes.resize(static_cast<std::size_t>(file.bytes()));
  file.read(0, std::as_writable_bytes(std::span(bytes)));
}

bool is_jpeg(std::span<const std::uint8_t> bytes) {
  return starts_as({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, jpeg_mark);
}

void decode_image(std::span<const std::uint8_t> bytes, Image& image) {
  DecodeMemory memory;
  decode_image(bytes, image, memory);
}

void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least) {
  image.remarks.clear();
  if (bytes.empty()) throw std::runtime_error("empty file");
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_jpeg(bytes)) return decode_jpeg(bytes, image, memory, least);
  if (starts_as(start, png_mark) && !is_apples_png(start)) return decode_png(bytes, image, memory);
  if (starts_as_webp(start)) return decode_webp(bytes, image, memory);
  throw std::runtime_error(why_not_read(bytes));
}

}  // namespace normbench
