#pragma once

#include "ops/checks.h"

namespace normbench {

/// A window in an image: its size and its first row and column, in pixels. If `top` is empty, the
/// window is centred vertically. If `left` is empty, it is centred horizontally.
struct Window {
  std::int64_t height = 0, width = 0;
  std::optional<std::int64_t> top = {}, left = {};

  /// Reads {"size": [h, w], "at": [top, left]}. Returns nothing if "size" is missing or wrong.
  static std::optional<Window> read(Reader& reader);
  /// Returns a centred window for an image of this shape. The window has half the height and a
  /// third of the width of the image, both rounded up.
  static Window inner(const Shape& shape);
  /// Returns the first row and column of the window in an image of h x w pixels. Throws Invalid if
  /// the window does not fit.
  std::pair<std::int64_t, std::int64_t> origin(std::int64_t h, std::int64_t w) const;
  /// Returns the window for one channel, in samples of that channel. `images` is the shape of the
  /// images. In a YCbCr format a centred window is moved up and left to where a sample of chroma
  /// begins. Throws Invalid if the window does not fit, or if `top` or `left` lies within a sample
  /// of chroma.
  Window of_plane(const Shape& images, std::int64_t channel) const;
  /// Returns the pixels of the window from every image. Throws Invalid if the window does not fit.
  Tensor64 cut(const Tensor64& images) const;
};

/// Returns how many pixels of an image of h x w pixels lie in at least one of the windows.
std::int64_t covered_pixels(std::span<const Window> windows, std::int64_t h, std::int64_t w);

/// Cuts a window out of every image. Parameters: size [h, w]; at [top, left] (default: centred). In
/// a YCbCr format the window begins where a sample of chroma begins.
struct Crop {
  static constexpr std::string_view name = "crop";
  static constexpr std::string_view about = "cut a window out of every image";
  static constexpr int flops_per_element = 0;
  static constexpr Roles roles{.moves_only = true, .takes_ycbcr = true};

  Window window = {};

  static Crop read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  static std::vector<Crop> samples(const Shape& shape);
};

}  // namespace normbench
