/// NVIDIA's CUPTI, loaded at run time: its functions, and the calls of the CUDA runtime and driver
/// that it records.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace normbench::cupti {

/// The layout of CUpti_SubscriberParams in CUDA 13. Older headers lack that struct.
struct SubscriberParams {
  std::size_t struct_bytes = sizeof(SubscriberParams);
  const char* name = nullptr;
  char* holder = nullptr;  // out: the name of the current subscriber
  std::size_t holder_bytes = 0;
};

/// The functions of the library. The last five may be null, because older versions lack them.
struct Functions {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_buffers = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) get_dropped = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_external_id = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_external_id = nullptr;

  CUptiResult (*subscribe_with_params)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                       SubscriberParams*) = nullptr;
  CUptiResult (*register_clock)(std::uint64_t (*)()) = nullptr;
  CUptiResult (*enable_runtime_call)(CUpti_CallbackId, std::uint8_t) = nullptr;
  CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t) = nullptr;
  CUptiResult (*enable_all_syncs)(std::uint8_t) = nullptr;
};

/// Where to look for the library.
struct Places {
  std::vector<std::string> names;        // file names, the best first
  std::vector<std::string> directories;  // tried after the loader's own directories
};

/// Returns the file names of CUPTI in CUDA 12 and later versions. The name in CUDA version `major`
/// is first.
std::vector<std::string> library_names(int major);

/// Returns where CUPTI usually is. The file name that belongs to the CUDA version of this build is
/// first. The directories are those of
/// - CUDA Toolkits: below CUDA_HOME and CUDA_PATH, or below /usr/local/cuda if neither is set
/// - NVIDIA's wheels in the Python environments of VIRTUAL_ENV, CONDA_PREFIX and PATH
Places usual_places();

/// Returns the names and paths to try, in order. `library` is the first, if it is not empty. Each
/// name of `places` follows: first the bare name, which the loader looks up in its own directories,
/// and then the path of that name in each directory of `places`.
std::vector<std::string> candidates(const std::string& library, const Places& places);

/// Returns the message that no library was found, like "CUPTI not found (no libcupti.so.13 on the
/// loader's path or in /usr/local/cuda/lib64)". `why_not` is the reason why the library that the
/// caller named could not be loaded, or "".
std::string not_found(const std::string& why_not, const Places& places);

class Library {
 public:
  /// Loads the library. Never throws: missing() tells why it cannot be used.
  explicit Library(const std::string& path);

  /// Returns null if the library cannot be loaded. Two paths to one library give the same handle.
  const void* handle() const { return library_.get(); }
  /// Returns why the library cannot be used: the loader's error, or a text like "CUPTI not usable
  /// (PATH lacks cuptiSubscribe)". Returns "" for a usable library.
  const std::string& missing() const { return missing_; }
  const Functions& functions() const { return functions_; }

 private:
  struct Close {
    void operator()(void* library) const;
  };

  std::unique_ptr<void, Close> library_;
  Functions functions_;
  std::string missing_;
};

/// Runtime calls that are not recorded, because they start no work and are made often.
inline constexpr auto quiet_runtime_calls = std::to_array<CUpti_CallbackId>({
    CUPTI_RUNTIME_TRACE_CBID_cudaDriverGetVersion_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaRuntimeGetVersion_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceCount_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreate_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventDestroy_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
});

/// The driver calls that start work. No other driver calls are recorded.
inline constexpr auto driver_launches = std::to_array<CUpti_CallbackId>({
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
});

inline bool is_recorded_runtime_call(CUpti_CallbackId call) {
  return std::ranges::find(quiet_runtime_calls, call) == quiet_runtime_calls.end();
}
inline bool is_recorded_driver_call(CUpti_CallbackId call) {
  return std::ranges::find(driver_launches, call) != driver_launches.end();
}

}  // namespace normbench::cupti
