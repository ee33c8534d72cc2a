#include "ops/concat.h"

#include <fmt/format.h>

namespace normbench {

std::vector<TensorDesc> Concat::infer(std::span<const TensorDesc> in) const {
  if (in.size() < 2) throw Invalid(fmt::format("needs 2 inputs or more, got {}", in.size()));
  TensorDesc first = in[0];
  Shape shape = first.shape;
  for (std::size_t i = 1; i < in.size(); ++i) {
    first.shape.n = in[i].shape.n;
    check_like(fmt::format("input {}", i + 1), in[i], "the first input, except for its batch",
               first);
    shape.n += in[i].shape.n;
  }
  return one_output(first.dtype, first.layout, shape, first.memory);
}

void Concat::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
  for (const Tensor64& one : in.subspan(1)) {
    out[0].shape.n += one.shape.n;
    out[0].values.insert(out[0].values.end(), one.values.begin(), one.values.end());
  }
}

std::vector<Feeds> Concat::feeds(const TensorDesc& first) const {
  Shape more = first.shape;
  more.n += 1;
  const Feed one{.desc = first},
      other{.desc = dense(first.dtype, first.layout, more, first.memory)};
  return {{one, other}, {one, one, other}};
}

}  // namespace normbench
