/// A CUDA runtime for tests, with the C functions of cuda_runtime_api.h: it does what a device does
/// on the host, in the order that streams and events promise and no sooner, notes every call, and
/// can fail any of them.
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

/// Calls that fail: the `nth` of `function` from now on, and all that follow it when `always`.
struct FakeFailure {
  std::string function;
  cudaError_t code;
  int nth = 1;
  bool always = false;
};

/// Memory of a pool that was freed by task `number` of `stream`.
struct FakeFreed {
  std::byte* data;
  std::size_t bytes;
  cudaStream_t stream;
  std::int64_t number;
};

struct FakePool {
  std::set<const std::byte*> blocks;  // all that it ever gave
  std::vector<FakeFreed> freed;       // what it may give again
};

/// A kernel as nvcc's code registered it.
struct FakeKernel {
  std::string name;  // the device's: mangled
  const void* fat_binary = nullptr;
};

/// One launch, with the kernel's argument copied as the real runtime copies it at the call.
struct FakeLaunch {
  FakeKernel kernel = {};
  dim3 grid = {}, block = {};
  std::size_t shared_bytes = 0;
  std::shared_ptr<std::vector<std::max_align_t>> body = {};
  const cuda::HostBody* host = nullptr;
  std::int64_t threads = 0;
};

/// Runs the host body of a launch, the last thread first: no thread may need another's results.
void run_host_body(const FakeLaunch& launch);

class FakeCuda {
 public:
  FakeCuda();

  int devices;  // FAKE_CUDA_DEVICES, or 1
  int driver_version = CUDART_VERSION;
  cudaDeviceProp properties{};                     // of device 0; see properties_of()
  std::map<cudaDeviceAttr, int> attributes;        // 0 where nothing is said
  std::size_t free_bytes = std::size_t{60} << 30;  // of memory of device 0
  // What the device takes; what the host's calls take is in FakeTask.
  std::int64_t launch_ns = 3'000, copy_ns = 7'000, fill_ns = 1'000, event_ns = 500;
  std::int64_t event_call_ns = 800;
  std::int64_t wake_ns = 0;  // from an event to the return of the host that slept until it

  std::vector<FakeFailure> failures;
  std::set<std::string, std::less<>> ignored;  // functions that do nothing and say they did
  std::optional<std::size_t> failing_call;     // its place in the log
  cudaError_t failing_code = cudaErrorUnknown;
  std::set<const void*> loaded;                     // kernels whose code is on the device
  int late_loads = 0;                               // launches that had to bring it there
  std::map<const void*, std::size_t> shared_bytes;  // that kernels may have, where it was asked for
  /// Which threads of a launch are run; all when empty.
  std::function<bool(std::int64_t thread)> runs;
  /// What runs launches; the kernels' host bodies when empty.
  std::function<void(const FakeLaunch& launch)> runs_launch;

  std::string made_context = {};        // the call that made the first one; "": there is none
  std::vector<std::string> log;         // "cudaMemcpyAsync 96 pinned->device stream 1", in order
  std::vector<std::string> violations;  // what a real runtime would not notice
  FakeCosts costs;
  FakeMemory memory{violations};
  FakeStreams streams{memory};
  FakeObjects<cudaMemPool_t, FakePool> pools;

  /// Device N is named, and has its own uuid, bus id and N+1 times the memory.
  cudaDeviceProp properties_of(int device) const;
  /// What the calling thread has set, 0 before it does.
  static int& current_device();

  /// What was made and not destroyed: "stream 1", "pinned 4096", …
  std::vector<std::string> live() const;
  /// The entries of the log from the `from`-th on.
  std::vector<std::string> log_from(std::size_t from) const;
  /// Bytes of any memory as they are now, without doing what is still waited for.
  std::vector<std::byte> read(const void* data, std::size_t bytes);
  void write(void* data, const std::vector<std::byte>& bytes);

  /// A call of the runtime: noted, failed or ignored if a test asked for that, else done by `work`,
  /// one at a time. A call that releases does so even when it fails: real ones may report what
  /// failed earlier.
  cudaError_t call(std::string_view function, const std::string& arguments,
                   const std::function<cudaError_t()>& work, bool releases = false);

  cudaError_t last_error = cudaSuccess;

 private:
  void need_context(std::string_view function);
  std::optional<cudaError_t> failure_of(std::string_view function);

  std::recursive_mutex mutex_;  // of a call; kernels and captures call again
};

/// The runtime of this process.
FakeCuda& fake_cuda();
/// The runtime of this process made anew, at the same address.
FakeCuda& new_fake_cuda();

/// "stream 2", "default stream".
std::string name_of(cudaStream_t stream);

}  // namespace normbench
