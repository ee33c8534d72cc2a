#include "backend/cuda/memory.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cpu/memory.h"

namespace normbench::cuda {
namespace {

/// Memory together with the function that frees it.
class Owned final : public Allocation {
 public:
  using Free = std::function<void(void*)>;
  Owned(void* data, std::size_t bytes, Free free)
      : data_(static_cast<std::byte*>(data)), bytes_(bytes), free_(std::move(free)) {}
  ~Owned() override { free_(data_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  std::byte* data() override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  Free free_;
};

/// How a kind of memory is allocated and freed.
struct Kind {
  Memory memory;
  std::string_view call;
  cudaError_t (*allocate)(void** data, std::size_t bytes);
  cudaError_t (*free)(void* data);
};

template <unsigned Flags>
cudaError_t host_alloc(void** data, std::size_t bytes) {
  return cudaHostAlloc(data, bytes, Flags);
}

cudaError_t malloc_managed(void** data, std::size_t bytes) {
  return cudaMallocManaged(data, bytes, cudaMemAttachGlobal);
}

constexpr Kind kinds[] = {
    {Memory::Pinned, "cudaHostAlloc", &host_alloc<cudaHostAllocDefault>, &cudaFreeHost},
    {Memory::WriteCombined, "cudaHostAlloc", &host_alloc<cudaHostAllocWriteCombined>,
     &cudaFreeHost},
    {Memory::Mapped, "cudaHostAlloc", &host_alloc<cudaHostAllocMapped>, &cudaFreeHost},
    {Memory::Managed, "cudaMallocManaged", &malloc_managed, &cudaFree},
    {Memory::Device, "cudaMalloc", &cudaMalloc, &cudaFree},
};

/// Pageable memory that is page-locked with cudaHostRegister() during the object's lifetime.
class Registered final : public Allocation {
 public:
  explicit Registered(std::size_t bytes) : pages_(map_pages(Memory::Pageable, bytes)) {
    check(cudaHostRegister(data(), this->bytes(), cudaHostRegisterDefault), "cudaHostRegister",
          static_cast<std::int64_t>(bytes));
  }
  ~Registered() override { cudaHostUnregister(data()); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  std::byte* data() override { return pages_->data(); }
  std::size_t bytes() const override { return pages_->bytes(); }

 private:
  std::unique_ptr<Allocation> pages_;
};

/// Throws std::runtime_error if the device sees the memory at another address than the host,
/// because kernels get the address that the host uses.
void check_one_address(Allocation& allocation, Memory memory) {
  void* device_data = nullptr;
  check(cudaHostGetDevicePointer(&device_data, allocation.data(), 0), "cudaHostGetDevicePointer");
  if (device_data != allocation.data())
    throw std::runtime_error("this GPU sees " + std::string(name_of(memory)) +
                             " memory at another address than the host (use pinned memory)");
}

// The types of cudaMemAdvise() in CUDA 12 (AdviseDevice) and in CUDA 13 (AdviseLocation).
// prefer_device() calls the overload of advise() for the type in this build.
using AdviseDevice = cudaError_t (*)(const void*, std::size_t, cudaMemoryAdvise, int);
using AdviseLocation = cudaError_t (*)(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation);

[[maybe_unused]] cudaError_t advise(AdviseDevice call, Allocation& memory, int device) {
  return call(memory.data(), memory.bytes(), cudaMemAdviseSetPreferredLocation, device);
}

[[maybe_unused]] cudaError_t advise(AdviseLocation call, Allocation& memory, int device) {
  cudaMemLocation location{};
  location.type = cudaMemLocationTypeDevice;
  location.id = device;
  return call(memory.data(), memory.bytes(), cudaMemAdviseSetPreferredLocation, location);
}

/// Makes the device the preferred location of managed memory, if the GPU can fault pages in. On
/// other GPUs managed memory lies on the device anyway while kernels run.
void prefer_device(Allocation& memory, int device) {
  int faults_in = 0;
  check(cudaDeviceGetAttribute(&faults_in, cudaDevAttrConcurrentManagedAccess, device),
        "cudaDeviceGetAttribute(ConcurrentManagedAccess)");
  if (faults_in != 0) check(advise(&cudaMemAdvise, memory, device), "cudaMemAdvise");
}

std::unique_ptr<Allocation> allocate_kind(Memory memory, std::size_t bytes) {
  const Kind* kind = std::ranges::find(kinds, memory, &Kind::memory);
  if (kind == std::end(kinds))
    throw std::runtime_error("CUDA cannot allocate " + std::string(name_of(memory)) + " memory");
  void* data = nullptr;
  check(kind->allocate(&data, bytes), kind->call, static_cast<std::int64_t>(bytes));
  return std::make_unique<Owned>(data, bytes, kind->free);
}

constexpr std::size_t kChunkBytes = 4 << 20;

/// Divides `bytes` bytes into chunks of at most kChunkBytes. Calls `work` with the offset and the
/// size of each chunk, in bytes.
template <class Work>
void in_chunks(std::size_t bytes, Work work) {
  for (std::size_t at = 0; at < bytes; at += kChunkBytes)
    work(at, std::min(kChunkBytes, bytes - at));
}

/// Returns true for page-locked host memory, from cudaHostAlloc() or from cudaHostRegister(). The
/// runtime reports the same type for both.
bool is_locked_host(const void* data) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeHost;
}

// cudaMemcpy and cudaMemset may return before their work on the legacy stream is done. The streams
// of queues are not synchronised with the legacy stream, so the two functions below wait for it.

void copy_and_wait(std::byte* to, const std::byte* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy",
        static_cast<std::int64_t>(bytes));
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize after cudaMemcpy");
}

void fill_and_wait(std::byte* to, std::byte value, std::size_t bytes) {
  check(cudaMemset(to, static_cast<int>(value), bytes), "cudaMemset",
        static_cast<std::int64_t>(bytes));
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize after cudaMemset");
}

namespace fs = std::filesystem;

using Bitmap = std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)>;

Bitmap make_bitmap() { return {hwloc_bitmap_alloc(), &hwloc_bitmap_free}; }

/// Returns the NUMA node of a PCI device; std::nullopt if it is unknown. Most virtual machines and
/// systems without NUMA report -1 or nothing.
std::optional<int> node_of(const std::string& bus_id, const fs::path& root) {
  std::ifstream in(root / "sys/bus/pci/devices" / bus_id / "numa_node");
  int node = -1;
  return in >> node && node >= 0 ? std::optional(node) : std::nullopt;
}

/// Returns the number of NUMA nodes with memory, or 1 if it is unknown. The file has_memory lists
/// these nodes in the form "0-1,4".
int memory_nodes(const fs::path& root) {
  std::ifstream in(root / "sys/devices/system/node/has_memory");
  std::string list;
  const Bitmap nodes = make_bitmap();
  if (!(in >> list) || hwloc_bitmap_list_sscanf(nodes.get(), list.c_str()) != 0) return 1;
  return hwloc_bitmap_weight(nodes.get());
}

}  // namespace

std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device) {
  auto allocation = memory == Memory::Registered ? std::make_unique<Registered>(bytes)
                                                 : allocate_kind(memory, bytes);
  if (memory == Memory::Registered || memory == Memory::Mapped)
    check_one_address(*allocation, memory);
  if (memory == Memory::Managed) prefer_device(*allocation, device);
  return allocation;
}

void copy_memory(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (!is_locked_host(from)) return copy_and_wait(to, from, bytes);
  const auto passage = allocate(Memory::Device, std::min(kChunkBytes, bytes), 0);
  in_chunks(bytes, [&](std::size_t at, std::size_t chunk) {
    copy_and_wait(passage->data(), from + at, chunk);
    copy_and_wait(to + at, passage->data(), chunk);
  });
}

void fill_memory(std::byte* to, std::byte value, std::size_t bytes) {
  if (!is_locked_host(to)) return fill_and_wait(to, value, bytes);
  const std::vector<std::byte> pattern(std::min(kChunkBytes, bytes), value);
  in_chunks(bytes, [&](std::size_t at, std::size_t chunk) {
    copy_and_wait(to + at, pattern.data(), chunk);
  });
}

Pool::Pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  std::uint64_t kept_bytes = UINT64_MAX;
  const cudaError_t error =
      cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept_bytes);
  if (error == cudaSuccess) return;
  cudaMemPoolDestroy(pool_);
  throw CudaError("cudaMemPoolSetAttribute(ReleaseThreshold)", error);
}

Pool::~Pool() { cudaMemPoolDestroy(pool_); }

std::unique_ptr<Allocation> Pool::allocate(std::size_t bytes, cudaStream_t stream) {
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, bytes, pool_, stream), "cudaMallocFromPoolAsync",
        static_cast<std::int64_t>(bytes));
  return std::make_unique<Owned>(data, bytes, [stream](void* at) { cudaFreeAsync(at, stream); });
}

Json place_host_memory(const std::string& bus_id, const fs::path& root,
                       std::string (*prefer)(int node)) {
  const std::optional<int> node = node_of(bus_id, root);
  Json fact = {{"numa_node", node ? Json(*node) : Json()}, {"host_memory", "node unknown"}};
  if (memory_nodes(root) <= 1) {
    fact["host_memory"] = "one node";
  } else if (node) {
    const std::string error = prefer(*node);
    fact["host_memory"] = error.empty() ? "near the GPU (node " + std::to_string(*node) + ")"
                                        : "anywhere (" + error + ")";
  }
  return fact;
}

}  // namespace normbench::cuda
