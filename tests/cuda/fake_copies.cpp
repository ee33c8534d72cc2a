#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

struct CopyCall {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  FakeKind to_kind, from_kind;

  bool pageable() const { return to_kind == FakeKind::Pageable || from_kind == FakeKind::Pageable; }
  std::string name() const {
    return fmt::format("{} {}->{}", bytes, normbench::name_of(from_kind),
                       normbench::name_of(to_kind));
  }
};

CopyCall describe(void* to, const void* from, std::size_t bytes) {
  const FakeMemory& memory = fake_cuda().memory;
  return {.to = static_cast<std::byte*>(to),
          .from = static_cast<const std::byte*>(from),
          .bytes = bytes,
          .to_kind = memory.kind_of(to),
          .from_kind = memory.kind_of(from)};
}

bool device_side(FakeKind kind) { return is_device(kind) || kind == FakeKind::Managed; }
bool host_side(FakeKind kind) { return !is_device(kind); }

bool fits(const CopyCall& copy, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return host_side(copy.from_kind) && host_side(copy.to_kind);
    case cudaMemcpyHostToDevice:
      return host_side(copy.from_kind) && device_side(copy.to_kind);
    case cudaMemcpyDeviceToHost:
      return device_side(copy.from_kind) && host_side(copy.to_kind);
    case cudaMemcpyDeviceToDevice:
      return device_side(copy.from_kind) && device_side(copy.to_kind);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

/// Returns true if the runtime knows the bytes as memory of this kind. Pageable memory is always
/// accepted.
bool holds(const void* data, std::size_t bytes, FakeKind kind) {
  if (kind == FakeKind::Pageable) return true;
  const FakeBlock* block = fake_cuda().memory.find(data, bytes);
  return block && block->kind == kind;
}

/// Returns true if holds() is true and the memory is usable. Memory that was allocated in a stream
/// is usable only between this allocation and its free in a stream.
bool is_there(const void* data, std::size_t bytes, FakeKind kind) {
  return holds(data, bytes, kind) &&
         (kind == FakeKind::Pageable || fake_cuda().memory.find(data)->usable);
}

/// Records a violation if the CPU copies from write-combined memory, where every read is slow.
void note_slow_read(const CopyCall& copy) {
  if (copy.from_kind == FakeKind::WriteCombined && !device_side(copy.to_kind))
    fake_cuda().violations.push_back("the CPU reads write-combined memory: " + copy.name());
}

cudaError_t verify(const CopyCall& copy, cudaMemcpyKind kind) {
  note_slow_read(copy);
  if (!fits(copy, kind)) {
    fake_cuda().violations.push_back("a copy in a direction that is not its own: " + copy.name());
    return cudaErrorInvalidMemcpyDirection;
  }
  const bool inside =
      holds(copy.to, copy.bytes, copy.to_kind) && holds(copy.from, copy.bytes, copy.from_kind);
  if (!inside) fake_cuda().violations.push_back("a copy beyond the end: " + copy.name());
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

void move(const CopyCall& copy) {
  if (is_there(copy.to, copy.bytes, copy.to_kind) &&
      is_there(copy.from, copy.bytes, copy.from_kind))
    fake_cuda().memory.copy(copy.to, copy.from, copy.bytes);
  else
    fake_cuda().violations.push_back("memory was released before its copy: " + copy.name());
}

FakeTask task(const CopyCall& copy) {
  return {.ns = fake_cuda().copy_ns, .run = [copy] { move(copy); }};
}

/// Reads `copy.from` into a staging buffer at once. Returns the task that copies the buffer to
/// `copy.to`.
FakeTask staged(const CopyCall& copy) {
  auto bytes = std::make_shared<std::vector<std::byte>>(copy.from, copy.from + copy.bytes);
  return {.ns = fake_cuda().copy_ns, .run = [copy, bytes] {
            CopyCall from_staging = copy;
            from_staging.from = bytes->data();
            move(from_staging);
          }};
}

bool to_staging(const CopyCall& copy) {
  return copy.from_kind == FakeKind::Pageable && device_side(copy.to_kind);
}

cudaError_t copy_async(const CopyCall& copy, cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t error = verify(copy, kind); error != cudaSuccess) return error;
  FakeStreams& streams = fake_cuda().streams;
  if (!copy.pageable()) return streams.submit(stream, task(copy));
  if (const cudaError_t error = streams.finish(stream); error != cudaSuccess) return error;
  if (to_staging(copy))
    return streams.submit(stream, fake_cuda().costs.runs_bodies() ? staged(copy) : task(copy));
  streams.submit(stream, task(copy));
  return streams.finish(stream);
}

cudaError_t copy_now(const CopyCall& copy, cudaMemcpyKind kind) {
  if (const cudaError_t error = verify(copy, kind); error != cudaSuccess) return error;
  FakeStreams& streams = fake_cuda().streams;
  if (const cudaError_t error = streams.may_synchronize(); error != cudaSuccess) return error;
  if (is_device(copy.to_kind) && is_device(copy.from_kind))
    return streams.submit(nullptr, task(copy));
  streams.finish(nullptr);
  streams.submit(nullptr, to_staging(copy) ? staged(copy) : task(copy));
  return to_staging(copy) ? cudaSuccess : streams.finish(nullptr);
}

cudaError_t fill(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  // CUDA lets copies use the host address of write-combined memory, but does not promise this for
  // fills. So a fill at such an address fails here.
  const FakeBlock* block = fake_cuda().memory.find(data, bytes);
  if (!block || block->kind == FakeKind::WriteCombined) return cudaErrorInvalidValue;
  return fake_cuda().streams.submit(stream, {.ns = fake_cuda().fill_ns, .run = [=] {
                                               std::memset(data, value, bytes);
                                               fake_cuda().memory.set_written(data, bytes);
                                             }});
}

std::string fill_name(const void* data, int value, std::size_t bytes) {
  return fmt::format("{} {} of {}", name_of(fake_cuda().memory.kind_of(data)), bytes, value);
}

}  // namespace

// A function waits for its own work only if the CUDA header promises this. For example, cudaMemcpy
// does not wait for copies from device to device, or from pageable memory to the device. No
// function waits for work in other streams.

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const CopyCall copy = describe(to, from, bytes);
  if (!is_device(copy.to_kind)) fake_cuda().costs.see_output(to, bytes);
  return fake_cuda().call("cudaMemcpyAsync", copy.name() + " " + name_of(stream),
                          [&] { return copy_async(copy, kind, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const CopyCall copy = describe(to, from, bytes);
  return fake_cuda().call("cudaMemcpy", copy.name(), [&] { return copy_now(copy, kind); });
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  return fake_cuda().call("cudaMemsetAsync", fill_name(data, value, bytes) + " " + name_of(stream),
                          [&] { return fill(data, value, bytes, stream); });
}

cudaError_t cudaMemset(void* data, int value, size_t bytes) {
  return fake_cuda().call("cudaMemset", fill_name(data, value, bytes), [&] {
    const cudaError_t error = fake_cuda().streams.may_synchronize();
    return error == cudaSuccess ? fill(data, value, bytes, nullptr) : error;
  });
}
