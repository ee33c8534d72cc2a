/// Reads from CUPTI's records what a device did and which calls were made, with torch's names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"
#include "record/device_trace.h"

namespace normbench::cupti {

/// Returns all records of filled buffers, which may be in any order. External ids are those pushed
/// as CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0. Calls get_next_record and get_callback_name of
/// `cupti`. Copies all names, because CUPTI owns the names in the records. A cut-off record counts
/// as dropped, and so does each buffer that does not end with a whole record.
DeviceTrace read_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti,
                         const ClockMap& clock);

/// Returns the name of a copy, like "Memcpy HtoD (Pinned -> Device)". `copy` is a
/// CUpti_ActivityMemcpyKind, `from` and `to` are CUpti_ActivityMemoryKinds. Unknown numbers are
/// allowed.
std::string memcpy_name(std::uint32_t copy, std::uint32_t from, std::uint32_t to);
/// Returns the name of a memset on a CUpti_ActivityMemoryKind, like "Memset (Device)".
std::string memset_name(std::uint32_t memory);
/// Returns the name of a CUpti_ActivitySynchronizationType, like "Stream Sync".
std::string sync_name(std::uint32_t type);
/// Returns the name of a CUpti_ActivityOverheadKind, like "Buffer Flush".
std::string overhead_name(std::uint32_t kind);

/// Returns the name of a call without its version and leading underscores: "cudaLaunchKernel" for
/// "cudaLaunchKernel_v7000". Since CUDA 13, calls made by nvcc's code have such underscores.
std::string_view call_name(std::string_view name);

/// Returns the name of a kernel as its author wrote it. A name that is not mangled, or far too
/// long, stays as it is. Null gives "unnamed kernel".
std::string kernel_name(const char* mangled);

}  // namespace normbench::cupti
