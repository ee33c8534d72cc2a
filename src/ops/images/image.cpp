#include "ops/images/image.h"

#include <fmt/format.h>
#include <spng.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/input_file.h"
#include "ops/images/jpeg.h"

namespace normbench {
namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{1} << 30;
constexpr std::array<std::uint8_t, 3> jpeg_mark{0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 8> png_mark{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// True if `bytes` starts with `mark`, or is a beginning of it: then the decoder says truncated.
bool starts_as(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> mark) {
  const std::size_t known = std::min(bytes.size(), mark.size());
  return std::equal(mark.begin(), mark.begin() + known, bytes.begin());
}

constexpr std::size_t most_chunk_bytes = std::size_t{1} << 26;  // of text and profiles

void check_png(int code) {
  if (code == 0) return;
  if (code == SPNG_IO_EOF) throw std::runtime_error("premature end of PNG file");
  throw std::runtime_error(fmt::format("damaged PNG: {}", spng_strerror(code)));
}

/// Throws std::runtime_error for a damaged or truncated one.
void decode_png(std::span<const std::uint8_t> bytes, Image& image) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(0),
                                                                    &spng_ctx_free);
  if (!context) throw std::bad_alloc();
  check_png(spng_set_chunk_limits(context.get(), most_chunk_bytes, most_chunk_bytes));
  check_png(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()));
  spng_ihdr header;
  check_png(spng_get_ihdr(context.get(), &header));
  set_size(image, header.height, header.width);
  check_png(spng_decode_image(context.get(), image.rgb.data(), image.rgb.size(), SPNG_FMT_RGB8, 0));
  check_png(spng_decode_chunks(context.get()));  // a file cut after its pixels is truncated
}

}  // namespace

View view_of(Image& image) {
  return {reinterpret_cast<std::byte*>(image.rgb.data()),
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
  image.rgb.resize(3 * height * width);
}

void read_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  const InputFile file(path);
  if (file.bytes() > most_file_bytes)
    throw std::runtime_error(
        fmt::format("{} bytes are too many (at most {})", file.bytes(), most_file_bytes));
  bytes.resize(static_cast<std::size_t>(file.bytes()));
  file.read(0, std::as_writable_bytes(std::span(bytes)));
}

void decode_image(std::span<const std::uint8_t> bytes, Image& image) {
  DecodeMemory memory;
  decode_image(bytes, image, memory);
}

void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least) {
  if (bytes.empty()) throw std::runtime_error("empty file");
  if (starts_as(bytes, jpeg_mark)) return decode_jpeg(bytes, image, memory, least);
  if (starts_as(bytes, png_mark)) return decode_png(bytes, image);
  std::string start;
  for (const auto byte : bytes.first(std::min<std::size_t>(bytes.size(), 4)))
    start += fmt::format(" {:02x}", byte);
  throw std::runtime_error("not an image this version reads (JPEG and PNG; the file starts with" +
                           start + ")");
}

}  // namespace normbench
