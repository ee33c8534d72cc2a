/// The header of NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// The header of a .npy file. Versions 1.0 to 3.0 are read. Version 1.0 is written.
struct NpyHeader {
  std::string descr;           // such as "|u1" or "<f4"; for a structured type: "[('a', '<f4')]"
  bool fortran_order = false;  // the first index changes fastest
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;  // of the first element, in bytes
};

/// Reads the header of a .npy file. Throws Invalid with the reason if the header is wrong. Accepts
/// the headers that numpy.load accepts, with two exceptions: a string in the header's dict must not
/// have an escape ('\x41') and must not consist of several literals ('a' 'b').
NpyHeader parse_npy(std::span<const std::byte> file);

/// Returns the header of a .npy file whose elements follow in C order (the last index changes
/// fastest). The length of the header is a multiple of 64 bytes.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

/// Returns all reasons why a file with this header does not hold elements of `dtype` in C order,
/// like "holds float64, expected float32". Accepts every way in which NumPy writes the type. NumPy
/// has no bfloat16, so two types are accepted for it: two raw bytes per element (as ml_dtypes saves
/// bfloat16), or uint16 elements that have the bits of the bfloat16 values.
std::vector<std::string> npy_mistakes(const NpyHeader& header, DType dtype);

}  // namespace normbench
