/// Runs the kernels that the program launches on the fake CUDA runtime, by interpreting their PTX.
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

/// Removes the barrier with number `which`, counted from 0, from the kernel. Returns false if the
/// kernel has no such barrier.
bool take_barrier_away(Kernel& kernel, int which);

/// Runs launches by their PTX instead of by their host bodies (the kernel code compiled for the
/// host). If `compares` is true, also runs the host body of each launch, on memory with the same
/// contents. The results of the PTX must equal those of the host body with fused multiply-add
/// (Fusing::Yes) or without it (Fusing::No). Otherwise throws Fault.
class PtxLaunches {
 public:
  explicit PtxLaunches(FakeCuda& cuda, bool compares)
      : cuda_(cuda), interpreter_(cuda.memory), compares_(compares) {}
  void operator()(const FakeLaunch& launch);

  std::function<void(Kernel&)> change;      // if set, may change each kernel after decoding
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
