#include "backend/cuda/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/kernels.h"
#include "core/units.h"

namespace normbench::cuda {
namespace {

/// Advice for the error `code` of a call whose name starts with `call` ("": any call).
struct Advice {
  cudaError_t code;
  std::string_view text;
  std::string_view call = "";
};

constexpr std::string_view context_lost =
    "this process cannot use the GPU any more; run `normbench selftest`, and what failed under "
    "compute-sanitizer";

/// advice_for() uses the first entry that matches.
constexpr Advice advice_table[] = {
    {cudaErrorMemoryAllocation,
     "use a smaller batch, or less page-locked memory (it counts toward a container's memory "
     "limit)",
     "cudaHost"},
    {cudaErrorMemoryAllocation,
     "use a smaller batch, or free the GPU (nvidia-smi shows who holds it)"},
    {cudaErrorUnsupportedPtxVersion,
     "install a driver for this build's CUDA or a newer one (nvidia-smi names the driver's)"},
    {cudaErrorDevicesUnavailable,
     "another process may hold the GPU for itself (nvidia-smi -q -d COMPUTE shows the mode)"},
    {cudaErrorSystemNotReady, "GPUs behind NVSwitch need the service nvidia-fabricmanager to run"},
    {cudaErrorSystemDriverMismatch,
     "the kernel's driver and its library differ in version: reload the module or reboot"},
    {cudaErrorECCUncorrectable, "the GPU's memory is faulty (nvidia-smi -q -d ECC)"},
    {cudaErrorIllegalAddress, context_lost},
    {cudaErrorMisalignedAddress, context_lost},
    {cudaErrorInvalidAddressSpace, context_lost},
    {cudaErrorIllegalInstruction, context_lost},
    {cudaErrorInvalidPc, context_lost},
    {cudaErrorHardwareStackError, context_lost},
    {cudaErrorLaunchFailure, context_lost},
    {cudaErrorHostMemoryAlreadyRegistered,
     "put an unregister stage after each register; buffers that share a page cannot both be "
     "registered"},
    {cudaErrorHostMemoryNotRegistered, "put a register stage before it"},
    {cudaErrorNotSupported, "this GPU or its driver does not support it (see `normbench info`)"},
    {cudaErrorStreamCaptureUnsupported, "a stage here cannot be captured: set graph to false"},
    {cudaErrorStreamCaptureInvalidated, "a stage here cannot be captured: set graph to false"},
};

std::string advice_for(std::string_view call, cudaError_t error) {
  if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
    return "this build has kernels for " + built_architectures() +
           ": build it on the machine with the GPU (scripts/build finds it), or use the package";
  if (error == cudaErrorInsufficientDriver) return needed_driver();
  const auto row = std::ranges::find_if(advice_table, [&](const Advice& advice) {
    return advice.code == error && call.starts_with(advice.call);
  });
  return row == std::end(advice_table) ? "" : std::string(row->text);
}

std::string text_of(std::string_view call, cudaError_t error) {
  const std::string advice = advice_for(call, error);
  return std::string(call) + " failed: " + cudaGetErrorName(error) + " (" +
         cudaGetErrorString(error) + ")" + (advice.empty() ? "" : "; " + advice);
}

}  // namespace

std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// The text names the oldest driver that runs programs built with this build's major version of
/// CUDA.
std::string needed_driver() {
  constexpr std::string_view driver = CUDART_VERSION >= 13000 ? "580" : "525";
  return fmt::format("install driver {} or newer (this build is for CUDA {})", driver,
                     version_text(CUDART_VERSION));
}

CudaError::CudaError(std::string_view call, cudaError_t error)
    : std::runtime_error(text_of(call, error)), code(error) {}

void check(cudaError_t error, std::string_view call) {
  if (error != cudaSuccess) throw CudaError(call, error);
}

void check(cudaError_t error, std::string_view call, std::int64_t bytes) {
  if (error == cudaSuccess) return;
  throw CudaError(std::string(call) + "(" + format_bytes(bytes) + ")", error);
}

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}
Stream::~Stream() { cudaStreamDestroy(stream_); }

Event::Event(bool sleeps) {
  check(cudaEventCreateWithFlags(&event_, sleeps ? cudaEventBlockingSync : cudaEventDefault),
        "cudaEventCreateWithFlags");
}
Event::~Event() { cudaEventDestroy(event_); }

GraphExec::GraphExec(cudaGraph_t graph) {
  const cudaError_t error = cudaGraphInstantiate(&exec_, graph, 0);
  cudaGraphDestroy(graph);
  check(error, "cudaGraphInstantiate");
}
GraphExec::~GraphExec() { cudaGraphExecDestroy(exec_); }

}  // namespace normbench::cuda
