/// Bytes of a range as a payload that tools name and sum: nvtx_payload.cpp makes them, where the
/// NVTX headers have payloads (those of CUDA 13), nvtx_payload_absent.cpp none.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

namespace normbench::nvtx {

/// The tool's id of a payload that is one number, `bytes`; 0 when there are no schemas.
std::uint64_t register_bytes(nvtxDomainHandle_t domain);

/// Pushes the range with `bytes` as a payload of the schema. False if there is no such schema, and
/// nothing is done.
bool push_with_bytes(nvtxDomainHandle_t domain, nvtxEventAttributes_t event, std::uint64_t schema,
                     std::uint64_t bytes);

}  // namespace normbench::nvtx
