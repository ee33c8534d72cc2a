/// What CUPTI's numbers and names are called in traces: as torch calls them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace normbench::cupti {

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
