#include <cuda_runtime_api.h>

#include <stdexcept>

#include "backend/backend.h"

namespace normbench {
namespace {

/// Finds the device and says why nothing runs on it.
class CudaBackend final : public Backend {
 public:
  CudaBackend() : unavailable_(why_unavailable()) {}

  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return unavailable_; }
  std::span<const Kernel> kernels() const override { return {}; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override {
    throw std::runtime_error(unavailable_);
  }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override {
    throw std::runtime_error(unavailable_);
  }

 private:
  static std::string why_unavailable() {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess)
      return std::string("no CUDA device (") + cudaGetErrorName(error) + ": " +
             cudaGetErrorString(error) + ")";
    if (devices == 0) return "no CUDA device (cudaGetDeviceCount found none)";
    return "this version has no CUDA kernels yet";
  }

  const std::string unavailable_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions&) { return std::make_unique<CudaBackend>(); }

}  // namespace normbench
