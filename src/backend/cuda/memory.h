/// Memory from the CUDA runtime, and the NUMA node of the host's memory.
#pragma once

#include <filesystem>

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Returns memory of a kind that CUDA owns. `device` must be the current device. Throws CudaError
/// ("cudaHostAlloc(27.6 MB) failed: …").
std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device);

/// Copy between any memories, and fill any memory. Both return when done and throw CudaError on
/// failure. Page-locked memory may be write-combined, which the CPU reads slowly. So copy_memory()
/// copies from it through device memory, even if `to` has no device address.
void copy_memory(std::byte* to, const std::byte* from, std::size_t bytes);
void fill_memory(std::byte* to, std::byte value, std::size_t bytes);

/// A pool of device memory, which is taken and freed in the order of a stream's work. The pool
/// keeps all memory that it ever had, as caching allocators of frameworks do.
class Pool {
 public:
  explicit Pool(int device);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Returns memory that is also freed on `stream`. The stream must outlive the memory.
  std::unique_ptr<Allocation> allocate(std::size_t bytes, cudaStream_t stream);

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// The numbers of an op in device memory, sent once or with every call.
template <class T>
class DeviceArray {
 public:
  /// Allocates `count` elements. Throws CudaError.
  explicit DeviceArray(std::size_t count)
      : memory_(allocate(Memory::Device, count * sizeof(T), 0)) {}

  const T* data() const { return reinterpret_cast<const T*>(memory_->data()); }

  /// Copies `values`, at most `count` of them, from pageable memory in the order of `stream`, and
  /// waits for the copy. Frameworks do this to make a tensor from a list of numbers. Does nothing
  /// on only_load(). Throws CudaError.
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

/// Returns where host memory for the PCI device `bus_id` ("0000:1b:00.0") lies: numa_node (null:
/// unknown) and host_memory ("near the GPU (node 1)", "one node", "node unknown", "anywhere
/// (why)"). If the machine has several nodes, it calls `prefer` with the node of the device, which
/// returns why pages cannot come from that node, or "". `root` is "/" except in tests.
Json place_host_memory(const std::string& bus_id, const std::filesystem::path& root,
                       std::string (*prefer)(int node));

}  // namespace normbench::cuda
