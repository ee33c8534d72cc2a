#include <fmt/format.h>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

using Handle = cudaMemPool_t;

std::string pool_name(Handle pool) {
  return fmt::format("pool {}", FakeObjects<Handle, FakePool>::number(pool));
}

bool captures(cudaStream_t stream) {
  const FakeStream* found = fake_cuda().streams.find(stream);
  return found && found->capture;
}

}  // namespace

cudaError_t cudaMemPoolCreate(Handle* pool, const cudaMemPoolProps* properties) {
  return fake_cuda().call(
      "cudaMemPoolCreate", fmt::format("device {}", properties->location.id), [&] {
        if (properties->location.type != cudaMemLocationTypeDevice ||
            properties->allocType != cudaMemAllocationTypePinned)
          return cudaErrorInvalidValue;
        if (properties->location.id != FakeCuda::current_device())
          fake_cuda().violations.push_back("a pool of a device that is not the current one");
        *pool = fake_cuda().pools.add({});
        return cudaSuccess;
      });
}

cudaError_t cudaMemPoolSetAttribute(Handle pool, cudaMemPoolAttr attribute, void* value) {
  const bool keeps = attribute == cudaMemPoolAttrReleaseThreshold;
  const std::string what = keeps ? fmt::format("keeps {}", *static_cast<std::uint64_t*>(value))
                                 : fmt::format("attribute {}", static_cast<int>(attribute));
  return fake_cuda().call("cudaMemPoolSetAttribute", pool_name(pool) + " " + what, [&] {
    return fake_cuda().pools.find(pool) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(Handle pool, size_t bytes) {
  return fake_cuda().call("cudaMemPoolTrimTo", fmt::format("{} {}", pool_name(pool), bytes), [&] {
    return fake_cuda().pools.find(pool) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolDestroy(Handle pool) {
  return fake_cuda().call(
      "cudaMemPoolDestroy", pool_name(pool),
      [&] { return fake_cuda().pools.remove(pool) ? cudaSuccess : cudaErrorInvalidValue; }, true);
}

cudaError_t cudaMallocFromPoolAsync(void** data, size_t bytes, Handle pool, cudaStream_t stream) {
  return fake_cuda().call("cudaMallocFromPoolAsync",
                          fmt::format("{} {} {}", bytes, pool_name(pool), name_of(stream)), [&] {
                            FakeCuda& cuda = fake_cuda();
                            if (!cuda.pools.find(pool) || !cuda.streams.find(stream))
                              return cudaErrorInvalidValue;
                            if (captures(stream)) return cudaErrorStreamCaptureUnsupported;
                            std::byte* block = cuda.memory.allocate(FakeKind::Pool, bytes, false);
                            *data = block;
                            return cuda.streams.submit(stream, {.run = [block] {
                                                         fake_cuda().memory.set_usable(block, true);
                                                       }});
                          });
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  FakeCuda& cuda = fake_cuda();
  const FakeBlock* block = cuda.memory.find(data);
  const std::string size = block ? std::to_string(block->bytes) : "unknown";
  return cuda.call(
      "cudaFreeAsync", fmt::format("{} {}", size, name_of(stream)),
      [&] {
        if (!block || block->data != data || !is_device(block->kind) || block->freeing) {
          cuda.violations.push_back("something was freed that is not allocated on the device");
          return cudaErrorInvalidValue;
        }
        if (captures(stream)) return cudaErrorStreamCaptureUnsupported;
        cuda.memory.set_freeing(data);
        return cuda.streams.submit(stream, {.run = [data] { fake_cuda().memory.release(data); }});
      },
      true);
}
