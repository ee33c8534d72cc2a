/// Makes image files for tests.
#pragma once

#include <spng.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// jpeglib.h uses FILE, so <cstdio> must come before it.
#include <jpeglib.h>

namespace normbench {

using Bytes = std::vector<std::uint8_t>;

inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// Returns interleaved pixels with `channels` bytes each. The values grow linearly along x, y and
/// the channels, modulo 256.
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
  Bytes app1 = {};            // payload of an APP1 marker; empty: no marker
  int blocks_to_restart = 0;  // 0: no restart markers
  int across = 1, down = 1;   // sampling factors of the first component; those of others are 1
};

/// Returns a JPEG of `pixels`.
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
  codec.comp_info[0].h_samp_factor = options.across;
  codec.comp_info[0].v_samp_factor = options.down;
  if (options.progressive) jpeg_simple_progression(&codec);
  codec.restart_interval = options.blocks_to_restart;
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

/// Returns a PNG of `samples`. Samples of fewer than 8 bits are packed into bytes, row by row, as
/// in a PNG. Samples of 16 bits are in the host's byte order.
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

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

inline void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

inline void append_big_endian(Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// Returns `bytes` compressed as a zlib stream.
inline Bytes deflated(const Bytes& bytes) {
  Bytes stream(compressBound(bytes.size()));
  uLongf size = stream.size();
  if (compress(stream.data(), &size, bytes.data(), bytes.size()) != Z_OK)
    throw std::runtime_error("cannot be deflated");
  stream.resize(size);
  return stream;
}

/// Returns a PNG chunk with its checksum.
inline Bytes png_chunk(std::string_view type, const Bytes& data) {
  Bytes chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(data.size()));
  append(chunk, bytes_of(type));
  append(chunk, data);
  append_big_endian(chunk, static_cast<std::uint32_t>(crc32_z(0, &chunk[4], chunk.size() - 4)));
  return chunk;
}

/// Returns the byte offset of the first chunk of type `type` in a PNG that png_file made. Throws if
/// the PNG has no such chunk.
inline std::size_t chunk_at(const Bytes& png, std::string_view type) {
  const auto found = std::search(png.begin(), png.end(), type.begin(), type.end());
  if (found == png.end()) throw std::runtime_error("no such chunk");
  return static_cast<std::size_t>(found - png.begin()) - 4;
}

/// Returns the PNG with `chunks` inserted before its first chunk of type `before`.
inline Bytes with_chunks(Bytes png, std::string_view before, const Bytes& chunks) {
  png.insert(png.begin() + static_cast<std::ptrdiff_t>(chunk_at(png, before)), chunks.begin(),
             chunks.end());
  return png;
}

/// Returns an Exif block with two entries, without the identifier "Exif" that precedes it in a
/// file. The second entry is the orientation, stored with TIFF type `type` and count `count`.
inline Bytes exif_block(int orientation, bool little, std::uint32_t type = 3,
                        std::uint32_t count = 1) {
  Bytes bytes;
  const auto put = [&](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (little ? i : size - 1 - i)));
  };
  const int size = type == 4 ? 4 : 2;
  put(little ? 0x4949 : 0x4D4D, 2);
  put(42, 2);
  put(8, 4);
  put(2, 2);
  put(0x010F, 2);
  put(3, 2);
  put(1, 4);
  put(5, 2);
  put(0, 2);
  put(0x0112, 2);
  put(type, 2);
  put(count, 4);
  put(static_cast<std::uint32_t>(orientation), size);
  put(0, 4 - size);
  put(0, 4);
  return bytes;
}

/// Returns the payload of a JPEG's APP1 marker: the identifier "Exif" and an Exif block with the
/// orientation.
inline Bytes exif_segment(int orientation, bool little) {
  Bytes bytes{'E', 'x', 'i', 'f', 0, 0};
  append(bytes, exif_block(orientation, little));
  return bytes;
}

}  // namespace normbench
