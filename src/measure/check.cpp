#include "measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plan/memory.h"

namespace normbench {

namespace {

/// The element farthest from what it should be.
struct Worst {
  double error = -1;                  // infinite for NaN
  std::int64_t image = 0, index = 0;  // the index is within the image
  double expected = 0, got = 0;
};

double bound_of(const Case& work) {
  std::vector<Accuracy> known(work.values.size());
  if (work.source) known[0] = work.source->accuracy({}, std::span(&work.values[0].desc, 1));
  for (const Stage& stage : work.stages) {
    std::vector<Accuracy> in;
    for (const int value : stage.in) in.push_back(known[value]);
    const Accuracy out = accuracy(stage.op, in, stage.signature.out);
    for (const int value : stage.out) known[value] = out;
  }
  return known.back().error;
}

Tensor64 empty_slab(const TensorDesc& desc, std::int64_t count) {
  Tensor64 slab{.shape = desc.shape, .values = {}};
  slab.shape.n = count;
  slab.values.resize(static_cast<std::size_t>(slab.shape.elements()));
  return slab;
}

/// A tensor of the case; where host code may not read it, its images pass through a buffer.
class Images {
 public:
  Images(const View& view, const Backends& backends) : view_(view), backends_(backends) {}

  std::int64_t count() const { return view_.desc.shape.n; }

  Tensor64 read(std::int64_t first, std::int64_t count) {
    if (host_caches(view_.desc.memory)) return to_double(view_, first, count);
    const std::int64_t image = view_.desc.bytes() / view_.desc.shape.n;  // values are dense
    slab_.resize(static_cast<std::size_t>(count * image));
    backends_.owner(view_.desc.memory).copy(slab_.data(), view_.data + first * image, slab_.size());
    return to_double({.data = slab_.data(), .desc = view_.desc}, 0, count);
  }

 private:
  View view_;
  const Backends& backends_;
  std::vector<std::byte> slab_;
};

/// The exact result of images [first, first + count).
Tensor64 exact_result(const Case& work, std::optional<Images>& source, std::int64_t first,
                      std::int64_t count) {
  std::vector<Tensor64> values(work.values.size());
  if (source) values[0] = source->read(first, count);
  for (const Stage& stage : work.stages) {
    std::vector<Tensor64> in, out;
    for (const int value : stage.in) in.push_back(values[value]);
    for (const int value : stage.out) out.push_back(empty_slab(work.values[value].desc, count));
    reference(stage.op, in, out, first);
    for (std::size_t i = 0; i < out.size(); ++i) values[stage.out[i]] = std::move(out[i]);
  }
  return std::move(values.back());
}

void compare(const Tensor64& expected, const Tensor64& got, std::int64_t first, Worst& worst) {
  const std::int64_t per_image = expected.shape.elements() / expected.shape.n;
  for (std::int64_t i = 0; i < expected.shape.elements(); ++i) {
    const double want = expected.values[i], have = got.values[i];
    const double error =
        std::isnan(have) ? std::numeric_limits<double>::infinity() : std::abs(have - want);
    if (error > worst.error)
      worst = {.error = error,
               .image = first + i / per_image,
               .index = i % per_image,
               .expected = want,
               .got = have};
  }
}

std::string wrong(const Worst& worst, double bound, const Shape& shape) {
  return fmt::format(
      "wrong output: max error {:.2g} at [{}, {}, {}, {}], bound {:.2g} (expected {:.6g}, got "
      "{:.6g})",
      worst.error, worst.image, worst.index / (shape.h * shape.w), worst.index / shape.w % shape.h,
      worst.index % shape.w, bound, worst.expected, worst.got);
}

}  // namespace

CheckOutcome check_output(const Case& work, const std::optional<View>& source, const View& output,
                          const Backends& backends) {
  for (const Stage& stage : work.stages)
    if (!has_reference(stage.op))
      return {.result = {.ok = true},
              .reason = "",
              .note = fmt::format("not checked: what {} writes is undefined", name_of(stage.op))};
  Worst worst;
  std::optional<Images> in;
  if (source) in.emplace(*source, backends);
  Images out(output, backends);
  const std::int64_t slab = slab_images(work);
  for (std::int64_t first = 0; first < out.count(); first += slab) {
    const std::int64_t count = std::min(slab, out.count() - first);
    const Tensor64 expected = exact_result(work, in, first, count);
    compare(expected, out.read(first, count), first, worst);
  }
  const double bound = bound_of(work);
  const bool ok = worst.error <= bound;
  return {.result = {.ok = ok, .max_abs_error = worst.error, .bound = bound},
          .reason = ok ? "" : wrong(worst, bound, output.desc.shape),
          .note = ""};
}

}  // namespace normbench
