/// What a GPU takes, for a CUDA runtime for tests that is asked to take as long: its calls last as
/// on a GPU, its device is busy as long as one, and bodies of kernels are run only where their
/// output is looked at.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normbench {

struct FakeTask;

/// The costs, which are on if $NORMBENCH_FAKE_COSTS is a number. 1: everything takes its own time.
/// 20: a model at a twentieth, for sizes, caches and limits that are a twentieth, too. The clock of
/// this process then goes 20 times as fast, so that all latencies pass in a twentieth of their
/// time, and the bytes, a twentieth as many, cross at the same rates.
class FakeCosts {
 public:
  FakeCosts();
  bool on() const { return faster_ > 0; }
  /// The GPU whose costs these are.
  void describe(cudaDeviceProp& device) const;

  /// A call that ends no earlier than it would on a GPU.
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

  /// Gives work that the present call submits its time on the device. Unless it is `captured`, it
  /// starts now or later, and does nothing where nobody looks at its output.
  void charge(FakeTask& task, bool captured);
  /// Waits for the device.
  void wait_until(std::int64_t device_ns) const;

  /// Outputs are looked at after the first work of a stream, and of what comes after
  /// calls that write memory at once; and where the host has poisoned them.
  void see_output(const void* host_memory, std::size_t bytes);
  bool runs_bodies() const { return !on() || looked_at_ > 0; }

 private:
  std::int64_t device_ns() const;

  const std::int64_t faster_;  // 0: off
  bool context_made_ = false;
  int looked_at_ = 0;  // so much of the work to come
  std::string_view function_;
  bool pageable_ = false;
  double bytes_ = 0;  // of the call, or threads of a launch
};

}  // namespace normbench
