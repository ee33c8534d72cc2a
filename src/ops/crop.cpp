#include "ops/crop.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {

std::optional<Window> Window::read(Reader& reader) {
  const auto size = read_pair(reader, "size", 1, "[height, width]");
  const auto at = read_pair(reader, "at", 0, "[top, left]");
  if (!size) return std::nullopt;
  Window window{.height = size->first, .width = size->second};
  if (at) {
    window.top = at->first;
    window.left = at->second;
  }
  return window;
}

std::pair<std::int64_t, std::int64_t> Window::origin(std::int64_t h, std::int64_t w) const {
  if (height > h || width > w || top.value_or(0) > h - height || left.value_or(0) > w - width) {
    const std::string at = top ? fmt::format(" at [{}, {}]", *top, left.value_or(0)) : "";
    throw Invalid(fmt::format("window {}x{}{} does not fit in {}x{}", height, width, at, h, w));
  }
  return {top.value_or((h - height) / 2), left.value_or((w - width) / 2)};
}

Window Window::inner(const Shape& shape) {
  return {.height = (shape.h + 1) / 2, .width = (shape.w + 2) / 3, .top = {}, .left = {}};
}

Window Window::of_plane(const Shape& images, std::int64_t channel) const {
  const auto [first_row, first_column] = origin(images.h, images.w);
  if (!images.is_ycbcr()) return {height, width, first_row, first_column};
  const auto [format, name, across, down] = row_of(images.format);
  if ((top && *top % down != 0) || (left && *left % across != 0))
    throw Invalid(fmt::format("a window of {} must begin at multiples of [{}, {}], got [{}, {}]",
                              name, down, across, first_row, first_column));
  const Shape plane = Shape{1, 3, height, width, format}.plane(channel);
  const std::int64_t row = first_row / down, column = first_column / across;
  if (channel == 0) return {height, width, row * down, column * across};
  return {plane.h, plane.w, row, column};
}

Tensor64 Window::cut(const Tensor64& images) const {
  const Shape& from = images.shape;
  Tensor64 out{{from.n, from.c, height, width, from.format}, {}};
  out.values.reserve(static_cast<std::size_t>(out.shape.elements()));
  auto plane = images.values.begin();
  for (std::int64_t number = 0; number < from.n * from.c; ++number) {
    const Shape whole = from.plane(number % from.c);
    const Window part = of_plane(from, number % from.c);
    for (std::int64_t y = *part.top; y < *part.top + part.height; ++y) {
      const auto row = plane + y * whole.w + *part.left;
      out.values.insert(out.values.end(), row, row + part.width);
    }
    plane += whole.h * whole.w;
  }
  return out;
}

std::int64_t covered_pixels(std::span<const Window> windows, std::int64_t h, std::int64_t w) {
  struct Box {
    std::int64_t top, bottom, left, right;
  };
  std::vector<Box> boxes;
  std::vector<std::int64_t> edges;  // rows where a window starts or ends
  for (const Window& window : windows) {
    const auto [top, left] = window.origin(h, w);
    boxes.push_back({top, top + window.height, left, left + window.width});
    edges.insert(edges.end(), {top, top + window.height});
  }
  std::ranges::sort(boxes, {}, &Box::left);
  std::ranges::sort(edges);
  std::int64_t pixels = 0;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    // The loop takes the boxes that cover rows [edges[i - 1], edges[i]), from left to right.
    // `columns` is the number of columns that the boxes so far cover, and `seen` is the first
    // column to the right of them.
    std::int64_t columns = 0, seen = 0;
    for (const Box& box : boxes) {
      if (box.top > edges[i - 1] || box.bottom < edges[i]) continue;
      columns += std::max<std::int64_t>(0, box.right - std::max(seen, box.left));
      seen = std::max(seen, box.right);
    }
    pixels += (edges[i] - edges[i - 1]) * columns;
  }
  return pixels;
}

Crop Crop::read(Reader& reader) {
  reader.require("size", "[height, width]");
  return {.window = Window::read(reader).value_or(Window{.height = 1, .width = 1})};
}

std::vector<TensorDesc> Crop::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  window.of_plane(x.shape, 0);
  return one_output(x.dtype, x.layout,
                    {x.shape.n, x.shape.c, window.height, window.width, x.shape.format}, x.memory);
}

void Crop::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = window.cut(in[0]);
}

std::vector<Crop> Crop::samples(const Shape& shape) {
  Window in_front = Window::inner(shape);
  in_front.top = 0;
  return {{.window = in_front},
          {.window = Window::inner(shape)},
          {.window = {.height = 1, .width = shape.w, .top = shape.h - 1, .left = 0}}};
}

}  // namespace normbench
