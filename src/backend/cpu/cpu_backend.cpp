#include <algorithm>

#include "backend/cpu/memory.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kSlabElements = std::int64_t{1} << 21;

/// Returns the number of images of the first input, or of the first output if there is no input.
std::int64_t batch_of(const Signature& s) { return (s.in.empty() ? s.out : s.in)[0].shape.n; }

/// The reference computes a batch in slabs of whole images. Returns the number of images in a slab:
/// the largest number for which a slab has at most kSlabElements elements of each tensor, but at
/// least one. If whole_batch(op) is true, an output image may depend on input images at other
/// positions in the batch, so the whole batch is one slab.
std::int64_t slab_images(const Op& op, const Signature& s) {
  const std::int64_t images = batch_of(s);
  if (whole_batch(op)) return images;
  std::int64_t largest = 1;
  for (const auto* tensors : {&s.in, &s.out})
    for (const auto& t : *tensors) largest = std::max(largest, t.elements() / images);
  return std::max<std::int64_t>(1, kSlabElements / largest);
}

/// A slab: images [first, first + count) of a batch of `batch` images.
struct Slab {
  std::int64_t first, count, batch;

  /// Returns true if the number of images in the view differs from `batch`. Every slab then uses
  /// the whole view.
  bool has_all_of(const View& view) const { return view.desc.shape.n != batch; }
  Tensor64 read(const View& view) const {
    return has_all_of(view) ? to_double(view, 0, view.desc.shape.n) : to_double(view, first, count);
  }
};

void run_slab(const Op& op, std::span<const View> in, std::span<const View> out, const Slab& slab,
              std::int64_t item) {
  std::vector<Tensor64> from, to;
  for (const View& view : in) from.push_back(slab.read(view));
  for (const View& view : out) {
    Shape shape = view.desc.shape;
    if (!slab.has_all_of(view)) shape.n = slab.count;
    const auto elements = static_cast<std::size_t>(shape.elements());
    to.push_back({.shape = shape, .values = std::vector<double>(elements)});
  }
  reference(op, from, to, slab.first, item);
  for (std::size_t i = 0; i < out.size(); ++i)
    from_double(to[i], out[i], slab.has_all_of(out[i]) ? 0 : slab.first);
}

Launch prepare_reference(const Op& op, const Signature& signature) {
  const std::int64_t slab = slab_images(op, signature), batch = batch_of(signature);
  return
      [op, slab, batch](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
        for (std::int64_t first = 0; first < batch; first += slab)
          run_slab(op, in, out,
                   {.first = first, .count = std::min(slab, batch - first), .batch = batch},
                   queue.item);
      };
}

/// Runs submitted work at once, on the calling thread and its OpenMP team.
class InlineQueue final : public Queue {
 public:
  using Queue::Queue;
  void drain() override {}
};

std::vector<Kernel> all_rows() {
  std::vector<Kernel> rows;
  for (const auto list : row_lists) rows.insert(rows.end(), list().begin(), list().end());
  return rows;
}

class CpuBackend final : public Backend {
 public:
  Place place() const override { return Place::Cpu; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    if (threads > 1) on_team(threads, [](int, int) {});  // starts the threads before any kernel
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
