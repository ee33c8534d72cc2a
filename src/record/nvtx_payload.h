/// Adds the bytes of a range to its NVTX event, as a payload that tools name and sum.
/// nvtx_payload.cpp is for NVTX headers with payloads (CUDA 13), nvtx_payload_absent.cpp for older
/// ones.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

namespace normbench::nvtx {

/// Registers a payload that is one number, `bytes`. Returns the tool's id for it; 0 without
/// schemas.
std::uint64_t register_bytes(nvtxDomainHandle_t domain);

/// Pushes the range with `bytes` as a payload of the schema. Returns false, and does nothing, if
/// the schema does not exist.
bool push_with_bytes(nvtxDomainHandle_t domain, nvtxEventAttributes_t event, std::uint64_t schema,
                     std::uint64_t bytes);

}  // namespace normbench::nvtx
