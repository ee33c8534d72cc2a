#include "ops/exif.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace normbench {
namespace {

constexpr std::string_view exif_mark{"Exif\0\0", 6};
constexpr std::uint32_t orientation_tag = 0x0112, short_type = 3;

/// Numbers of a TIFF structure in its byte order; 0 beyond its end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}

  std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[little_ ? at + size - 1 - i : at + i];
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_;
};

}  // namespace

int exif_orientation(std::span<const std::uint8_t> app1) {
  if (app1.size() < exif_mark.size() ||
      !std::equal(exif_mark.begin(), exif_mark.end(), app1.begin()))
    return 1;
  const auto bytes = app1.subspan(exif_mark.size());
  const Tiff tiff(bytes);
  if (tiff.number(2, 2) != 42) return 1;
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (tiff.number(entry, 2) != orientation_tag || tiff.number(entry + 2, 2) != short_type)
      continue;
    const int value = static_cast<int>(tiff.number(entry + 8, 2));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

Upright upright(int orientation, std::int64_t height, std::int64_t width) {
  // 1 as stored, 2 mirrored left to right, 3 turned by 180 degrees, 4 mirrored top to bottom; from
  // 5 on a stored row lands in an output column: 5 as is, 6 from the right, 7 both reversed, 8
  // upwards.
  const bool exchanged = orientation >= 5;
  const bool y_reversed =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool x_reversed =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const std::int64_t out_width = exchanged ? height : width;
  const std::int64_t y_unit = exchanged ? 1 : out_width;
  const std::int64_t x_unit = exchanged ? out_width : 1;
  return {
      .height = exchanged ? width : height,
      .width = out_width,
      .first = (y_reversed ? (height - 1) * y_unit : 0) + (x_reversed ? (width - 1) * x_unit : 0),
      .row_step = y_reversed ? -y_unit : y_unit,
      .column_step = x_reversed ? -x_unit : x_unit};
}

}  // namespace normbench
