#include "ops/images/encode.h"

#include <fmt/format.h>
#include <spng.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {
namespace {

/// State of libjpeg's error callback. The callback jumps back into Encoder::run(), which throws.
struct EncodeErrors : jpeg_error_mgr {
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail_encoding(j_common_ptr codec) {
  auto& errors = *static_cast<EncodeErrors*>(codec->err);
  errors.format_message(codec, errors.text);
  std::longjmp(errors.back, 1);
}

/// A libjpeg compressor, freed at the end of its scope.
class Encoder {
 public:
  Encoder() {
    codec.err = jpeg_std_error(&errors_);
    errors_.error_exit = &fail_encoding;
    run([&] { jpeg_create_compress(&codec); });
  }
  ~Encoder() { jpeg_destroy_compress(&codec); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Runs `step`, which may call libjpeg. `step` must not own anything that needs a destructor,
  /// because libjpeg may jump out of it. Throws std::runtime_error with libjpeg's message if
  /// libjpeg fails.
  template <class Step>
  void run(const Step& step) {
    if (setjmp(errors_.back) != 0) throw std::runtime_error(errors_.text);
    step();
  }

  /// Sets the size of the image in pixels and the quality. Chroma has the full resolution.
  void set(std::int64_t height, std::int64_t width, int quality) {
    run([&] {
      codec.image_height = static_cast<JDIMENSION>(height);
      codec.image_width = static_cast<JDIMENSION>(width);
      codec.input_components = 3;
      codec.in_color_space = JCS_RGB;
      jpeg_set_defaults(&codec);
      jpeg_set_quality(&codec, quality, TRUE);
      for (int c = 0; c < codec.num_components; ++c)
        codec.comp_info[c].h_samp_factor = codec.comp_info[c].v_samp_factor = 1;
    });
  }

  jpeg_compress_struct codec;

 private:
  EncodeErrors errors_;
};

/// The buffer that libjpeg writes to: `memory`, or a buffer that libjpeg allocates if `memory` is
/// too small. The destructor frees libjpeg's buffer.
struct EncodeTarget {
  explicit EncodeTarget(std::vector<std::uint8_t>& memory)
      : given(memory.data()), bytes(memory.data()), size(memory.size()) {}
  ~EncodeTarget() {
    if (is_own()) std::free(bytes);
  }
  EncodeTarget(const EncodeTarget&) = delete;
  EncodeTarget& operator=(const EncodeTarget&) = delete;
  bool is_own() const { return bytes != given; }

  const unsigned char* given;
  unsigned char* bytes;
  unsigned long size;
};

/// Returns a bound on the root mean square error of one colour component. Each coefficient is off
/// by at most half its quantiser. The DCT keeps the root mean square, so that the pixels have the
/// same error as the coefficients. Adds 1 for rounding errors.
double component_error(const JQUANT_TBL& table) {
  double sum = 0;
  for (const UINT16 step : table.quantval) sum += step * step / 4.0;
  return std::sqrt(sum / DCTSIZE2) + 1;
}

void check_encoded(int code) {
  if (code != 0) throw std::runtime_error(fmt::format("PNG: {}", spng_strerror(code)));
}

}  // namespace

std::span<const std::uint8_t> encode_jpeg(std::span<const std::uint8_t> rgb, std::int64_t height,
                                          std::int64_t width, int quality,
                                          std::vector<std::uint8_t>& memory) {
  memory.resize(std::max(memory.size(), rgb.size() / 2 + 4096));
  EncodeTarget target(memory);
  Encoder encoder;
  auto& codec = encoder.codec;
  encoder.run([&] { jpeg_mem_dest(&codec, &target.bytes, &target.size); });
  encoder.set(height, width, quality);
  encoder.run([&] {
    jpeg_start_compress(&codec, TRUE);
    while (codec.next_scanline < codec.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(&rgb[3 * codec.next_scanline * codec.image_width]);
      jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
  });
  if (target.is_own()) memory.assign(target.bytes, target.bytes + target.size);
  return std::span(memory).first(target.size);
}

double jpeg_error_bound(std::int64_t height, std::int64_t width, int quality) {
  Encoder encoder;
  encoder.set(height, width, quality);
  const double luma = component_error(*encoder.codec.quant_tbl_ptrs[0]);
  const double chroma = component_error(*encoder.codec.quant_tbl_ptrs[1]);
  // RGB is computed as R = Y + 1.402 Cr, G = Y - 0.344 Cb - 0.714 Cr, B = Y + 1.772 Cb.
  double sum = 0;
  for (const double weight : {1.402, 0.34414 + 0.71414, 1.772})
    sum += (luma + weight * chroma) * (luma + weight * chroma);
  // The picture may fill only a part of a block at the border, and the whole error of the block may
  // lie in that part. So the bound counts the pixels of whole blocks.
  const auto blocks = [](std::int64_t extent) { return (extent + DCTSIZE - 1) / DCTSIZE; };
  const double padded = static_cast<double>(blocks(height) * blocks(width) * DCTSIZE2);
  return std::sqrt(sum / 3 * padded / static_cast<double>(height * width));
}

std::span<const std::uint8_t> encode_png(std::span<const std::uint8_t> rgb, std::int64_t height,
                                         std::int64_t width, std::vector<std::uint8_t>& memory) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                                    &spng_ctx_free);
  if (!context) throw std::bad_alloc();
  check_encoded(spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1));
  spng_ihdr header{};
  header.height = static_cast<std::uint32_t>(height);
  header.width = static_cast<std::uint32_t>(width);
  header.bit_depth = 8;
  header.color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  check_encoded(spng_set_ihdr(context.get(), &header));
  check_encoded(
      spng_encode_image(context.get(), rgb.data(), rgb.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE));
  std::size_t size = 0;
  int error = 0;
  const std::unique_ptr<void, decltype(&std::free)> file(
      spng_get_png_buffer(context.get(), &size, &error), &std::free);
  check_encoded(error);
  const auto* first = static_cast<const std::uint8_t*>(file.get());
  memory.assign(first, first + size);
  return memory;
}

}  // namespace normbench
