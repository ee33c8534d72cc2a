#include "ops/to_rgb.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/ycbcr.h"

namespace normbench {

std::vector<TensorDesc> ToRgb::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (!x.shape.is_ycbcr())
    throw Invalid(
        fmt::format("needs YCbCr images, got {} (remove this, or give the source or load a "
                    "\"pixel_format\" like \"ycbcr420\")",
                    describe(x)));
  return one_output(DType::UInt8, layout, {x.shape.n, x.shape.c, x.shape.h, x.shape.w}, x.memory);
}

// If the input comes from a resize, its exact values are not whole. They are then converted without
// rounding, and accuracy() accounts for the rounding in kernels.
void ToRgb::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  const bool are_bytes =
      std::ranges::all_of(in[0].values, [](double value) { return value == nearest_byte(value); });
  out[0] = are_bytes ? jpeg_rgb_of(in[0]) : rgb_of(in[0]);
}

std::vector<Accuracy> ToRgb::accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                      std::span<const TensorDesc>) const {
  const Known& x = in[0];
  if (x.accuracy.errors == Errors(0)) return {{.low = 0, .high = 255, .whole = true}};
  // Rounding the chroma moves a result by at most 0.5 * blue_cb, and rounding the product moves it
  // by at most 0.5. The factor is 2 because the reference rounds, too, if all values of its input
  // happen to be whole.
  constexpr double of_roundings = 2 * (0.5 * blue_cb + 0.5 + 1e-3);
  const Errors found = errors_of_rgb(x.values.shape, x.accuracy.errors);
  std::vector<double> errors(exact[0].values.size());
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = found.at(i) + of_roundings;
  return {{.low = 0, .high = 255, .errors = std::move(errors)}};
}

std::vector<ToRgb> ToRgb::samples(const Shape&) {
  return {{.layout = Layout::Nchw}, {.layout = Layout::Nhwc}};
}

}  // namespace normbench
