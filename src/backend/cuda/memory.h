/// Memory from the CUDA runtime, and the NUMA node of the host's memory.
#pragma once

#include <filesystem>

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Allocates Pinned, WriteCombined, Mapped, Registered, Managed or Device memory. `device` is the
/// current device. Only Managed memory uses it. Throws CudaError ("cudaHostAlloc(27.6 MB) failed:
/// …"). Throws std::runtime_error for any other kind, and if the device sees Mapped or Registered
/// memory at another address than the host.
std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device);

/// Copy between any memories, and fill any memory. Both return when the work is done, and throw
/// CudaError. copy_memory() copies from page-locked memory through device memory, because
/// page-locked memory may be write-combined, which the CPU reads slowly.
void copy_memory(std::byte* to, const std::byte* from, std::size_t bytes);
void fill_memory(std::byte* to, std::byte value, std::size_t bytes);

/// A pool of device memory. Allocations and frees take effect in stream order. The pool keeps freed
/// memory for later allocations, as caching allocators of frameworks do.
class Pool {
 public:
  explicit Pool(int device);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Allocates in the order of `stream`. The destructor of the result frees in the order of
  /// `stream`, too, so that the stream must outlive the result.
  std::unique_ptr<Allocation> allocate(std::size_t bytes, cudaStream_t stream);

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// An array of constants in device memory.
template <class T>
class DeviceArray {
 public:
  /// Allocates `count` elements. Throws CudaError.
  explicit DeviceArray(std::size_t count)
      : memory_(allocate(Memory::Device, count * sizeof(T), 0)) {}

  const T* data() const { return reinterpret_cast<const T*>(memory_->data()); }

  /// Copies `values`, at most `count` of them, in the order of `stream`, and waits for the copy, as
  /// frameworks do to make a tensor from a list of numbers. Does nothing if `stream` is
  /// only_load(). Throws CudaError.
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

/// Decides where host memory for the PCI device `bus_id` ("0000:1b:00.0") lies. If the machine has
/// several NUMA nodes and the device's node is known, calls `prefer` with that node. `prefer`
/// returns why pages cannot come from the node, or "". `root` is "/" except in tests. Returns
///   numa_node    the device's node; null if it is unknown
///   host_memory  "one node", "node unknown", "near the GPU (node 1)", or "anywhere (WHY)" with the
///                text that `prefer` returned
Json place_host_memory(const std::string& bus_id, const std::filesystem::path& root,
                       std::string (*prefer)(int node));

}  // namespace normbench::cuda
