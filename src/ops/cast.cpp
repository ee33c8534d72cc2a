#include "ops/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/checks.h"

namespace normbench {

namespace {

/// To nearest even in the default rounding mode, saturated; NaN becomes 0.
double as_uint8(double value) {
  return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), 0.0, 255.0);
}

}  // namespace

Cast Cast::read(Reader& reader) {
  if (!reader.has("to")) reader.complain(fmt::format("needs \"to\" ({})", known_words<DType>()));
  return {.to = reader.word("to", DType::Float32)};
}

std::vector<TensorDesc> Cast::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return one_output(to, x.layout, x.shape, x.memory);
}

// To floating point the exact value stays as it is: rounding is part of the bound.
void Cast::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
  if (to != DType::UInt8) return;
  for (double& value : out[0].values) value = as_uint8(value);
}

// To uint8 the exact values are rounded too, so they and the computed ones differ by whole numbers.
Accuracy Cast::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  if (to != DType::UInt8) return stored(in[0], to);
  return {.low = as_uint8(in[0].low),
          .high = as_uint8(in[0].high),
          .error = in[0].error == 0 ? 0 : std::floor(in[0].error + 1),
          .whole = true};
}

}  // namespace normbench
