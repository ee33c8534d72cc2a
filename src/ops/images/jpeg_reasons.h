/// Why a JPEG is not read, in words. Files with the same fault get the same words, so that they can
/// be grouped.
#pragma once

#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {

/// Returns the meaning of libjpeg's last error or warning.
std::string why_failed(const jpeg_error_mgr& errors);

/// Returns why samples of `bits` bits, which are not 8, are not read.
std::string why_not_these_bits(int bits);

/// Returns why 2 or more than 4 colour components are not read.
std::string why_not_so_many(int components);

}  // namespace normbench
