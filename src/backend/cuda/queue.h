/// A stream with its marks (events) and graphs.
#pragma once

#include <deque>
#include <mutex>

#include "backend/cuda/cycles.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

class CudaQueue final : public Queue {
 public:
  CudaQueue(int threads, Recorder* recorder);
  /// Waits for what is submitted and undoes what a failed case left: its capture, locked memory.
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  /// A capture that was begun and not ended is dropped, here and in begin_capture().
  void drain() override;
  bool is_asynchronous() const override { return true; }
  int mark() override;
  void wait(int mark) override;
  void wait_awake(int mark) override;
  std::int64_t ns_between(int from, int to) override;
  void reset_marks() override { marks_ = 0; }
  void wait_for(Queue& other, int mark) override;
  void start_cycles() override;
  std::int64_t stop_cycles() override { return cycles_->stop(stream()); }
  void sleep_in_waits() override { sleeps_ = true; }
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;
  void launch(Graph& graph) override;
  void begin_load() override { loading_ = true; }
  void end_load() override { loading_ = false; }

  /// Page-locks host memory where it lies, until unlock() or this queue's end.
  void lock(std::byte* data, std::int64_t bytes);
  void unlock(std::byte* data);

  cudaStream_t stream() const { return stream_.get(); }
  bool is_loading() const { return loading_; }

 private:
  void drop_capture();
  cudaEvent_t event_of(int mark);

  Stream stream_;
  std::mutex mutex_;          // other threads look up events while this one adds some
  std::deque<Event> events_;  // kept when marks are forgotten
  int marks_ = 0;
  bool sleeps_ = false;
  std::optional<Cycles> cycles_;  // made when first asked for
  bool capturing_ = false, loading_ = false;
  std::vector<std::byte*> locked_;
};

/// The stream of a queue of the CUDA backend: where its rows submit.
inline cudaStream_t stream_of(Queue& queue) {
  const auto& own = static_cast<CudaQueue&>(queue);
  return own.is_loading() ? only_load() : own.stream();
}

}  // namespace normbench::cuda
