#include "plan/extra_memory.h"

#include <algorithm>

#include "plan/storage.h"

namespace normbench {
namespace {

double values_per_image(const Shape& shape) {
  return static_cast<double>(shape.c) * static_cast<double>(shape.h) * static_cast<double>(shape.w);
}

/// Values of an image that the reference of `resize` has brought to its width, not yet its height.
double between_passes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return values_per_image({.n = 1, .c = in.c, .h = in.h, .w = out.w});
}

/// The filters of a `resize`, of the kernel and of the reference together: taps of each output row
/// and column.
double filter_bytes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return 128 * static_cast<double>(out.h + out.w) +
         32 * static_cast<double>(std::max(in.h, out.h) + std::max(in.w, out.w));
}

/// A check holds the values of a slab in double; beside them copies of a stage's inputs, what its
/// reference makes of them on the way, and what is read back from a device: three times the largest
/// at most, and for a resize the image between its passes, twice.
double check_bytes(const Case& work) {
  double values = 0, largest = 0;
  for (const Value& value : work.values) {
    values += values_per_image(value.desc.shape);
    largest = std::max(largest, values_per_image(value.desc.shape));
  }
  for (const Stage& stage : work.stages) {
    if (!has_reference(stage.op)) return 0;
    if (std::holds_alternative<Resize>(stage.op)) values += 2 * between_passes(stage.signature);
  }
  const std::int64_t images = std::min(slab_images(work), work.result().shape.n);
  return 8 * (values + 3 * largest) * static_cast<double>(images);
}

}  // namespace

std::int64_t slab_images(const Case& work) {
  constexpr std::int64_t slab_elements = 8'000'000;
  std::int64_t per_image = 0;
  for (const Value& value : work.values)
    per_image += value.desc.elements() / std::max<std::int64_t>(1, value.desc.shape.n);
  return std::max<std::int64_t>(1, slab_elements / std::max<std::int64_t>(1, per_image));
}

ExtraMemory extra_memory(const Case& work, std::int64_t most_sets) {
  ExtraMemory extra;
  const std::vector<Slot> slots = storage_of(work);
  const int result = root_of(slots, static_cast<int>(work.values.size()) - 1);
  double placed = 0;
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    const auto bytes = static_cast<double>(slots[i].bytes);
    if (slots[i].kind == Slot::Kind::Placed) ++placed;
    if (slots[i].kind != Slot::Kind::Fresh) continue;
    extra.passing.of(slots[i].memory) += bytes;
    if (i == result) extra.held.of(slots[i].memory) += bytes;  // the last check keeps it
  }
  // An address of every slot in every set; in `place` each buffer's order and offset.
  const auto sets = static_cast<double>(most_sets);
  extra.held.host += 8 * sets * static_cast<double>(slots.size());
  extra.passing.host += 16 * sets * placed + check_bytes(work);
  for (const Stage& stage : work.stages) {
    if (std::holds_alternative<Resize>(stage.op)) extra.held.host += filter_bytes(stage.signature);
    if (std::holds_alternative<Exchange>(stage.op))  // what comes back lies in memory of the row's
      extra.held.host += static_cast<double>(stage.signature.out[0].bytes());
  }
  if (!work.peer.empty())  // files of source and output, which may lie in memory
    extra.passing.host += static_cast<double>(work.source->desc().bytes() + work.result().bytes());
  if (work.source && !host_reaches(work.source->memory))  // filled from host memory
    extra.passing.host += static_cast<double>(work.source->desc().bytes());
  return extra;
}

}  // namespace normbench
