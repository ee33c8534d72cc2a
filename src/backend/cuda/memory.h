/// Memory from the CUDA runtime, and the NUMA node of the host's memory.
#pragma once

#include <filesystem>

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Allocates Pinned, WriteCombined, Mapped, Registered, Managed or Device memory for the current
/// device. `device` is the preferred location of Managed memory; the other kinds do not use it.
/// Throws
/// - CudaError if CUDA fails: "cudaHostAlloc(27.6 MB) failed: …"
/// - std::runtime_error if `memory` is none of the six kinds, or if the device sees Mapped or
///   Registered memory at another address than the host
std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device);

/// copy_memory() and fill_memory() work on memory of any kind. Both return when the work is done,
/// and throw CudaError on failure. If `from` is page-locked, copy_memory() copies through device
/// memory: `from` may be write-combined, and a CPU reads write-combined memory slowly.
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

  /// Allocates in the order of `stream`. The destructor of the result frees the memory in the order
  /// of `stream`, so the stream must outlive the result. Throws CudaError.
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

  /// Copies `values` (at most `count` of them) in the order of `stream` and waits for the copy.
  /// Frameworks do the same when they make a tensor from a list. Does nothing if `stream` is
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
/// several NUMA nodes and the device's node is known, calls `prefer` with that node. `prefer` makes
/// pages come from that node; it returns why that failed, or "". `root` is the folder that contains
/// sys/: "/" except in tests. Returns
///   numa_node    the device's node; null if it is unknown
///   host_memory  "one node", "node unknown", "near the GPU (node 1)", or "anywhere (WHY)" with the
///                text that `prefer` returned
Json place_host_memory(const std::string& bus_id, const std::filesystem::path& root,
                       std::string (*prefer)(int node));

}  // namespace normbench::cuda
