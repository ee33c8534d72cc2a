/// Image files for tests, made on the spot.
#pragma once

#include <spng.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {

using Bytes = std::vector<std::uint8_t>;

inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// Smooth pixels that differ everywhere, `channels` interleaved bytes each.
inline Bytes gradient(int height, int width, int channels) {
  Bytes pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        pixels.push_back(static_cast<std::uint8_t>(20 + 3 * x + 5 * y + 17 * c));
  return pixels;
}

struct JpegOptions {
  J_COLOR_SPACE pixels = JCS_RGB, stored = JCS_YCbCr;
  int quality = 100;
  bool progressive = false;
  bool adobe = false;
  Bytes app1 = {};  // payload of an APP1 marker; none when empty
};

/// Samples are not subsampled.
inline Bytes jpeg_file(const Bytes& pixels, int height, int width,
                       const JpegOptions& options = {}) {
  jpeg_compress_struct codec;
  jpeg_error_mgr errors;
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &memory, &size);
  codec.image_height = height;
  codec.image_width = width;
  codec.input_components = static_cast<int>(pixels.size()) / (height * width);
  codec.in_color_space = options.pixels;
  jpeg_set_defaults(&codec);
  jpeg_set_colorspace(&codec, options.stored);
  jpeg_set_quality(&codec, options.quality, TRUE);
  codec.write_Adobe_marker = options.adobe ? TRUE : FALSE;
  for (int c = 0; c < codec.num_components; ++c)
    codec.comp_info[c].h_samp_factor = codec.comp_info[c].v_samp_factor = 1;
  if (options.progressive) jpeg_simple_progression(&codec);
  jpeg_start_compress(&codec, TRUE);
  if (!options.app1.empty())
    jpeg_write_marker(&codec, JPEG_APP0 + 1, options.app1.data(), options.app1.size());
  Bytes row(static_cast<std::size_t>(width) * codec.input_components);
  for (int y = 0; y < height; ++y) {
    std::copy_n(pixels.begin() + y * row.size(), row.size(), row.begin());
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&codec, rows, 1);
  }
  jpeg_finish_compress(&codec);
  Bytes file(memory, memory + size);
  jpeg_destroy_compress(&codec);
  std::free(memory);
  return file;
}

struct PngOptions {
  int color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  int depth = 8;
  std::vector<spng_plte_entry> palette = {};
  Bytes palette_alpha = {};
};

/// `samples` are rows as a PNG stores them: packed below 8 bits; 16-bit samples as the host has
/// them.
inline Bytes png_file(const Bytes& samples, int height, int width, const PngOptions& options = {}) {
  const auto check = [](int code) {
    if (code != 0) throw std::runtime_error(spng_strerror(code));
  };
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> owner(spng_ctx_new(SPNG_CTX_ENCODER),
                                                                  &spng_ctx_free);
  spng_ctx* const context = owner.get();
  check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1));
  spng_ihdr header{};
  header.height = height;
  header.width = width;
  header.bit_depth = static_cast<std::uint8_t>(options.depth);
  header.color_type = static_cast<std::uint8_t>(options.color_type);
  check(spng_set_ihdr(context, &header));
  if (!options.palette.empty()) {
    spng_plte palette{};
    palette.n_entries = static_cast<std::uint32_t>(options.palette.size());
    std::copy(options.palette.begin(), options.palette.end(), palette.entries);
    check(spng_set_plte(context, &palette));
  }
  if (!options.palette_alpha.empty()) {
    spng_trns alpha{};
    alpha.n_type3_entries = static_cast<std::uint32_t>(options.palette_alpha.size());
    std::copy(options.palette_alpha.begin(), options.palette_alpha.end(), alpha.type3_alpha);
    check(spng_set_trns(context, &alpha));
  }
  check(spng_encode_image(context, samples.data(), samples.size(), SPNG_FMT_PNG,
                          SPNG_ENCODE_FINALIZE));
  std::size_t size = 0;
  int error = 0;
  void* const memory = spng_get_png_buffer(context, &size, &error);
  check(error);
  const auto* first = static_cast<const std::uint8_t*>(memory);
  Bytes file(first, first + size);
  std::free(memory);
  return file;
}

}  // namespace normbench
