/// Memory that the CUDA runtime gives, and where the host's lies.
#pragma once

#include <filesystem>

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Memory of a kind that CUDA reaches. `device` is the current one. Throws CudaError
/// ("cudaHostAlloc(27.6 MB) failed: …").
std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device);

/// Copies between any memory, and fills any memory; both return when done. The CPU reads no
/// page-locked memory, which may be write-combined: those bytes pass through the device. `to` may
/// then have no address of the device's. Throw CudaError.
void copy_memory(std::byte* to, const std::byte* from, std::size_t bytes);
void fill_memory(std::byte* to, std::byte value, std::size_t bytes);

/// Device memory taken and given back in the order of a stream's work, from a pool that keeps what
/// it once had: what caching allocators of frameworks do.
class Pool {
 public:
  explicit Pool(int device);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Memory that is also freed on `stream`, which must live longer.
  std::unique_ptr<Allocation> allocate(std::size_t bytes, cudaStream_t stream);

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// Numbers of an op in device memory, sent once or with every call.
template <class T>
class DeviceArray {
 public:
  /// Throws CudaError.
  explicit DeviceArray(std::size_t count)
      : memory_(allocate(Memory::Device, count * sizeof(T), 0)) {}

  const T* data() const { return reinterpret_cast<const T*>(memory_->data()); }

  /// Copies `values`, at most `count`, from pageable memory in the order of `stream` and waits for
  /// them: what a framework does to make a tensor of a list of numbers. Nothing on a stream that
  /// only loads. Throws CudaError.
  void send(cudaStream_t stream, std::span<const T> values) {
    if (stream == only_load()) return;
    check(cudaMemcpyAsync(memory_->data(), values.data(), values.size_bytes(),
                          cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync of constants");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize after sending constants");
  }

 private:
  std::unique_ptr<Allocation> memory_;
};

/// Where host memory for the PCI device `bus_id` ("0000:1b:00.0") lies: numa_node (null: unknown)
/// and host_memory ("near the GPU (node 1)", "one node", "node unknown", "anywhere (why)").
/// `prefer` says why pages cannot come from a node, or ""; it is asked where the machine has
/// several. `root` is "/" but in tests.
Json place_host_memory(const std::string& bus_id, const std::filesystem::path& root,
                       std::string (*prefer)(int node));

}  // namespace normbench::cuda
