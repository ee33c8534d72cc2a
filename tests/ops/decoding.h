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

/// Decodes a file. Returns the error, or "" if there is none.
inline std::string complaint(const Bytes& file) try {
  decoded(file);
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

/// Returns the bytes of file `name` in tests/ops/data.
inline Bytes data(const std::string& name) {
  Bytes bytes;
  read_file(source_dir() + "/tests/ops/data/" + name, bytes);
  return bytes;
}

/// Returns the RGB pixels of the picture in the files of tests/ops/data. A pixel in row y and
/// column x is (4 x, 5 y, 2 (x + y)).
inline Bytes ramp(int height, int width) {
  Bytes pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      append(pixels, {static_cast<std::uint8_t>(4 * x), static_cast<std::uint8_t>(5 * y),
                      static_cast<std::uint8_t>(2 * (x + y))});
  return pixels;
}

}  // namespace normbench::decoding
