#include "ops/crop.h"

#include <fmt/format.h>

#include "ops/checks.h"
#include "ops/tensor64.h"

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

Crop Crop::read(Reader& reader) {
  if (!reader.has("size")) reader.complain("needs \"size\" ([height, width])");
  return {.window = Window::read(reader).value_or(Window{.height = 1, .width = 1})};
}

std::vector<TensorDesc> Crop::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  window.origin(x.shape.h, x.shape.w);
  return one_output(x.dtype, x.layout, {x.shape.n, x.shape.c, window.height, window.width},
                    x.memory);
}

void Crop::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  const auto [top, left] = window.origin(in[0].shape.h, in[0].shape.w);
  out[0] = cut(in[0], top, left, window.height, window.width);
}

Accuracy Crop::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
