#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <utility>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

struct ErrorWord {
  cudaError_t code;
  const char *name, *text;
};

constexpr ErrorWord unknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
constexpr ErrorWord error_words[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorUnsupportedPtxVersion, "cudaErrorUnsupportedPtxVersion",
     "the provided PTX was compiled with an unsupported toolchain."},
    {cudaErrorIllegalState, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"}};

const ErrorWord& word_of(cudaError_t code) {
  for (const ErrorWord& word : error_words)
    if (word.code == code) return word;
  return unknown;
}

cudaError_t on_device(int device, const std::function<void()>& work) {
  if (device < 0 || device >= fake_cuda().devices) return cudaErrorInvalidDevice;
  work();
  return cudaSuccess;
}

std::string device_name(int device) { return fmt::format("device {}", device); }

}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return word_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return word_of(error).text; }
cudaError_t cudaGetLastError() { return std::exchange(fake_cuda().last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return fake_cuda().last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  return fake_cuda().call("cudaGetDeviceCount", "", [&] {
    *count = fake_cuda().devices;
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
  });
}

cudaError_t cudaSetDevice(int device) {
  return fake_cuda().call("cudaSetDevice", device_name(device), [&] {
    return on_device(device, [&] { FakeCuda::current_device() = device; });
  });
}

cudaError_t cudaGetDevice(int* device) {
  return fake_cuda().call("cudaGetDevice", "", [&] {
    *device = FakeCuda::current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return fake_cuda().call("cudaGetDeviceProperties", device_name(device), [&] {
    return on_device(device, [&] { *properties = fake_cuda().properties_of(device); });
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return fake_cuda().call(
      "cudaDeviceGetAttribute",
      fmt::format("{} {}", static_cast<int>(attribute), device_name(device)),
      [&] { return on_device(device, [&] { *value = fake_cuda().attributes[attribute]; }); });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return fake_cuda().call("cudaDeviceGetPCIBusId", device_name(device), [&] {
    return on_device(device, [&] {
      const std::string text =
          fmt::format("0000:{:02X}:00.0", fake_cuda().properties_of(device).pciBusID);
      id[text.copy(id, static_cast<std::size_t>(length) - 1)] = '\0';
    });
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return fake_cuda().call("cudaDriverGetVersion", "", [&] {
    *version = fake_cuda().driver_version;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return fake_cuda().call("cudaRuntimeGetVersion", "", [&] {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart() {
  return fake_cuda().call("cudaProfilerStart", "", [] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return fake_cuda().call("cudaProfilerStop", "", [] { return cudaSuccess; });
}
