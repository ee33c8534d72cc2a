/// The times of a GPU for the fake CUDA runtime. Calls last as long as on a GPU, and the device is
/// busy for as long as a GPU. Bodies of kernels only run if a check reads their output.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normbench {

struct FakeTask;

/// The costs, which are on if $NORMBENCH_FAKE_COSTS is a number. With 1, everything takes its real
/// time. With 20, the sizes, caches and limits of a run must be a twentieth of the real ones. The
/// clock of this process then runs 20 times as fast. All latencies pass in a twentieth of their
/// time, and a twentieth of the bytes crosses at the same rates.
class FakeCosts {
 public:
  FakeCosts();
  bool on() const { return faster_ > 0; }
  /// Sets the name, memory and L2 cache of the GPU that the costs model.
  void describe(cudaDeviceProp& device) const;

  /// The scope of a call. Its destructor waits until the call would have ended on a GPU.
  class Call {
   public:
    Call(FakeCosts& costs, std::string_view function, std::string_view arguments);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    FakeCosts& costs_;
    std::int64_t end_ns_ = 0;
  };

  /// Gives a task of the present call its time on the device. Unless it is `captured`, the task can
  /// start now. It does nothing if no check reads its output.
  void charge(FakeTask& task, bool captured);
  /// Waits until this process's clock shows `device_ns`.
  void wait_until(std::int64_t device_ns) const;

  /// Notes that the host reads this output next if the host has filled it with a poison byte. The
  /// next task then runs for real. Tasks also run for real at the start of a stream and after
  /// cudaMemcpy and cudaMemset.
  void see_output(const void* host_memory, std::size_t bytes);
  bool runs_bodies() const { return !on() || looked_at_ > 0; }

 private:
  std::int64_t device_ns() const;

  const std::int64_t faster_;  // speed-up over a GPU; 0: off
  bool context_made_ = false;
  int looked_at_ = 0;  // how many of the next tasks run for real
  std::string_view function_;
  bool pageable_ = false;
  double bytes_ = 0;  // bytes of the call, or threads of a launch
};

}  // namespace normbench
