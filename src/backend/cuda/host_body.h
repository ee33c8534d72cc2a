/// How the body of a kernel runs where there is no GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normbench::cuda {

/// Stands behind the kernel's one argument in the array that cudaLaunchKernel gets. The CUDA
/// runtime reads as many arguments as the kernel has and never sees it; a runtime of the tests runs
/// the body with it, thread after thread, and can copy the body for a later replay.
struct HostBody {
  std::size_t bytes;
  std::int64_t (*threads)(const void* body);
  void (*run)(const void* body, std::int64_t thread);
};

}  // namespace normbench::cuda
