/// Helpers for the tests of decoders.
#pragma once

#include <stdexcept>
#include <string>

#include "core/input_file.h"
#include "image_files.h"
#include "ops/images/image.h"
#include "source_dir.h"

namespace normbench::decoding {

inline Image decoded(const Bytes& file) {
  Image image;
  decode_image(file, image);
  return image;
}

/// Returns the error of decoding a file, or "" if it succeeds.
inline std::string complaint(const Bytes& file) try {
  decoded(file);
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

/// Returns a file of tests/ops/data.
inline Bytes data(const std::string& name) {
  Bytes bytes;
  read_file(source_dir() + "/tests/ops/data/" + name, bytes);
  return bytes;
}

/// Returns the picture in the files of tests/ops/data. Its channels are 4 x, 5 y and 2 (x + y).
inline Bytes ramp(int height, int width) {
  Bytes pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      append(pixels, {static_cast<std::uint8_t>(4 * x), static_cast<std::uint8_t>(5 * y),
                      static_cast<std::uint8_t>(2 * (x + y))});
  return pixels;
}

}  // namespace normbench::decoding
