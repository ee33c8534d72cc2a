#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <memory>
#include <set>

#include "backend/cuda/kernels.h"
#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

/// The kernels that nvcc's code registered before main.
std::set<const void*>& kernels() {
  static std::set<const void*> registered;
  return registered;
}

/// A kernel's argument, copied as the real runtime copies it at the call.
struct Launch {
  std::shared_ptr<std::vector<std::max_align_t>> body;
  const cuda::HostBody* host;
  std::int64_t threads;
};

Launch describe(void** arguments) {
  const auto* host = static_cast<const cuda::HostBody*>(arguments[1]);
  auto body = std::make_shared<std::vector<std::max_align_t>>(
      (host->bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(body->data(), arguments[0], host->bytes);
  return {.body = body, .host = host, .threads = host->threads(arguments[0])};
}

bool is_launchable(dim3 grid, dim3 block) {
  const auto some = [](dim3 d) { return d.x > 0 && d.y > 0 && d.z > 0; };
  return some(grid) && some(block) && grid.x <= 0x7fffffff && grid.y == 1 && grid.z == 1 &&
         block.y == 1 && block.z == 1 && block.x <= 1024;
}

/// The last thread first: no thread may need what another one does.
void run(const Launch& launch, std::int64_t threads) {
  FakeCuda& cuda = fake_cuda();
  try {
    for (std::int64_t thread = std::min(threads, launch.threads) - 1; thread >= 0; --thread)
      if (!cuda.runs || cuda.runs(thread)) launch.host->run(launch.body->data(), thread);
  } catch (const std::exception& error) {
    cuda.violations.push_back(std::string("a kernel stopped: ") + error.what());
    cuda.streams.broken = cudaErrorMisalignedAddress;
  }
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  const Launch launch = describe(arguments);
  return fake_cuda().call(
      "cudaLaunchKernel", fmt::format("{} threads {}", launch.threads, name_of(stream)), [&] {
        if (!kernels().contains(function)) return cudaErrorInvalidDeviceFunction;
        if (fake_cuda().loaded.insert(function).second) ++fake_cuda().late_loads;
        if (!is_launchable(grid, block) || shared_bytes > 48 << 10)
          return cudaErrorInvalidConfiguration;
        const std::int64_t threads = std::int64_t{grid.x} * block.x;
        return fake_cuda().streams.submit(
            stream,
            {.ns = fake_cuda().launch_ns, .run = [launch, threads] { run(launch, threads); }});
      });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return fake_cuda().call("cudaFuncGetAttributes", "", [&] {
    if (!kernels().contains(function)) return cudaErrorInvalidDeviceFunction;
    fake_cuda().loaded.insert(function);
    *attributes = {};
    attributes->numRegs = 32;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
  });
}

// What nvcc's host code calls before main, at exit, and in the stubs of kernels, which nothing
// calls.
extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void**, const char* function, char*, const char*, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  kernels().insert(function);
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
  return cudaErrorMissingConfiguration;
}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) {
  return cudaErrorMissingConfiguration;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaErrorInvalidDeviceFunction; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaErrorInvalidDeviceFunction;
}

}  // extern "C"
