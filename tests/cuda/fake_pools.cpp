#include <fmt/format.h>

#include <algorithm>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

using Handle = cudaMemPool_t;

std::string pool_name(Handle pool) {
  return fmt::format("pool {}", FakeObjects<Handle, FakePool>::number(pool));
}

/// Takes a freed block from a pool for the next work of `stream`. Returns null if no block can be
/// taken. A block can be taken if its free is done, if `stream` freed it, or if `stream` waits for
/// the stream that freed it. The block must have exactly `bytes` bytes, because the guard after its
/// last byte stays where it is.
std::byte* take_freed(FakePool& pool, std::size_t bytes, cudaStream_t stream) {
  const auto fits = [&](const FakeFreed& freed) {
    return freed.bytes == bytes && fake_cuda().streams.is_past(freed.stream, freed.number, stream);
  };
  const auto found = std::ranges::find_if(pool.freed, fits);
  if (found == pool.freed.end()) return nullptr;
  std::byte* const data = found->data;
  pool.freed.erase(found);
  fake_cuda().memory.set_freeing(data, false);
  return data;
}

std::byte* give(FakePool& pool, std::size_t bytes, cudaStream_t stream) {
  if (std::byte* const again = take_freed(pool, bytes, stream)) return again;
  std::byte* const block = fake_cuda().memory.allocate(FakeKind::Pool, bytes, false);
  pool.blocks.insert(block);
  return block;
}

FakePool* pool_of(const void* data) {
  for (auto& [number, pool] : fake_cuda().pools.live)
    if (pool.blocks.contains(static_cast<const std::byte*>(data))) return &pool;
  return nullptr;
}

/// Releases each freed block of the pool whose free is done on its stream.
void release_freed(FakePool& pool) {
  FakeCuda& cuda = fake_cuda();
  std::erase_if(pool.freed, [&](const FakeFreed& freed) {
    return cuda.streams.is_done(freed.stream, freed.number) && pool.blocks.erase(freed.data) == 1 &&
           cuda.memory.release(freed.data);
  });
}

cudaError_t free_in_order(FakePool* pool, void* data, std::size_t bytes, cudaStream_t stream) {
  FakeCuda& cuda = fake_cuda();
  const auto task = [data, kept = pool != nullptr] {
    if (kept)
      fake_cuda().memory.close(data);
    else
      fake_cuda().memory.release(data);
  };
  if (const cudaError_t error = cuda.streams.submit(stream, {.run = task}); error != cudaSuccess)
    return error;
  cuda.memory.set_freeing(data, true);
  if (pool)
    pool->freed.push_back({.data = static_cast<std::byte*>(data),
                           .bytes = bytes,
                           .stream = stream,
                           .number = cuda.streams.find(stream)->submitted});
  return cudaSuccess;
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
    FakePool* const found = fake_cuda().pools.find(pool);
    if (!found) return cudaErrorInvalidValue;
    release_freed(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(Handle pool) {
  return fake_cuda().call(
      "cudaMemPoolDestroy", pool_name(pool),
      [&] {
        FakePool* const found = fake_cuda().pools.find(pool);
        if (!found) return cudaErrorInvalidValue;
        release_freed(*found);
        fake_cuda().pools.remove(pool);
        return cudaSuccess;
      },
      true);
}

cudaError_t cudaMallocFromPoolAsync(void** data, size_t bytes, Handle pool, cudaStream_t stream) {
  return fake_cuda().call("cudaMallocFromPoolAsync",
                          fmt::format("{} {} {}", bytes, pool_name(pool), name_of(stream)), [&] {
                            FakeCuda& cuda = fake_cuda();
                            FakePool* const found = cuda.pools.find(pool);
                            if (!found || !cuda.streams.find(stream)) return cudaErrorInvalidValue;
                            if (captures(stream)) return cudaErrorStreamCaptureUnsupported;
                            std::byte* const block = give(*found, bytes, stream);
                            *data = block;
                            return cuda.streams.submit(
                                stream, {.run = [block] { fake_cuda().memory.open(block); }});
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
        return free_in_order(pool_of(data), data, block->bytes, stream);
      },
      true);
}
