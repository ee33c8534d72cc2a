#include <algorithm>

#include "backend/cpu/rows.h"

namespace normbench {
namespace {

constexpr std::int64_t kSlabElements = std::int64_t{1} << 21;

/// Images per slab: as many as stay below kSlabElements doubles in every tensor, one at least.
std::int64_t slab_images(const Signature& s) {
  std::int64_t largest = 1;
  for (const auto* tensors : {&s.in, &s.out})
    for (const auto& t : *tensors) largest = std::max(largest, t.shape.c * t.shape.h * t.shape.w);
  return std::max<std::int64_t>(1, kSlabElements / largest);
}

void run_slab(const Op& op, std::span<const View> in, std::span<const View> out, std::int64_t first,
              std::int64_t count) {
  std::vector<Tensor64> from, to;
  for (const View& view : in) from.push_back(to_double(view, first, count));
  for (const View& view : out) {
    Shape shape = view.desc.shape;
    shape.n = count;
    const auto elements = static_cast<std::size_t>(shape.elements());
    to.push_back({.shape = shape, .values = std::vector<double>(elements)});
  }
  reference(op, from, to, first);
  for (std::size_t i = 0; i < out.size(); ++i) from_double(to[i], out[i], first);
}

Launch prepare(const Op& op, const Signature& signature) {
  const std::int64_t slab = slab_images(signature);
  return [op, slab](Queue&, std::span<const View> in, std::span<const View> out, View) {
    const std::int64_t images = out[0].desc.shape.n;
    for (std::int64_t first = 0; first < images; first += slab)
      run_slab(op, in, out, first, std::min(slab, images - first));
  };
}

}  // namespace

Kernel reference_row(std::string_view op) {
  return {.op = op,
          .name = "reference",
          .place = Place::Cpu,
          .capturable = &never,
          .accepts = [](const Op&, const Signature&) { return true; },
          .cost = &fewest,
          .scratch = [](const Op&, const Signature&) { return std::size_t{0}; },
          .prepare = &prepare};
}

}  // namespace normbench
