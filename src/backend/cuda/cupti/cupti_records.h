/// Reads from CUPTI's records what a device and the calls to it did, with torch's names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"
#include "record/device_trace.h"

namespace normbench::cupti {

/// All records of filled buffers, which may come in any order. External ids are those pushed as
/// CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0. Of `cupti`, get_next_record and get_callback_name are
/// called. Copies all names, for CUPTI owns those in the records. A record that was cut off counts
/// as dropped, and so does one for each buffer whose end is not a whole record.
DeviceTrace read_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti,
                         const ClockMap& clock);

/// "Memcpy HtoD (Pinned -> Device)"; numbers of CUpti_ActivityMemcpyKind and
/// CUpti_ActivityMemoryKind, also unknown ones.
std::string memcpy_name(std::uint32_t copy, std::uint32_t from, std::uint32_t to);
/// "Memset (Device)".
std::string memset_name(std::uint32_t memory);
/// "Stream Sync" of a CUpti_ActivitySynchronizationType.
std::string sync_name(std::uint32_t type);
/// "Buffer Flush" of a CUpti_ActivityOverheadKind.
std::string overhead_name(std::uint32_t kind);

/// "cudaLaunchKernel" of "cudaLaunchKernel_v7000", and of the name with underscores in front that
/// nvcc's code calls since CUDA 13.
std::string_view call_name(std::string_view name);

/// A kernel as its author wrote it; what is no mangled name, or far too long for one, stays as it
/// is. Null is allowed.
std::string kernel_name(const char* mangled);

}  // namespace normbench::cupti
