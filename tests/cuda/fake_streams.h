/// Streams, events and captures of the fake CUDA runtime. A task is done only when something waits
/// for it, so that a test notices a missing wait.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/fake_costs.h"
#include "cuda/fake_memory.h"

namespace normbench {

/// Live objects of one type, by their numbers. A number is never reused. An object's handle is made
/// from its number.
template <class Handle, class Object>
class FakeObjects {
 public:
  Handle add(Object object) {
    live.emplace(++last_, std::move(object));
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(last_) * spacing);
  }
  static int number(Handle handle) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle) / spacing);
  }
  Object* find(Handle handle) {
    const auto found = live.find(number(handle));
    return found == live.end() ? nullptr : &found->second;
  }
  bool remove(Handle handle) { return live.erase(number(handle)) == 1; }

  std::map<int, Object> live;

 private:
  static constexpr std::uintptr_t spacing = 0x1000;
  int last_ = 0;
};

/// One task of a stream.
struct FakeTask {
  std::int64_t ns = 0;           // how long it takes on the device's clock
  std::int64_t call_ns = 2'500;  // how long its call takes on the host's clock
  std::function<void()> run;
  std::int64_t ready_ns = 0;  // earliest start on the device's clock
};

/// Maps streams to numbers of tasks. If `stream` has the number n, its first n tasks come before a
/// certain point in time, such as the record of an event.
using FakePast = std::map<cudaStream_t, std::int64_t>;

/// One record of an event in `stream`. `past` tells which tasks come before it. `reached_ns` is the
/// time on the device's clock at which the event was reached. It is empty until then.
struct FakeRecord {
  cudaStream_t stream = nullptr;
  bool captured = false;
  FakePast past = {};
  std::optional<std::int64_t> reached_ns = {};
};

struct FakeEvent {
  bool timing = true;
  bool sleeps = false;  // a host thread that waits for the event sleeps meanwhile
  int device = 0;
  std::shared_ptr<FakeRecord> last = {};
};

struct FakeCapture {
  std::vector<FakeTask> tasks;
  bool safe_only = true;  // during the capture, calls that may synchronize fail on any stream
  bool invalidated = false;
};

struct FakeStream {
  int device = 0;
  std::deque<FakeTask> waiting = {};
  std::int64_t submitted = 0;  // number of tasks submitted so far
  FakePast past = {};          // tasks of other streams that this stream waits for
  std::optional<FakeCapture> capture = {};
};

using FakeGraph = std::vector<FakeTask>;

/// All streams. They are non-blocking: the default stream (null) and the other streams do not wait
/// for each other.
class FakeStreams {
 public:
  explicit FakeStreams(FakeMemory& memory) : memory_(memory) {}

  FakeObjects<cudaStream_t, FakeStream> streams;
  FakeObjects<cudaEvent_t, FakeEvent> events;
  FakeObjects<cudaGraph_t, FakeGraph> graphs;
  FakeObjects<cudaGraphExec_t, FakeGraph> execs;
  cudaError_t broken = cudaSuccess;  // error of a failed kernel; all later work returns it
  std::int64_t device_ns = 0;        // the device's clock
  FakeCosts* costs = nullptr;        // if its costs are on, it sets the times of all work
  std::int64_t host_ns = 0;          // the host's time in runtime calls

  /// Returns the stream, which may be the default one, or null if it is not live.
  FakeStream* find(cudaStream_t stream);
  /// Adds a task to the stream. If the stream captures, adds the task to its capture instead.
  cudaError_t submit(cudaStream_t stream, FakeTask task);
  /// Runs all waiting tasks of the stream. Returns an error if the stream is not live, if it
  /// captures, or if a kernel has failed.
  cudaError_t finish(cudaStream_t stream);
  void finish_all();
  /// Runs the waiting tasks of the stream of `record` until its event is reached.
  void reach(const FakeRecord& record);
  /// Returns for each stream how many of its tasks come before a task that is submitted to `stream`
  /// now.
  FakePast past_of(cudaStream_t stream);
  /// Returns true if the first `number` tasks of the stream are done.
  bool is_done(cudaStream_t stream, std::int64_t number);
  /// Returns true if the first `number` tasks of the stream `of` are done, or if they come before
  /// all future tasks of `stream`.
  bool is_past(cudaStream_t of, std::int64_t number, cudaStream_t stream);
  /// Every call that may synchronize must call this first. If the capture of a stream forbids such
  /// calls, invalidates the capture and returns an error. Otherwise returns success.
  cudaError_t may_synchronize();
  std::vector<std::string> live() const;

 private:
  void do_next(FakeStream& stream);

  FakeMemory& memory_;
  FakeStream default_;
};

}  // namespace normbench
