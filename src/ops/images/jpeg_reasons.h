/// Why a JPEG is not read, in words. Files with the same fault get the same words.
#pragma once

#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {

/// The meaning of the error or warning that libjpeg has met.
std::string why_failed(const jpeg_error_mgr& errors);

/// Why samples with more or fewer than 8 bits are not read.
std::string why_not_these_bits(int bits);

/// Why 2, or more than 4, colour components are not read.
std::string why_not_so_many(int components);

}  // namespace normbench
