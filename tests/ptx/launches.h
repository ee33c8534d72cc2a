/// Runs the launches of the fake CUDA runtime by interpreting the PTX in the program.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cuda/fake_cudart.h"
#include "ptx/interpreter.h"

namespace normbench::ptx {

/// Returns the PTX that nvcc embedded in a program together with machine code. `fat_binary` is the
/// argument of __cudaRegisterFatBinary. Throws Fault if no PTX can be read.
std::string_view ptx_of(const void* fat_binary);

/// Removes barrier number `which` from the kernel, counted from 0. Returns false if the kernel has
/// fewer barriers.
bool take_barrier_away(Kernel& kernel, int which);

/// Runs launches by their PTX instead of by host bodies. If `compares` is true, also runs the host
/// body of each launch on the same memory. Throws Fault if the results differ both with
/// Fusing::Yes and with Fusing::No.
class PtxLaunches {
 public:
  explicit PtxLaunches(FakeCuda& cuda, bool compares)
      : cuda_(cuda), interpreter_(cuda.memory), compares_(compares) {}
  void operator()(const FakeLaunch& launch);

  std::function<void(Kernel&)> change;      // changes a kernel before it runs, if set
  std::map<std::string, int> launches;      // number of launches by kernel
  std::map<std::string, int> contractions;  // launches that equal the host only with Fusing::No

 private:
  void run(const FakeLaunch& launch, Fusing fusing);
  const Kernel& kernel_of(const FakeLaunch& launch, Fusing fusing);

  FakeCuda& cuda_;
  Interpreter interpreter_;
  bool compares_;
  std::map<std::pair<std::string, Fusing>, Kernel> kernels_;
};

}  // namespace normbench::ptx
