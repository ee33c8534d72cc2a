/// Makes the calls and the device work of the fake CUDA runtime take as long as on a GPU. To save
/// time, device work is done only if a check reads its output.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normbench {

struct FakeTask;

/// The costs are on if $NORMBENCH_FAKE_COSTS is a positive number. With 1, calls and device work
/// take as long as on a GPU. With 20, they take a twentieth of that time, and the clock of this
/// process runs 20 times as fast, so that it shows the times of a GPU. Each byte then counts as 20
/// bytes, so the run must use a twentieth of the real sizes, caches and limits.
class FakeCosts {
 public:
  FakeCosts();
  bool on() const { return faster_ > 0; }
  /// Sets the name, memory and L2 cache of the GPU that the costs model.
  void describe(cudaDeviceProp& device) const;

  /// The scope of a runtime call. Its destructor waits until the call would have ended on a GPU.
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

  /// Sets the device time of the task that the present call submits. If the task is not `captured`
  /// into a CUDA graph, it cannot start before the present time. The work of such a task is left
  /// out if no check will read its output.
  void charge(FakeTask& task, bool captured);
  /// Waits until this process's clock shows `device_ns`.
  void wait_until(std::int64_t device_ns) const;

  /// Is called with host memory to which the next task may write its output. A check fills an
  /// output with 0x55 or 0xFF before it reads the output. So if the first 16 bytes of the memory
  /// all have one of these values, the next task runs. The first tasks after the creation of a
  /// stream, after cudaMemcpy and after cudaMemset run in any case.
  void see_output(const void* host_memory, std::size_t bytes);
  bool runs_bodies() const { return !on() || looked_at_ > 0; }

 private:
  std::int64_t device_ns() const;

  const std::int64_t faster_;  // $NORMBENCH_FAKE_COSTS; 0: costs are off
  bool context_made_ = false;
  int looked_at_ = 0;  // how many of the next tasks run and are not left out
  std::string_view function_;
  bool pageable_ = false;
  double bytes_ = 0;  // bytes of the call, or threads of a kernel launch
};

}  // namespace normbench
