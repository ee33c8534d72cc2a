/// Texts that explain why a JPEG is not read. Files with the same fault get the same text, so that
/// messages can group them.
#pragma once

#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {

/// Returns a text for libjpeg's last error or warning.
std::string why_failed(const jpeg_error_mgr& errors);

/// Returns why a JPEG with samples of `bits` bits is not read. `bits` is not 8.
std::string why_not_these_bits(int bits);

/// Returns why a JPEG with 2 or more than 4 colour components is not read.
std::string why_not_so_many(int components);

}  // namespace normbench
