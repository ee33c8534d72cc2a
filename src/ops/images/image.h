/// Decodes image files in memory to 8-bit RGB. The content of a file decides which decoder is used.
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

/// A note for users about a file that was decoded. HighBytes: of each 16-bit sample, only the high
/// byte was used. Repaired: the file is damaged, but all of its pixels were decoded. Converted: the
/// file does not hold its pixels in the YCbCr format that the loader gives, so they are converted.
enum class Remark { HighBytes, Repaired, Converted };
constexpr auto words(Remark) {
  return std::to_array<Word<Remark>>({{Remark::HighBytes, "high_bytes"},
                                      {Remark::Repaired, "repaired"},
                                      {Remark::Converted, "converted"}});
}

/// Memory that a caller provides for the pixels of an image. A decoder uses it only if the image
/// has this height and width.
struct ImageTarget {
  std::int64_t height = 0, width = 0;
  std::uint8_t* pixels = nullptr;
};

/// An image as rows of red, green, blue, from top to bottom, without padding. If a JPEG was decoded
/// at a smaller size, the picture may fill only a part of the image's first or last row or column.
struct Image {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;     // the pixels, unless they are in `target`
  AxisPart rows = {}, columns = {};  // the part of each axis that the picture fills
  std::vector<Remark> remarks = {};  // each remark once
  ImageTarget target = {};

  bool is_in_target() const {
    return target.pixels != nullptr && height == target.height && width == target.width;
  }
  std::span<std::uint8_t> pixels() {
    if (!is_in_target()) return rgb;
    return {target.pixels, static_cast<std::size_t>(3 * height * width)};
  }
};

/// Returns the whole image as an nhwc tensor. The view does not own the pixels.
View view_of(Image& image);

/// The largest number of pixels of an image. Larger images are refused.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

/// Throws std::runtime_error if the image has more than `most_pixels`.
void check_pixels(std::int64_t height, std::int64_t width);

/// Sets the size of `image`, whose memory is reused, and marks all its rows and columns as filled
/// by the picture. Throws std::runtime_error if the image would have more than `most_pixels`.
void set_size(Image& image, std::int64_t height, std::int64_t width);

/// Reads a whole regular file into `bytes`, whose memory is reused. Throws std::runtime_error with
/// the reason.
void read_file(const std::string& path, std::vector<std::uint8_t>& bytes);

/// The memory that a decoder needs besides its output. Callers reuse it for the next image, because
/// new memory would cost page faults for each image.
struct DecodeMemory {
  std::vector<std::byte> coefficients = {};  // of all blocks of a progressive JPEG
  std::vector<std::uint8_t> stored = {};  // pixels of a PNG or WebP before they are turned upright
};

/// The smallest height and width, in pixels, to which a decoder may reduce an image. If one of them
/// is 0, the decoder does not reduce the image.
struct LeastSize {
  std::int64_t height = 0, width = 0;
};

/// Decodes an image file into `image`. The pixels go to `image.target` if its height and width turn
/// out to be those of the image, and else to `image.rgb`. The memory of `image` and `memory` is
/// reused. Turns the picture upright, as its Exif block or its XMP text says.
/// - JPEG: baseline, progressive and arithmetic; lossless if libjpeg-turbo is 3.0 or newer. Gray,
///   YCbCr, RGB, CMYK and YCCK. The values of CMYK and YCCK are read as inverted (255 means no
///   ink), with or without an Adobe marker.
/// - PNG: every colour type and depth. 16-bit samples give their high byte (Remark::HighBytes).
/// - WebP: lossy and lossless. An animation gives its first frame.
/// Alpha and tRNS are dropped, as in torchvision's RGB mode and Pillow's convert("RGB").
///
/// These damaged files are decoded, too (Remark::Repaired), because they contain all of their
/// pixels:
/// - A JPEG with a restart marker that has a wrong number, or with stray bytes.
/// - A PNG with a missing or damaged end, or with wrong checksums of chunks. The checksums of the
///   header and the palette must be correct. In addition, either the checksum of the pixels' zlib
///   stream or the checksums of all chunks with pixels must be correct.
///
/// If both sides of `least` are above 0, a JPEG is decoded at N eighths of its size, rounded up,
/// from fewer coefficients of each block. N is the smallest number from 1 to 4 for which the result
/// has at least the height and width of `least`. If there is no such N, the JPEG is decoded at full
/// size.
///
/// Throws std::runtime_error for other content, and for files with damaged or missing pixels.
void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least = {});
void decode_image(std::span<const std::uint8_t> bytes, Image& image);

/// Returns true if `bytes` begins like a JPEG file.
bool is_jpeg(std::span<const std::uint8_t> bytes);

}  // namespace normbench
