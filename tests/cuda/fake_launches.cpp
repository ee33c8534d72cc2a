#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>

#include "backend/cuda/kernels.h"
#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

/// The most shared memory that a launch may use if the limit of its kernel was not raised, in
/// bytes.
constexpr std::size_t usual_shared_bytes = std::size_t{48} << 10;

/// Returns the kernels that nvcc's host code registered before main(). The key is the address of
/// the kernel's host stub.
std::map<const void*, FakeKernel>& kernels() {
  static std::map<const void*, FakeKernel> registered;
  return registered;
}

FakeLaunch describe(void** arguments) {
  const auto* host = static_cast<const cuda::HostBody*>(arguments[1]);
  auto body = std::make_shared<std::vector<std::max_align_t>>(
      (host->bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(body->data(), arguments[0], host->bytes);
  return {.body = body, .host = host, .threads = host->threads(arguments[0])};
}

/// Finds the addresses of host memory in the kernel's argument and passes them to
/// FakeCosts::see_output(), because the kernel may write its output there. Does nothing if no costs
/// are simulated.
void see_outputs(const FakeLaunch& launch) {
  FakeCuda& cuda = fake_cuda();
  if (!cuda.costs.on()) return;
  for (std::size_t at = 0; at + sizeof(void*) <= launch.host->bytes; at += sizeof(void*)) {
    const std::byte* data = nullptr;
    std::memcpy(&data, reinterpret_cast<const std::byte*>(launch.body->data()) + at, sizeof(data));
    const FakeBlock* const block = cuda.memory.find(data);
    // The argument may contain a number that is no address, such as a stride of -1. find() may then
    // return a block that ends before that "address", so the condition below also checks the end of
    // the block.
    if (block != nullptr && !is_device(block->kind) && data < block->data + block->bytes)
      cuda.costs.see_output(data, static_cast<std::size_t>(block->data + block->bytes - data));
  }
}

bool is_launchable(dim3 grid, dim3 block) {
  const auto some = [](dim3 d) { return d.x > 0 && d.y > 0 && d.z > 0; };
  return some(grid) && some(block) && grid.x <= 0x7fffffff && grid.y <= 0xffff &&
         grid.z <= 0xffff && block.y == 1 && block.z == 1 && block.x <= 1024;
}

void run(const FakeLaunch& launch) {
  FakeCuda& cuda = fake_cuda();
  try {
    cuda.runs_launch ? cuda.runs_launch(launch) : run_host_body(launch);
  } catch (const std::exception& error) {
    cuda.violations.push_back(std::string("a kernel stopped: ") + error.what());
    cuda.streams.broken = cudaErrorMisalignedAddress;
  }
}

}  // namespace

void normbench::run_host_body(const FakeLaunch& launch) {
  const FakeCuda& cuda = fake_cuda();
  const auto size = [](dim3 d) { return std::int64_t{d.x} * d.y * d.z; };
  const std::int64_t threads = size(launch.grid) * size(launch.block);
  for (std::int64_t thread = std::min(threads, launch.threads) - 1; thread >= 0; --thread)
    if (!cuda.runs || cuda.runs(thread)) launch.host->run(launch.body->data(), thread);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  FakeLaunch launch = describe(arguments);
  see_outputs(launch);
  return fake_cuda().call(
      "cudaLaunchKernel", fmt::format("{} threads {}", launch.threads, name_of(stream)), [&] {
        if (!kernels().contains(function)) return cudaErrorInvalidDeviceFunction;
        if (fake_cuda().loaded.insert(function).second) ++fake_cuda().late_loads;
        const auto allowed = fake_cuda().shared_bytes.find(function);
        const std::size_t most =
            allowed == fake_cuda().shared_bytes.end() ? usual_shared_bytes : allowed->second;
        if (!is_launchable(grid, block) || shared_bytes > most)
          return cudaErrorInvalidConfiguration;
        launch.kernel = kernels().at(function);
        launch.grid = grid;
        launch.block = block;
        launch.shared_bytes = shared_bytes;
        return fake_cuda().streams.submit(
            stream, {.ns = fake_cuda().launch_ns, .run = [launch] { run(launch); }});
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

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return fake_cuda().call(
      "cudaFuncSetAttribute", fmt::format("{} {}", static_cast<int>(attribute), value), [&] {
        const int most = fake_cuda().attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin];
        if (!kernels().contains(function)) return cudaErrorInvalidDeviceFunction;
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > most)
          return cudaErrorInvalidValue;
        fake_cuda().shared_bytes[function] = static_cast<std::size_t>(value);
        return cudaSuccess;
      });
}

// Functions that the host code from nvcc refers to. That code registers kernels and variables
// before main() and unregisters them at exit. The functions that launch are needed only by the host
// stubs of kernels, and no stub is ever called.
extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  static std::deque<void*> registered;
  return &registered.emplace_back(fat_binary);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void** fat_binary, const char* function, char*, const char* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  kernels().emplace(function, FakeKernel{.name = name, .fat_binary = *fat_binary});
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
