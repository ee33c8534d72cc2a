#include "ops/png.h"

#include <fmt/format.h>
#include <spng.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace normbench {
namespace {

constexpr std::size_t most_chunk_bytes = std::size_t{1} << 26;  // of text and profiles

void check(int code) {
  if (code == 0) return;
  if (code == SPNG_IO_EOF) throw std::runtime_error("premature end of PNG file");
  throw std::runtime_error(fmt::format("damaged PNG: {}", spng_strerror(code)));
}

}  // namespace

void decode_png(std::span<const std::uint8_t> bytes, Image& image) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(0),
                                                                    &spng_ctx_free);
  if (!context) throw std::bad_alloc();
  check(spng_set_chunk_limits(context.get(), most_chunk_bytes, most_chunk_bytes));
  check(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()));
  spng_ihdr header;
  check(spng_get_ihdr(context.get(), &header));
  set_size(image, header.height, header.width);
  check(spng_decode_image(context.get(), image.rgb.data(), image.rgb.size(), SPNG_FMT_RGB8, 0));
  check(spng_decode_chunks(context.get()));  // to the end: a file cut after its pixels is truncated
}

}  // namespace normbench
