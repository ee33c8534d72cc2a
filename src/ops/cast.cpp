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

// The exact result of a cast to a float dtype is the input itself. accuracy() accounts for the
// rounding to that dtype.
void Cast::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
  if (is_float(to)) return;
  for (double& value : out[0].values) value = rounded<std::uint8_t>(value);
}

// A cast to a float dtype adds the rounding to that dtype (stored()). A cast to uint8 rounds the
// computed and the exact result to whole numbers. The error that as_byte() returns is the largest
// difference between these two numbers that the error of the input can cause.
std::vector<Accuracy> Cast::accuracy(std::span<const Known> in, std::span<const Tensor64>,
                                     std::span<const TensorDesc>) const {
  const Known& x = in[0];
  Accuracy found;
  if (is_float(to)) {
    const Rounding rounding = rounding_of(to);
    found = pointwise(x, [&](std::int64_t) {
      return [&](const Estimate& a) { return stored(a, rounding, x.accuracy.whole); };
    });
    found.whole =
        x.accuracy.whole && unit_roundoff(to) * (found.high + found.errors.largest()) <= 1;
  } else {
    found = pointwise(x, [](std::int64_t) { return [](const Estimate& a) { return as_byte(a); }; });
    found.whole = true;
  }
  return {found};
}

std::vector<Cast> Cast::samples(const Shape&) {
  std::vector<Cast> casts;
  for (const DTypeRow& dtype : dtype_rows) casts.push_back({.to = dtype.value});
  return casts;
}

}  // namespace normbench
