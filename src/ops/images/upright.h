/// Turns pictures upright.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/images/image.h"

namespace normbench {

constexpr int first_exchanged = 5;  // from this orientation on, rows become columns

/// Says where each stored pixel of a picture lies in the upright image. `height` and `width` are
/// those of the upright image. Stored pixel (y, x) becomes pixel number first + y * row_step +
/// x * column_step of the upright image, counted row by row from 0.
struct Upright {
  std::int64_t height, width;
  std::int64_t first, row_step, column_step;
};

Upright upright(int orientation, std::int64_t height, std::int64_t width);

/// Copies row `y` of a stored picture to its pixels in the upright `image`, which must have the
/// size of `to`.
void put_row(std::span<const std::uint8_t> rgb, std::int64_t y, const Upright& to, Image& image);

/// Decodes a stored picture of height x width and turns it upright into `image`. `decode` gets the
/// memory for the stored pixels: the memory of `image` for orientation 1, and else `stored`. If the
/// picture has more than `most_pixels`, throws std::runtime_error before it allocates memory.
template <class Decode>
void decode_upright(int orientation, std::int64_t height, std::int64_t width, Image& image,
                    std::vector<std::uint8_t>& stored, const Decode& decode) {
  const Upright to = upright(orientation, height, width);
  set_size(image, to.height, to.width);
  if (orientation == 1) return decode(image.pixels());
  stored.resize(image.pixels().size());
  decode(std::span(stored));
  for (std::int64_t y = 0; y < height; ++y)
    put_row(std::span(stored).subspan(3 * y * width, 3 * width), y, to, image);
}

}  // namespace normbench
