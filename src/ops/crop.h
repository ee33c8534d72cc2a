#pragma once

#include "ops/checks.h"

namespace normbench {

/// A window of an image: its size, and where it starts (centred when absent).
struct Window {
  std::int64_t height = 0, width = 0;
  std::optional<std::int64_t> top = {}, left = {};

  /// Reads {"size": [h, w], "at": [top, left]}; nothing when the object has no "size".
  static std::optional<Window> read(Reader& reader);
  /// A window in the middle of an image and smaller than it.
  static Window inner(const Shape& shape);
  /// Its first row and column in an image of this extent. Throws Invalid when it does not fit.
  std::pair<std::int64_t, std::int64_t> origin(std::int64_t h, std::int64_t w) const;
  /// The window cut out of every image. Throws Invalid when it does not fit.
  Tensor64 cut(const Tensor64& images) const;
};

/// The number of pixels of an image of this extent that lie in at least one of the windows.
std::int64_t covered_pixels(std::span<const Window> windows, std::int64_t h, std::int64_t w);

/// Cuts a window out of every image. Parameters: size [h, w], at [top, left] (default: centred).
struct Crop {
  static constexpr std::string_view name = "crop";
  static constexpr std::string_view about = "cut a window out of every image";
  static constexpr int flops_per_element = 0;
  static constexpr Roles roles{.moves_only = true};

  Window window = {};

  static Crop read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  static std::vector<Crop> samples(const Shape& shape);
};

}  // namespace normbench
