#include <memory>

#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

/// The way back: a stream of its own that writes pinned memory, and the events that tie it to a
/// queue's stream.
class WayBack {
 public:
  explicit WayBack(std::int64_t bytes)
      : bytes_(bytes), host_(allocate(Memory::Pinned, static_cast<std::size_t>(bytes), 0)) {}
  /// Waits: a call after the copy's own may have failed.
  ~WayBack() { cudaStreamSynchronize(stream_.get()); }
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;

  /// Starts the copy when what `stream` was given so far is done.
  void fork(cudaStream_t stream, const std::byte* from) {
    check(cudaEventRecord(begin_.get(), stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_.get(), begin_.get(), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(host_->data(), from, static_cast<std::size_t>(bytes_),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync", bytes_);
    check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  }
  /// What `stream` is given from now on waits for the copy.
  void join(cudaStream_t stream) {
    check(cudaStreamWaitEvent(stream, end_.get(), 0), "cudaStreamWaitEvent");
  }

 private:
  std::int64_t bytes_;
  std::unique_ptr<Allocation> host_;
  Event begin_, end_;
  Stream stream_;
};

bool accepts_dense(const Exchange&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

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

/// What goes back lies in scratch memory; the output is being written meanwhile.
constexpr Kernel two_streams() {
  Kernel kernel =
      normbench::row<Exchange, accepts_dense, prepare_two_streams>("two_streams", Place::Cuda);
  kernel.scratch = [](const Op&, const Signature& s) {
    return static_cast<std::size_t>(s.out[0].bytes());
  };
  return kernel;
}

}  // namespace

std::span<const Kernel> exchange_rows() {
  static constexpr Kernel rows[] = {two_streams()};
  return rows;
}

}  // namespace normbench::cuda
