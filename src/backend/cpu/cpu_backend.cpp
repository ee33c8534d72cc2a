#include <algorithm>

#include "backend/cpu/memory.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

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

Launch prepare_reference(const Op& op, const Signature& signature) {
  const std::int64_t slab = slab_images(signature);
  return [op, slab](Queue&, std::span<const View> in, std::span<const View> out, View) {
    const std::int64_t images = out[0].desc.shape.n;
    for (std::int64_t first = 0; first < images; first += slab)
      run_slab(op, in, out, first, std::min(slab, images - first));
  };
}

/// Runs what it is given at once, on the thread that gives it and its OpenMP team.
class InlineQueue final : public Queue {
 public:
  using Queue::Queue;
  void drain() override {}
};

std::vector<Kernel> all_rows() {
  std::vector<Kernel> rows;
  for (const auto part : {load_rows(), resize_rows(), move_rows(), cast_rows(), sub_div_rows(),
                          normalize_rows(), copy_rows(), stream_rows(), launch_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

class CpuBackend final : public Backend {
 public:
  Place place() const override { return Place::Cpu; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    if (threads > 1) on_team(threads, [](int, int) {});  // starts them, so that no kernel must
    return std::make_unique<InlineQueue>(threads, recorder);
  }
  std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) override {
    return map_pages(memory, bytes);
  }

 private:
  const std::vector<Kernel> rows_ = all_rows();
};

}  // namespace

Kernel reference_row(std::string_view op) {
  return {.op = op,
          .name = "reference",
          .place = Place::Cpu,
          .capturable = &never,
          .accepts = [](const Op&, const Signature&) { return true; },
          .cost = &fewest,
          .scratch = [](const Op&, const Signature&) { return std::size_t{0}; },
          .prepare = &prepare_reference};
}

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace normbench
