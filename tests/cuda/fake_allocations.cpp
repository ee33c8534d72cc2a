#include <fmt/format.h>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

cudaError_t allocate(void** data, FakeKind kind, std::size_t bytes) {
  FakeCuda& cuda = fake_cuda();
  if (const cudaError_t error = cuda.streams.may_synchronize(); error != cudaSuccess) return error;
  *data = cuda.memory.allocate(kind, bytes);
  return cudaSuccess;
}

cudaError_t release(void* data, bool (*belongs)(FakeKind)) {
  FakeCuda& cuda = fake_cuda();
  if (const cudaError_t error = cuda.streams.may_synchronize(); error != cudaSuccess) return error;
  if (belongs(cuda.memory.kind_of(data)) && cuda.memory.release(data)) return cudaSuccess;
  cuda.violations.push_back("something was freed that is not allocated, or of another kind");
  return cudaErrorInvalidValue;
}

std::string size_of_block(const void* data) {
  if (!data) return "null";
  const FakeBlock* block = fake_cuda().memory.find(data);
  return block ? fmt::format("{} {}", name_of(block->kind), block->bytes) : "unknown";
}

cudaMemoryType type_of(FakeKind kind) {
  if (kind == FakeKind::Pageable) return cudaMemoryTypeUnregistered;
  if (kind == FakeKind::Managed) return cudaMemoryTypeManaged;
  return is_device(kind) ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
}

/// Returns the names of the set flags, like "mapped|write_combined", or "default" if none is set.
std::string words(unsigned flags, const std::vector<std::pair<unsigned, const char*>>& names) {
  std::string text;
  for (const auto& [flag, name] : names)
    if (flags & flag) text += (text.empty() ? "" : "|") + std::string(name);
  return text.empty() ? "default" : text;
}

std::string advice_name(cudaMemoryAdvise advice) {
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
      return "read_mostly";
    case cudaMemAdviseSetPreferredLocation:
      return "preferred_location";
    case cudaMemAdviseSetAccessedBy:
      return "accessed_by";
    default:
      return fmt::format("advice {}", static_cast<int>(advice));
  }
}

std::string location_name(const cudaMemLocation& location) {
  if (location.type == cudaMemLocationTypeDevice) return fmt::format("device {}", location.id);
  return location.type == cudaMemLocationTypeHost ? "host" : "host numa";
}

}  // namespace

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return fake_cuda().call("cudaMalloc", std::to_string(bytes),
                          [&] { return allocate(data, FakeKind::Device, bytes); });
}

/// Waits for all submitted work, as the real cudaFree does.
cudaError_t cudaFree(void* data) {
  return fake_cuda().call(
      "cudaFree", size_of_block(data),
      [&] {
        if (!data) return cudaSuccess;
        if (fake_cuda().streams.may_synchronize() == cudaSuccess) fake_cuda().streams.finish_all();
        return release(data,
                       [](FakeKind kind) { return is_device(kind) || kind == FakeKind::Managed; });
      },
      true);
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned int flags) {
  const std::string names = words(flags, {{cudaHostAllocPortable, "portable"},
                                          {cudaHostAllocMapped, "mapped"},
                                          {cudaHostAllocWriteCombined, "write_combined"}});
  return fake_cuda().call("cudaHostAlloc", fmt::format("{} {}", bytes, names), [&] {
    return allocate(data,
                    flags & cudaHostAllocWriteCombined ? FakeKind::WriteCombined
                    : flags & cudaHostAllocMapped      ? FakeKind::Mapped
                                                       : FakeKind::Pinned,
                    bytes);
  });
}

/// Does not wait for submitted work, because the real cudaFreeHost does not promise to wait.
cudaError_t cudaFreeHost(void* data) {
  return fake_cuda().call(
      "cudaFreeHost", size_of_block(data),
      [&] {
        if (!data) return cudaSuccess;
        return release(data, [](FakeKind kind) {
          return kind == FakeKind::Pinned || kind == FakeKind::Mapped ||
                 kind == FakeKind::WriteCombined;
        });
      },
      true);
}

cudaError_t cudaHostRegister(void* data, size_t bytes, unsigned int flags) {
  const std::string names = words(flags, {{cudaHostRegisterPortable, "portable"},
                                          {cudaHostRegisterMapped, "mapped"},
                                          {cudaHostRegisterReadOnly, "read_only"}});
  return fake_cuda().call("cudaHostRegister", fmt::format("{} {}", bytes, names), [&] {
    FakeCuda& cuda = fake_cuda();
    if (const cudaError_t error = cuda.streams.may_synchronize(); error != cudaSuccess)
      return error;
    if (bytes == 0) return cudaErrorInvalidValue;
    return cuda.memory.add_registered(static_cast<std::byte*>(data), bytes)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* data) {
  return fake_cuda().call(
      "cudaHostUnregister", size_of_block(data),
      [&] {
        FakeCuda& cuda = fake_cuda();
        if (const cudaError_t error = cuda.streams.may_synchronize(); error != cudaSuccess)
          return error;
        if (cuda.memory.kind_of(data) == FakeKind::Registered && cuda.memory.release(data))
          return cudaSuccess;
        cuda.violations.push_back("something was unregistered that is not registered");
        return cudaErrorHostMemoryNotRegistered;
      },
      true);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  return fake_cuda().call("cudaHostGetDevicePointer", size_of_block(host), [&] {
    if (!fake_cuda().memory.find(host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return fake_cuda().call("cudaPointerGetAttributes", size_of_block(data), [&] {
    *attributes = {};
    attributes->type = type_of(fake_cuda().memory.kind_of(data));
    return cudaSuccess;
  });
}

cudaError_t cudaMallocManaged(void** data, size_t bytes, unsigned int flags) {
  const std::string names = flags == cudaMemAttachGlobal ? "global" : "host";
  return fake_cuda().call("cudaMallocManaged", fmt::format("{} {}", bytes, names),
                          [&] { return allocate(data, FakeKind::Managed, bytes); });
}

cudaError_t cudaMemAdvise(const void* data, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return fake_cuda().call(
      "cudaMemAdvise", fmt::format("{} {} {}", bytes, advice_name(advice), location_name(location)),
      [&] {
        const FakeBlock* block = fake_cuda().memory.find(data, bytes);
        return block && block->kind == FakeKind::Managed ? cudaSuccess : cudaErrorInvalidValue;
      });
}

/// The overload with the signature of CUDA 12.
cudaError_t cudaMemAdvise(const void* data, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(data, bytes, advice, cudaMemLocation{cudaMemLocationTypeDevice, device});
}

cudaError_t cudaMemPrefetchAsync(const void* data, size_t bytes, cudaMemLocation location,
                                 unsigned int, cudaStream_t stream) {
  return fake_cuda().call("cudaMemPrefetchAsync",
                          fmt::format("{} {} {}", bytes, location_name(location), name_of(stream)),
                          [&] {
                            const FakeBlock* block = fake_cuda().memory.find(data, bytes);
                            return block && block->kind == FakeKind::Managed
                                       ? fake_cuda().streams.submit(stream, {.run = [] {}})
                                       : cudaErrorInvalidValue;
                          });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return fake_cuda().call("cudaMemGetInfo", "", [&] {
    const int device = FakeCuda::current_device();
    *free = fake_cuda().free_bytes >> device;
    *total = fake_cuda().properties_of(device).totalGlobalMem;
    return cudaSuccess;
  });
}
