#include <cstring>

#include "backend/cpu/stream_simd.h"
#include "backend/cpu/team.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "machine/topology.h"

namespace normbench::cuda {
namespace {

// The two functions below return launches of the op `pin`, which copies host memory. The host does
// the copy, and the copy is done when the launch returns. Before such a launch, the caller waits
// for device copies that use the same buffers.

Launch prepare_memcpy(const Pin&, const Signature& s) {
  return [bytes = static_cast<std::size_t>(s.out[0].bytes())](Queue&, std::span<const View> in,
                                                              std::span<const View> out, View) {
    std::memcpy(out[0].data, in[0].data, bytes);
  };
}

/// Returns a launch that copies with a team of threads. It uses non-temporal stores if the output
/// is at least 1.5 times as large as the largest cache.
Launch prepare_team(const Pin&, const Signature& s) {
  const std::int64_t bytes = s.out[0].bytes();
  const Stores stores =
      2 * bytes >= 3 * largest_cache_bytes() ? Stores::NonTemporal : Stores::Normal;
  return [=](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    split(queue, bytes, vector_bytes(), [&](std::int64_t begin, std::int64_t end) {
      copy_bytes(in[0].data + begin, out[0].data + begin, end - begin, stores);
    });
  };
}

bool accepts_register(const Register&, const Signature& s) { return s.in[0].is_dense(); }

Launch prepare_register(const Register&, const Signature& s) {
  return
      [bytes = s.in[0].bytes()](Queue& queue, std::span<const View> in, std::span<const View>,
                                View) { static_cast<CudaQueue&>(queue).lock(in[0].data, bytes); };
}

/// Returns a launch that waits for all work of the queue, because a copy may still use the memory,
/// and then unlocks the memory.
Launch prepare_unregister(const Unregister&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View>, View) {
    queue.drain();
    static_cast<CudaQueue&>(queue).unlock(in[1].data);
  };
}

Launch prepare_empty(const EmptyLaunch& op, const Signature&) {
  return [count = op.count](Queue& queue, std::span<const View>, std::span<const View>, View) {
    for (std::int64_t i = 0; i < count; ++i)
      check(launch_empty(stream_of(queue)), "launching an empty kernel");
  };
}

Launch prepare_sync(const Sync&, const Signature&) {
  return [](Queue& queue, std::span<const View>, std::span<const View>, View) { queue.drain(); };
}

}  // namespace

// A row is one implementation of an op. normbench::row() makes rows of host calls, which no CUDA
// graph can capture. The row `empty` launches a kernel, so cuda::row() makes it.
std::span<const Kernel> host_call_rows() {
  static constexpr Kernel rows[] = {
      normbench::row<Pin, accepts_dense<Pin>, prepare_memcpy>("reference", Place::Cuda),
      normbench::row<Pin, accepts_dense<Pin>, prepare_team>("team", Place::Cuda),
      normbench::row<Register, accepts_register, prepare_register>("cuda_host_register",
                                                                   Place::Cuda),
      normbench::row<Unregister, accepts_all<Unregister>, prepare_unregister>(
          "cuda_host_unregister", Place::Cuda),
      row<EmptyLaunch, accepts_all<EmptyLaunch>, prepare_empty>("empty"),
      normbench::row<Sync, accepts_all<Sync>, prepare_sync>("cuda_stream_synchronize",
                                                            Place::Cuda)};
  return rows;
}

}  // namespace normbench::cuda
