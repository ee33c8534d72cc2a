/// Runs PTX kernels on the memory of the fake CUDA runtime (cuda/fake_memory.h).
#pragma once

#include "ptx/warp.h"

namespace normbench::ptx {

class Interpreter {
 public:
  explicit Interpreter(FakeMemory& memory) : memory_(memory) {}
  /// Runs the blocks of a launch one after another. Throws Fault at the first error.
  void run(const Kernel& kernel, const Launch& launch);

 private:
  GlobalMemory memory_;
  u64 phases_ = 0;
};

}  // namespace normbench::ptx
