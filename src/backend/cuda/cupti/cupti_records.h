/// Reads CUPTI's records: the work of a device, and calls of the CUDA runtime and driver. Names are
/// the same as in PyTorch's profiler.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"
#include "record/device_trace.h"

namespace normbench::cupti {

/// Returns the records in `buffers`, which may be in any order. External ids are the ids that were
/// pushed as CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0. The result owns all names. A record that is
/// too short for its kind counts as dropped. A buffer that does not end with a whole record counts
/// as one dropped record.
DeviceTrace read_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti,
                         const ClockMap& clock);

/// Returns the name of a copy, like "Memcpy HtoD (Pinned -> Device)". `copy` is a
/// CUpti_ActivityMemcpyKind, `from` and `to` are CUpti_ActivityMemoryKinds. An unknown number gives
/// the word "Unknown".
std::string memcpy_name(std::uint32_t copy, std::uint32_t from, std::uint32_t to);
/// Returns the name of a memset on a CUpti_ActivityMemoryKind, like "Memset (Device)".
std::string memset_name(std::uint32_t memory);
/// Returns the name of a CUpti_ActivitySynchronizationType, like "Stream Sync".
std::string sync_name(std::uint32_t type);
/// Returns the name of a CUpti_ActivityOverheadKind, like "Buffer Flush".
std::string overhead_name(std::uint32_t kind);

/// Returns the name of a call without leading underscores and version: "cudaLaunchKernel" for
/// "cudaLaunchKernel_v7000". Since CUDA 13, names of calls made by nvcc's code have leading
/// underscores.
std::string_view call_name(std::string_view name);

/// Returns the demangled name of a kernel. A name that is not mangled, or longer than 8192
/// characters, stays as it is. Returns "unnamed kernel" if `mangled` is null or empty.
std::string kernel_name(const char* mangled);

}  // namespace normbench::cupti
