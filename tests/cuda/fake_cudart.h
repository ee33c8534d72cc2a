/// A fake CUDA runtime with the C functions of cuda_runtime_api.h. It runs device work on the host,
/// but not before a call must wait for the work. It logs every call and can make any call fail.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/fake_costs.h"
#include "cuda/fake_memory.h"
#include "cuda/fake_streams.h"

namespace normbench {

namespace cuda {
struct HostBody;
}

/// Makes the `nth` call of `function` from now on fail. If `always`, all later calls of it fail as
/// well.
struct FakeFailure {
  std::string function;
  cudaError_t code;
  int nth = 1;
  bool always = false;
};

/// A freed block of a pool. Task `number` of `stream` frees it.
struct FakeFreed {
  std::byte* data;
  std::size_t bytes;
  cudaStream_t stream;
  std::int64_t number;
};

struct FakePool {
  std::set<const std::byte*> blocks;  // all blocks of the pool, in use or freed
  std::vector<FakeFreed> freed;       // memory that the pool may give again
};

/// A kernel that nvcc's host code registered.
struct FakeKernel {
  std::string name;  // its mangled name on the device
  const void* fat_binary = nullptr;
};

/// One launch. The kernel's argument is copied at the call, as the real runtime does.
struct FakeLaunch {
  FakeKernel kernel = {};
  dim3 grid = {}, block = {};
  std::size_t shared_bytes = 0;
  std::shared_ptr<std::vector<std::max_align_t>> body = {};
  const cuda::HostBody* host = nullptr;
  std::int64_t threads = 0;
};

/// Runs the host body of a launch from the last thread to the first. The results are right only if
/// no thread reads what another thread writes.
void run_host_body(const FakeLaunch& launch);

class FakeCuda {
 public:
  FakeCuda();

  int devices;  // $FAKE_CUDA_DEVICES, or 1
  int driver_version = CUDART_VERSION;
  cudaDeviceProp properties{};                     // of device 0; see properties_of()
  std::map<cudaDeviceAttr, int> attributes;        // a missing key counts as 0
  std::size_t free_bytes = std::size_t{60} << 30;  // free memory of device 0
  // How long work takes on the device. `event_call_ns` is the host's time in the call that records
  // an event. The host's time in each other call is FakeTask::call_ns.
  std::int64_t launch_ns = 3'000, copy_ns = 7'000, fill_ns = 1'000, event_ns = 500;
  std::int64_t event_call_ns = 800;
  std::int64_t wake_ns = 0;  // time until a host thread that sleeps in a wait has woken

  std::vector<FakeFailure> failures;
  std::set<std::string, std::less<>> ignored;  // functions that return success and do nothing
  std::optional<std::size_t> failing_call;     // index in the log of the call that fails
  cudaError_t failing_code = cudaErrorUnknown;
  std::set<const void*> loaded;                     // kernels whose code is on the device
  int late_loads = 0;                               // launches that first had to load their kernel
  std::map<const void*, std::size_t> shared_bytes;  // raised limits, by kernel; others: the default
  /// Tells which threads of each launch run: those for which it returns true. If the function is
  /// empty, all threads run.
  std::function<bool(std::int64_t thread)> runs;
  /// Is called instead of the kernel's host body. If the function is empty, the host body runs.
  std::function<void(const FakeLaunch& launch)> runs_launch;

  std::string made_context = {};        // the call that made the first context, or ""
  std::vector<std::string> log;         // "cudaMemcpyAsync 96 pinned->device stream 1", in order
  std::vector<std::string> violations;  // mistakes that a real runtime would not notice
  FakeCosts costs;
  FakeMemory memory{violations};
  FakeStreams streams{memory};
  FakeObjects<cudaMemPool_t, FakePool> pools;

  /// Returns the properties of a device. Device N > 0 has a name, uuid and bus id of its own and
  /// N+1 times the memory.
  cudaDeviceProp properties_of(int device) const;
  /// Returns the device that the calling thread has set, or 0.
  static int& current_device();

  /// Returns a text for each object that was not destroyed, like "stream 1" or "pinned 4096".
  std::vector<std::string> live() const;
  /// Returns the entries of the log from index `from` on.
  std::vector<std::string> log_from(std::size_t from) const;
  /// Returns the present bytes of any memory. Does not run waiting work first.
  std::vector<std::byte> read(const void* data, std::size_t bytes);
  void write(void* data, const std::vector<std::byte>& bytes);

  /// Logs a call of the runtime, runs `work`, and returns its result. Only one call runs at a time.
  /// - If `function` is in `ignored`, returns success and does not run `work`.
  /// - If a test wants the call to fail, or if a kernel has failed, returns that error and does not
  ///   run `work`. With `releases`, runs `work` before it returns the error, because real calls
  ///   that release memory may report errors of earlier work.
  cudaError_t call(std::string_view function, const std::string& arguments,
                   const std::function<cudaError_t()>& work, bool releases = false);

  cudaError_t last_error = cudaSuccess;

 private:
  void need_context(std::string_view function);
  std::optional<cudaError_t> failure_of(std::string_view function);

  std::recursive_mutex mutex_;  // held during a call, which may make further calls
};

/// Returns the runtime of this process.
FakeCuda& fake_cuda();
/// Replaces the runtime of this process by a new one at the same address.
FakeCuda& new_fake_cuda();

/// Returns the name of a stream, like "stream 2" or "default stream".
std::string name_of(cudaStream_t stream);

}  // namespace normbench
