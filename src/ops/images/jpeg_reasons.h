/// Why a JPEG is not read, in words. Equal faults have equal ones.
#pragma once

#include <cstdio>
#include <string>

// jpeglib.h needs <cstdio>.
#include <jpeglib.h>

namespace normbench {

/// What the error or warning stands for that libjpeg has met.
std::string why_failed(const jpeg_error_mgr& errors);

/// Of samples with more or fewer than 8 bits.
std::string why_not_these_bits(int bits);

/// Of 2, or more than 4, colour components.
std::string why_not_so_many(int components);

}  // namespace normbench
