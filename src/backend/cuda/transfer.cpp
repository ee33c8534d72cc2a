#include <memory>

#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

template <class T>
constexpr cudaMemcpyKind direction =
    std::is_same_v<T, H2d> ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;

/// Returns the tensor on the host's side of a transfer.
template <class T>
const TensorDesc& host_side(const Signature& s) {
  return std::is_same_v<T, H2d> ? s.in[0] : s.out[0];
}

template <class T>
bool accepts_mapped(const T& op, const Signature& s) {
  return accepts_dense(op, s) && reaches(Place::Cuda, host_side<T>(s).memory);
}

/// Returns a launch of cudaMemcpy(). It waits for the queue first, because cudaMemcpy() is not
/// ordered with the queue's stream. It waits again afterwards, because cudaMemcpy() may return
/// while the copy is still running.
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
Launch prepare_mapped(const T&, const Signature& s) {
  return [bytes = s.out[0].bytes()](Queue& queue, std::span<const View> in,
                                    std::span<const View> out, View) {
    check(launch_copy(stream_of(queue), out[0].data, in[0].data, bytes), "launching a copy", bytes);
  };
}

template <class T>
constexpr Kernel reference() {
  Kernel kernel = without_kernels(row<T, accepts_dense<T>, prepare_reference<T>>("reference"));
  kernel.capturable = &never;
  return kernel;
}

/// Returns the kernel row `async`. A CUDA graph can capture its copy only if the host memory is of
/// a kind that CUDA allocates or page-locks. The driver copies pageable memory through staging
/// buffers, and a graph cannot hold such a copy.
template <class T>
constexpr Kernel async() {
  Kernel kernel = without_kernels(row<T, accepts_dense<T>, prepare_async<T>>("async"));
  kernel.capturable = [](const Op&, const Signature& s) {
    return cuda_owns(host_side<T>(s).memory);
  };
  return kernel;
}

/// The device-to-host copy of the op `exchange`, into pinned memory, in a stream of its own. In
/// fork(), the copy's stream waits for an event of the queue's stream. In join(), the queue's
/// stream waits for the event at the end of the copy.
class WayBack {
 public:
  explicit WayBack(std::int64_t bytes)
      : bytes_(bytes), host_(allocate(Memory::Pinned, static_cast<std::size_t>(bytes), 0)) {}
  /// Waits for the copy. If a call between fork() and join() has failed, nothing else waits for it.
  ~WayBack() { cudaStreamSynchronize(stream_.get()); }
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;

  /// Starts the copy when all earlier work of `stream` is done.
  void fork(cudaStream_t stream, const std::byte* from) {
    check(cudaEventRecord(begin_.get(), stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_.get(), begin_.get(), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(host_->data(), from, static_cast<std::size_t>(bytes_),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync", bytes_);
    check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  }
  /// Makes all later work of `stream` wait for the copy.
  void join(cudaStream_t stream) {
    check(cudaStreamWaitEvent(stream, end_.get(), 0), "cudaStreamWaitEvent");
  }

 private:
  std::int64_t bytes_;
  std::unique_ptr<Allocation> host_;
  Event begin_, end_;
  Stream stream_;
};

Launch prepare_two_streams(const Exchange&, const Signature& s) {
  const std::int64_t bytes = s.out[0].bytes();
  return [bytes, back = std::make_shared<WayBack>(bytes)](Queue& queue, std::span<const View> in,
                                                          std::span<const View> out, View scratch) {
    const cudaStream_t stream = stream_of(queue);
    back->fork(stream, scratch.data);
    check(cudaMemcpyAsync(out[0].data, in[0].data, static_cast<std::size_t>(bytes),
                          cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync", bytes);
    back->join(stream);
  };
}

/// Returns the kernel row of the op `exchange`. The device-to-host copy reads scratch memory, not
/// the output, because the output is written at the same time.
constexpr Kernel two_streams() {
  Kernel kernel = normbench::row<Exchange, accepts_dense<Exchange>, prepare_two_streams>(
      "two_streams", Place::Cuda);
  kernel.scratch = [](const Op&, const Signature& s) {
    return static_cast<std::size_t>(s.out[0].bytes());
  };
  return kernel;
}

}  // namespace

std::span<const Kernel> transfer_rows() {
  static constexpr Kernel rows[] = {
      reference<H2d>(), async<H2d>(), row<H2d, accepts_mapped<H2d>, prepare_mapped<H2d>>("kernel"),
      reference<D2h>(), async<D2h>(), row<D2h, accepts_mapped<D2h>, prepare_mapped<D2h>>("kernel"),
      two_streams()};
  return rows;
}

}  // namespace normbench::cuda
