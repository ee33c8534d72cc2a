#include <stdexcept>

#include "backend/backend.h"

namespace normbench {
namespace {

class AbsentCuda final : public Backend {
 public:
  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return "built without CUDA"; }
  std::span<const Kernel> kernels() const override { return {}; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override {
    throw std::runtime_error(*unavailable());
  }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override {
    throw std::runtime_error(*unavailable());
  }
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions&) {
  return std::make_unique<AbsentCuda>();
}

}  // namespace normbench
