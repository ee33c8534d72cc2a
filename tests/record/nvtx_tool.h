/// Functions for nvtx_test.cpp that read the payload of an NVTX range, which is a number of bytes.
/// They are defined in nvtx_payload.cpp or nvtx_payload_absent.cpp, depending on the NVTX headers
/// of the build.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace normbench::nvtx_test {

std::string payload_of(const nvtxEventAttributes_t& event);

/// Returns the text that payload_of() must return for 4096 bytes.
std::string what_4096_bytes_are();

}  // namespace normbench::nvtx_test
