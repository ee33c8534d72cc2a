/// Image files in memory: recognised by their content, and decoded to 8-bit RGB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/tensor.h"
#include "ops/resize.h"

namespace normbench {

/// Something that users are told about a file that was decoded.
enum class Remark { HighBytes, Repaired };
constexpr auto words(Remark) {
  return std::to_array<Word<Remark>>(
      {{Remark::HighBytes, "high_bytes"}, {Remark::Repaired, "repaired"}});
}

/// Rows of red, green, blue, top to bottom, without padding. An image that was decoded at a smaller
/// size may fill its last row or column only in part.
struct Image {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
  AxisPart rows = {}, columns = {};  // the parts that the picture fills
  std::vector<Remark> remarks = {};  // each once
};

/// The whole image as a tensor, nhwc.
View view_of(Image& image);

/// The most pixels of an image; larger ones are refused.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

/// Throws std::runtime_error above `most_pixels`.
void check_pixels(std::int64_t height, std::int64_t width);

/// Sets the size of `image`, which the picture fills, and keeps its memory. Throws
/// std::runtime_error above `most_pixels`.
void set_size(Image& image, std::int64_t height, std::int64_t width);

/// Reads a whole regular file into memory that is reused. Throws std::runtime_error saying why not.
void read_file(const std::string& path, std::vector<std::uint8_t>& bytes);

/// The memory that a decoder works in beside its output. It is kept between images, so that the
/// system need not give it anew, page by page, for each.
struct DecodeMemory {
  std::vector<std::byte> coefficients = {};  // of a whole progressive JPEG
  std::vector<std::uint8_t> stored = {};     // of a PNG or WebP, before they are turned
};

/// The size that a decoded image may be reduced to, but not below; 0: it may not be reduced.
struct LeastSize {
  std::int64_t height = 0, width = 0;
};

/// Decodes a file into memory that is reused, turned upright as its Exif block or its XMP says:
/// - JPEG: baseline, progressive, arithmetic, and lossless where libjpeg-turbo is 3.0 or newer; of
///   gray, YCbCr, RGB, CMYK, YCCK. Inks are stored inverted, with or without an Adobe marker.
/// - PNG: every colour type and depth; 16-bit samples give their high byte (Remark::HighBytes).
/// - WebP: lossy and lossless; of an animation the first frame.
/// Alpha and tRNS are dropped, as torchvision's RGB mode and Pillow's convert("RGB") do.
///
/// What is damaged but has all of its pixels is decoded (Remark::Repaired): a JPEG with a wrong
/// restart number or bytes that belong to nothing; a PNG with wrong checksums, while that of its
/// pixels' zlib stream is right, or without a right end.
///
/// A JPEG that is at least twice as large as `least` both ways is decoded at N eighths of its size,
/// rounded up, with the smallest N that is not below it: by fewer coefficients of each block.
/// Throws std::runtime_error for other content and for files that are damaged or truncated.
void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least = {});
void decode_image(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
