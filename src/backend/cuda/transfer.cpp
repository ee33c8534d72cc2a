#include "backend/cuda/copy.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

template <class T>
constexpr cudaMemcpyKind direction =
    std::is_same_v<T, H2d> ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;

/// The host's side of a transfer.
template <class T>
const TensorDesc& host_side(const Signature& s) {
  return std::is_same_v<T, H2d> ? s.in[0] : s.out[0];
}

template <class T>
bool accepts_dense(const T&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

template <class T>
bool accepts_mapped(const T& op, const Signature& s) {
  return accepts_dense(op, s) && reaches(Place::Cuda, host_side<T>(s).memory);
}

/// cudaMemcpy knows nothing of this stream: it goes after all that was submitted to it, and what
/// comes next on it goes after the copy, which may still be on its way when cudaMemcpy returns.
template <class T>
Launch prepare_reference(const T&, const Signature& s) {
  return [bytes = s.out[0].bytes()](Queue& queue, std::span<const View> in,
                                    std::span<const View> out, View) {
    queue.drain();
    check(cudaMemcpy(out[0].data, in[0].data, static_cast<std::size_t>(bytes), direction<T>),
          "cudaMemcpy", bytes);
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize after cudaMemcpy");
  };
}

template <class T>
Launch prepare_async(const T&, const Signature& s) {
  return [bytes = s.out[0].bytes()](Queue& queue, std::span<const View> in,
                                    std::span<const View> out, View) {
    check(cudaMemcpyAsync(out[0].data, in[0].data, static_cast<std::size_t>(bytes), direction<T>,
                          stream_of(queue)),
          "cudaMemcpyAsync", bytes);
  };
}

template <class T>
Launch prepare_kernel(const T&, const Signature& s) {
  return [bytes = s.out[0].bytes()](Queue& queue, std::span<const View> in,
                                    std::span<const View> out, View) {
    check(launch_copy(stream_of(queue), out[0].data, in[0].data, bytes), "launching a copy", bytes);
  };
}

template <class T>
constexpr Kernel reference() {
  Kernel kernel = row<T, accepts_dense<T>, prepare_reference<T>>("reference");
  kernel.capturable = &never;
  return kernel;
}

/// The driver stages copies of pageable memory itself, which no graph can hold.
template <class T>
constexpr Kernel async() {
  Kernel kernel = row<T, accepts_dense<T>, prepare_async<T>>("async");
  kernel.capturable = [](const Op&, const Signature& s) {
    return cuda_owns(host_side<T>(s).memory);
  };
  return kernel;
}

}  // namespace

std::span<const Kernel> transfer_rows() {
  static constexpr Kernel rows[] = {
      reference<H2d>(), async<H2d>(), row<H2d, accepts_mapped<H2d>, prepare_kernel<H2d>>("kernel"),
      reference<D2h>(), async<D2h>(), row<D2h, accepts_mapped<D2h>, prepare_kernel<D2h>>("kernel")};
  return rows;
}

}  // namespace normbench::cuda
