#include "ops/cast.h"

#include <fmt/format.h>

#include <cmath>

#include "core/dtype.h"

namespace normbench {

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
  if (is_float(to)) return;
  for (double& value : out[0].values) value = rounded<std::uint8_t>(value);
}

// To uint8 the exact values are rounded too, so they and the computed ones differ by whole numbers.
Accuracy Cast::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  if (is_float(to)) return stored(in[0], to);
  return {.low = to_double(rounded<std::uint8_t>(in[0].low)),
          .high = to_double(rounded<std::uint8_t>(in[0].high)),
          .error = in[0].error == 0 ? 0 : std::floor(in[0].error + 1),
          .whole = true};
}

std::vector<Cast> Cast::samples(const Shape&) {
  std::vector<Cast> casts;
  for (const DTypeRow& dtype : dtype_rows) casts.push_back({.to = dtype.value});
  return casts;
}

}  // namespace normbench
