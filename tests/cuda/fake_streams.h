/// The streams, events and captures of a CUDA runtime for tests: work waits until something waits
/// for it, so that a wait that is missing is seen.
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

/// Live objects of one type by their number, which is never used twice and is also their handle.
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

/// One thing that a stream does.
struct FakeTask {
  std::int64_t ns = 0;           // what it takes on the device's clock
  std::int64_t call_ns = 2'500;  // … and its call on the host's
  std::function<void()> run;
  std::int64_t ready_ns = 0;  // when it may start
};

/// How many tasks of each stream come before something.
using FakePast = std::map<cudaStream_t, std::int64_t>;

/// One record of an event.
struct FakeRecord {
  cudaStream_t stream = nullptr;
  bool captured = false;
  FakePast past = {};
  std::optional<std::int64_t> reached_ns = {};
};

struct FakeEvent {
  bool timing = true;
  bool sleeps = false;  // so does the host that waits for it
  int device = 0;
  std::shared_ptr<FakeRecord> last = {};
};

struct FakeCapture {
  std::vector<FakeTask> tasks;
  bool safe_only = true;  // forbids what may synchronise, on any stream
  bool invalidated = false;
};

struct FakeStream {
  int device = 0;
  std::deque<FakeTask> waiting = {};
  std::int64_t submitted = 0;  // tasks so far
  FakePast past = {};          // what it waits for in other streams
  std::optional<FakeCapture> capture = {};
};

using FakeGraph = std::vector<FakeTask>;

/// All streams. The default one (null) orders nothing with the others, which do not block.
class FakeStreams {
 public:
  explicit FakeStreams(FakeMemory& memory) : memory_(memory) {}

  FakeObjects<cudaStream_t, FakeStream> streams;
  FakeObjects<cudaEvent_t, FakeEvent> events;
  FakeObjects<cudaGraph_t, FakeGraph> graphs;
  FakeObjects<cudaGraphExec_t, FakeGraph> execs;
  cudaError_t broken = cudaSuccess;  // by a kernel: all that follows fails with it
  std::int64_t device_ns = 0;        // the device's clock
  FakeCosts* costs = nullptr;        // what all work takes, where it takes any
  std::int64_t host_ns = 0;          // the time that calls of the host took

  /// The stream, also the default one; null when it does not live.
  FakeStream* find(cudaStream_t stream);
  /// Puts work into a stream or into its capture.
  cudaError_t submit(cudaStream_t stream, FakeTask task);
  /// Does all that the stream waits to do; false for a stream that captures.
  cudaError_t finish(cudaStream_t stream);
  void finish_all();
  /// Does what comes before a record of an event.
  void reach(const FakeRecord& record);
  /// The tasks after which work comes that is submitted to the stream now.
  FakePast past_of(cudaStream_t stream);
  /// True if so many tasks of the stream are done.
  bool is_done(cudaStream_t stream, std::int64_t number);
  /// True if so many tasks are done, or come before all that `stream` is given from now on.
  bool is_past(cudaStream_t of, std::int64_t number, cudaStream_t stream);
  /// The result of a call that may synchronise: an error while a capture is going on, which is lost
  /// then.
  cudaError_t may_synchronize();
  std::vector<std::string> live() const;

 private:
  void do_next(FakeStream& stream);

  FakeMemory& memory_;
  FakeStream default_;
};

}  // namespace normbench
