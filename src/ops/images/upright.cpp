#include "ops/images/upright.h"

#include <algorithm>

namespace normbench {

Upright upright(int orientation, std::int64_t height, std::int64_t width) {
  // Orientations 1 to 4: stored rows stay rows. 1: as stored. 2: mirrored horizontally. 3: turned
  // by 180 degrees. 4: mirrored vertically.
  //
  // Orientations 5 to 8: stored rows become columns. The first stored row becomes the left column
  // for 5 and 8, and the right column for 6 and 7. The pixels of a stored row run downwards for 5
  // and 6, and upwards for 7 and 8.
  const bool exchanged = orientation >= first_exchanged;
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

void put_row(std::span<const std::uint8_t> rgb, std::int64_t y, const Upright& to, Image& image) {
  std::uint8_t* target = &image.pixels()[3 * (to.first + y * to.row_step)];
  const auto width = std::ssize(rgb) / 3;
  for (std::int64_t x = 0; x < width; ++x)
    std::copy_n(&rgb[3 * x], 3, target + 3 * x * to.column_step);
}

}  // namespace normbench
