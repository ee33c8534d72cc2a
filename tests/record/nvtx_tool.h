/// What the tool of nvtx_test.cpp sees of bytes, by the NVTX headers of this build:
/// nvtx_payload.cpp or nvtx_payload_absent.cpp.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace normbench::nvtx_test {

std::string payload_of(const nvtxEventAttributes_t& event);

/// What it should be.
std::string what_4096_bytes_are();

}  // namespace normbench::nvtx_test
