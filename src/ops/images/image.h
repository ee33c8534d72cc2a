/// Image files in memory: recognises their kind by their content, and decodes them to 8-bit RGB.
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

/// A note for users about a file that was decoded.
enum class Remark { HighBytes, Repaired };
constexpr auto words(Remark) {
  return std::to_array<Word<Remark>>(
      {{Remark::HighBytes, "high_bytes"}, {Remark::Repaired, "repaired"}});
}

/// Rows of red, green, blue, from top to bottom, without padding. If an image was decoded in a
/// smaller size, the picture may fill the first or last row or column only in part.
struct Image {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
  AxisPart rows = {}, columns = {};  // the parts that the picture fills
  std::vector<Remark> remarks = {};  // each remark once
};

/// Returns the whole image as an nhwc tensor. It does not own the pixels.
View view_of(Image& image);

/// The most pixels of an image. Larger images are refused.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

/// Throws std::runtime_error if there are more than `most_pixels`.
void check_pixels(std::int64_t height, std::int64_t width);

/// Sets the size of `image`, whose memory is reused, and marks all its rows and columns as filled
/// by the picture. Throws std::runtime_error if there are more than `most_pixels`.
void set_size(Image& image, std::int64_t height, std::int64_t width);

/// Reads a whole regular file into `bytes`, whose memory is reused. Throws std::runtime_error with
/// the reason.
void read_file(const std::string& path, std::vector<std::uint8_t>& bytes);

/// The memory that a decoder needs besides its output. It is kept between images, so that the
/// system does not have to map it again, page by page, for each image.
struct DecodeMemory {
  std::vector<std::byte> coefficients = {};  // of all blocks of a progressive JPEG
  std::vector<std::uint8_t> stored = {};     // pixels of a PNG or WebP before they are turned
};

/// The smallest size to which a decoder may reduce an image; 0 if it may not reduce it.
struct LeastSize {
  std::int64_t height = 0, width = 0;
};

/// Decodes a file into memory that is reused. Turns the picture upright as its Exif block or its
/// XMP says.
/// - JPEG: baseline, progressive and arithmetic; lossless if libjpeg-turbo is 3.0 or newer. Gray,
///   YCbCr, RGB, CMYK and YCCK. Inks are read as inverted, with or without an Adobe marker.
/// - PNG: every colour type and depth. 16-bit samples give their high byte (Remark::HighBytes).
/// - WebP: lossy and lossless. An animation gives its first frame.
/// Alpha and tRNS are dropped, as in torchvision's RGB mode and Pillow's convert("RGB").
///
/// These damaged files are decoded, too (Remark::Repaired), because all of their pixels are there:
/// - A JPEG with a wrong restart number or stray bytes.
/// - A PNG with a missing or damaged end, or with wrong checksums of chunks. The checksums of
///   header and palette must be correct. So must be that of the pixels' zlib stream, or those of
///   all chunks with pixels.
///
/// A JPEG is decoded at N eighths of its size, rounded up, from fewer coefficients of each block. N
/// is the smallest number from 1 to 4 that gives no less than `least` in both directions. If there
/// is none, the JPEG is decoded in full size.
///
/// Throws std::runtime_error for other content, and for files with damaged or missing pixels.
void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least = {});
void decode_image(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
