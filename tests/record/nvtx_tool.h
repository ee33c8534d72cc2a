/// How the tool of nvtx_test.cpp reads the number of bytes that a range carries. Depends on the
/// NVTX headers of the build: see nvtx_payload.cpp and nvtx_payload_absent.cpp.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace normbench::nvtx_test {

std::string payload_of(const nvtxEventAttributes_t& event);

/// Returns the text that payload_of() must return for 4096 bytes.
std::string what_4096_bytes_are();

}  // namespace normbench::nvtx_test
