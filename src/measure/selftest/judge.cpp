#include "measure/selftest/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/selftest/input.h"

namespace normbench::selftest {
namespace {

/// Returns the bytes of element `index`. Elements are counted in the order n, c, h, w.
std::span<const std::byte> element(const View& view, std::int64_t index) {
  const ElementPlace at = place_of(view.desc.shape, index);
  const View plane = plane_view(view, at.c);
  const Strides& step = plane.desc.strides;
  const std::int64_t size = size_of(view.desc.dtype);
  return {plane.data + (at.n * step.n + at.h * step.h + at.w * step.w) * size,
          static_cast<std::size_t>(size)};
}

/// Returns how far a value is from the expected value. Returns infinity if only one of them is NaN.
double distance(double value, double expected) {
  if (value == expected || (std::isnan(value) && std::isnan(expected))) return 0;
  if (std::isnan(value) || std::isnan(expected)) return std::numeric_limits<double>::infinity();
  return std::abs(value - expected);
}

std::string wrong(double got, double expected, double bound) {
  return fmt::format("{:.9g} instead of {:.9g}, bound {:.2g}", got, expected, bound);
}

}  // namespace

std::vector<Exact> exact_outputs(const Op& op, std::span<const Known> in,
                                 const Signature& signature) {
  std::vector<Known> given(in.begin(), in.end());
  // `unregister` takes the same bytes as two inputs, but `in` has them once. The op only passes on
  // the first input.
  while (given.size() < signature.in.size()) given.push_back(given[0]);
  std::vector<Tensor64> from, to;
  for (const Known& known : given) from.push_back(known.values);
  for (const TensorDesc& out : signature.out) {
    Tensor64& tensor = to.emplace_back(Tensor64{.shape = out.shape, .values = {}});
    if (out.shape.n == signature.in[0].shape.n) tensor.shape.n = from[0].shape.n;
    tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
  }
  reference(op, from, to, 0);
  const std::vector<Accuracy> known = accuracies(op, given, to, signature.out);
  std::vector<Exact> exact;
  for (std::size_t i = 0; i < to.size(); ++i)
    exact.push_back({.values = std::move(to[i]), .bounds = known[i].errors});
  return exact;
}

Judged judge(const Exact& exact, const View& got, std::byte poison, std::int64_t first) {
  Judged judged;
  const Tensor64 values = to_double(got, first, exact.values.shape.n);
  const std::int64_t before = first * got.desc.elements() / got.desc.shape.n;
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    const double value = values.values[i], expected = exact.values.values[i];
    const double error = distance(value, expected), bound = exact.bounds.at(i);
    if (share_of_bound(error, bound) >= share_of_bound(judged.error, judged.bound)) {
      judged.error = error;
      judged.bound = bound;
    }
    if (error <= bound || judged.failure) continue;
    const std::int64_t index = before + static_cast<std::int64_t>(i);
    const auto poisoned = [&](std::byte b) { return b == poison; };
    judged.failure = fmt::format("element {}{}", index,
                                 std::ranges::all_of(element(got, index), poisoned)
                                     ? " not written"
                                     : ": " + wrong(value, expected, bound));
  }
  return judged;
}

std::string difference(const View& before, const View& after) {
  const std::int64_t images = after.desc.shape.n;
  const Tensor64 was = to_double(before, 0, images), is = to_double(after, 0, images);
  for (std::int64_t i = 0; i < after.desc.elements(); ++i) {
    const auto a = element(before, i), b = element(after, i);
    if (!std::ranges::equal(a, b))
      return fmt::format("element {}: {:.9g}, but {:.9g} in the first run", i,
                         is.values[static_cast<std::size_t>(i)],
                         was.values[static_cast<std::size_t>(i)]);
  }
  return "bytes between the elements differ from the first run's";
}

double share_of_bound(double error, double bound) {
  if (error == 0) return 0;
  return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

}  // namespace normbench::selftest
