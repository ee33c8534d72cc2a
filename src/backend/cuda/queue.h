/// The queue of the CUDA backend: a stream with marks (events) and graphs.
#pragma once

#include <deque>
#include <mutex>

#include "backend/cuda/cycles.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

class CudaQueue final : public Queue {
 public:
  CudaQueue(int threads, Recorder* recorder);
  /// Drops a capture that has not ended, waits for all submitted work, and unlocks all memory that
  /// lock() has locked.
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  /// Drops a capture that has not ended, then waits for all submitted work.
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

  /// Page-locks host memory in place, until unlock() or the destructor. Throws CudaError.
  void lock(std::byte* data, std::int64_t bytes);
  void unlock(std::byte* data);

  cudaStream_t stream() const { return stream_.get(); }
  bool is_loading() const { return loading_; }

 private:
  void drop_capture();
  cudaEvent_t event_of(int mark);

  Stream stream_;
  std::mutex mutex_;          // guards `events_`, which other queues read in wait_for()
  std::deque<Event> events_;  // by number of the mark; reset_marks() keeps them for reuse
  int marks_ = 0;
  bool sleeps_ = false;
  std::optional<Cycles> cycles_;  // created at first use
  bool capturing_ = false, loading_ = false;
  std::vector<std::byte*> locked_;
};

/// Returns the stream for launches on `queue`: its own stream, or only_load() between begin_load()
/// and end_load().
inline cudaStream_t stream_of(Queue& queue) {
  const auto& own = static_cast<CudaQueue&>(queue);
  return own.is_loading() ? only_load() : own.stream();
}

}  // namespace normbench::cuda
