#include <cstring>

#include "backend/cpu/stream_simd.h"
#include "backend/cpu/team.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "machine/topology.h"

namespace normbench::cuda {
namespace {

bool accepts_pin(const Pin&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

// Pinning is done when the call returns; the caller has waited for copies of the same buffers.

Launch prepare_memcpy(const Pin&, const Signature& s) {
  return [bytes = static_cast<std::size_t>(s.out[0].bytes())](Queue&, std::span<const View> in,
                                                              std::span<const View> out, View) {
    std::memcpy(out[0].data, in[0].data, bytes);
  };
}

/// Stores past the cache where CPU kernels do so. Page-locked memory is mapped when it is given.
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

bool accepts_dense(const Register&, const Signature& s) { return s.in[0].is_dense(); }

Launch prepare_register(const Register&, const Signature& s) {
  return
      [bytes = s.in[0].bytes()](Queue& queue, std::span<const View> in, std::span<const View>,
                                View) { static_cast<CudaQueue&>(queue).lock(in[0].data, bytes); };
}

bool accepts_all(const Unregister&, const Signature&) { return true; }

/// A copy may still read what is to be given back.
Launch prepare_unregister(const Unregister&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View>, View) {
    queue.drain();
    static_cast<CudaQueue&>(queue).unlock(in[1].data);
  };
}

}  // namespace

// Calls of the host: none can be captured.
std::span<const Kernel> host_call_rows() {
  static constexpr Kernel rows[] = {
      normbench::row<Pin, accepts_pin, prepare_memcpy>("reference", Place::Cuda),
      normbench::row<Pin, accepts_pin, prepare_team>("team", Place::Cuda),
      normbench::row<Register, accepts_dense, prepare_register>("cuda_host_register", Place::Cuda),
      normbench::row<Unregister, accepts_all, prepare_unregister>("cuda_host_unregister",
                                                                  Place::Cuda)};
  return rows;
}

}  // namespace normbench::cuda
