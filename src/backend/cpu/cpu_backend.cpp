#include "backend/cpu/memory.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/omp_team.h"

namespace normbench {
namespace {

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

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace normbench
