/// Makes WebP files for tests.
#pragma once

#include <webp/encode.h>

#include <memory>

#include "image_files.h"

namespace normbench {

struct WebPOptions {
  bool lossless = true;
  float quality = 80;  // quality of a lossy file
};

/// Returns a WebP of `pixels`, which have 3 bytes (RGB) or 4 bytes (RGBA) each. A lossless file
/// keeps the colours of transparent pixels.
inline Bytes webp_file(const Bytes& pixels, int height, int width,
                       const WebPOptions& options = {}) {
  WebPConfig config;
  WebPPicture picture;
  if (WebPConfigInit(&config) == 0 || WebPPictureInit(&picture) == 0)
    throw std::runtime_error("another libwebp at run time");
  config.lossless = options.lossless ? 1 : 0;
  config.quality = options.quality;
  config.exact = 1;
  picture.use_argb = config.lossless;
  picture.height = height;
  picture.width = width;
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  const int channels = static_cast<int>(pixels.size()) / (height * width);
  const auto import = channels == 4 ? WebPPictureImportRGBA : WebPPictureImportRGB;
  const bool made =
      import(&picture, pixels.data(), channels * width) != 0 && WebPEncode(&config, &picture) != 0;
  const Bytes file(writer.mem, writer.mem + writer.size);
  WebPPictureFree(&picture);
  WebPMemoryWriterClear(&writer);
  if (!made) throw std::runtime_error("WebP: not encoded");
  return file;
}

inline void append_little_endian(Bytes& bytes, std::uint32_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}

inline Bytes webp_chunk(std::string_view name, const Bytes& data) {
  Bytes chunk = bytes_of(name);
  append_little_endian(chunk, static_cast<std::uint32_t>(data.size()), 4);
  append(chunk, data);
  if (data.size() % 2 != 0) chunk.push_back(0);
  return chunk;
}

/// Returns a file of webp_file() without its RIFF header.
inline Bytes webp_payload(const Bytes& file) { return {file.begin() + 12, file.end()}; }

enum WebPFlag : std::uint8_t { WebPAnimated = 2, WebPXmp = 4, WebPExif = 8 };

/// Returns an extended WebP file with these flags and chunks, and with a canvas of this size.
inline Bytes extended_webp(int flags, int height, int width, const Bytes& chunks) {
  Bytes header;
  append_little_endian(header, static_cast<std::uint32_t>(flags), 4);
  append_little_endian(header, static_cast<std::uint32_t>(width - 1), 3);
  append_little_endian(header, static_cast<std::uint32_t>(height - 1), 3);
  Bytes content = bytes_of("WEBP");
  append(content, webp_chunk("VP8X", header));
  append(content, chunks);
  return webp_chunk("RIFF", content);
}

inline Bytes webp_with_exif(const Bytes& file, int height, int width, const Bytes& exif) {
  Bytes chunks = webp_payload(file);
  append(chunks, webp_chunk("EXIF", exif));
  return extended_webp(WebPExif, height, width, chunks);
}

/// Returns a frame that shows `file` for 100 ms. `x` and `y`, its position on the canvas, must be
/// even. The frame replaces the pixels of the canvas without blending.
inline Bytes webp_frame(const Bytes& file, int y, int x, int height, int width) {
  Bytes data;
  for (const int number : {x / 2, y / 2, width - 1, height - 1, 100})
    append_little_endian(data, static_cast<std::uint32_t>(number), 3);
  data.push_back(2);  // no blending
  append(data, webp_payload(file));
  return webp_chunk("ANMF", data);
}

/// Returns an animated WebP with these frames of webp_frame().
inline Bytes animated_webp(int height, int width, const Bytes& frames) {
  Bytes chunks = webp_chunk("ANIM", {0x11, 0x22, 0x33, 0xFF, 0, 0});
  append(chunks, frames);
  return extended_webp(WebPAnimated, height, width, chunks);
}

}  // namespace normbench
