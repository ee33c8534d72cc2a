/// Launches of the tests' CUDA runtime, run by the PTX that is in the program.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cuda/fake_cudart.h"
#include "ptx/interpreter.h"

namespace normbench::ptx {

/// The text of the PTX that nvcc has put into a program beside the machine code, of the fat binary
/// that __cudaRegisterFatBinary got. Throws Fault if there is none that can be read.
std::string_view ptx_of(const void* fat_binary);

/// Plants a mistake. False if the kernel has no barrier `which`, the first being 0.
bool take_barrier_away(Kernel& kernel, int which);

/// What runs launches instead of the kernels' host bodies: their PTX. Compares what it leaves in
/// memory with what the host body does, if asked to; a difference is a Fault as well.
class PtxLaunches {
 public:
  explicit PtxLaunches(FakeCuda& cuda, bool compares)
      : cuda_(cuda), interpreter_(cuda.memory), compares_(compares) {}
  void operator()(const FakeLaunch& launch);

  std::function<void(Kernel&)> change;      // makes other kernels of them, if not empty
  std::map<std::string, int> launches;      // of each kernel
  std::map<std::string, int> contractions;  // those that differ from the host's by fusing alone

 private:
  void run(const FakeLaunch& launch, Fusing fusing);
  const Kernel& kernel_of(const FakeLaunch& launch, Fusing fusing);

  FakeCuda& cuda_;
  Interpreter interpreter_;
  bool compares_;
  std::map<std::pair<std::string, Fusing>, Kernel> kernels_;
};

}  // namespace normbench::ptx
