/// Adds a range's number of bytes to its NVTX event, as a payload with a name. nvtx_payload.cpp is
/// for NVTX headers with payload schemas (CUDA 13), nvtx_payload_absent.cpp for older headers.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

namespace normbench::nvtx {

/// Registers a payload schema with one number named "bytes". Returns the id of the schema, or 0 if
/// the tool does not support schemas.
std::uint64_t register_bytes(nvtxDomainHandle_t domain);

/// Pushes the range with `bytes` as a payload of `schema`. Returns false, without a push, if
/// `schema` is 0.
bool push_with_bytes(nvtxDomainHandle_t domain, nvtxEventAttributes_t event, std::uint64_t schema,
                     std::uint64_t bytes);

}  // namespace normbench::nvtx
