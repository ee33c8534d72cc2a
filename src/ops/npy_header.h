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

/// The header of a file. Versions 1.0 to 3.0 are read, 1.0 is written.
struct NpyHeader {
  std::string descr;           // "|u1", "<f4", …; for a structured type: "[('a', '<f4')]"
  bool fortran_order = false;  // columns first
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;  // of the first element
};

/// Reads what numpy.load reads, but no strings in pieces or with escapes. Throws Invalid saying
/// what is wrong with the header.
NpyHeader parse_npy(std::span<const std::byte> file);

/// The header to write in front of the elements, rows first; they start at a multiple of 64 bytes.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

/// What keeps a file with this header from holding elements of `dtype`, rows first: "holds float64,
/// expected float32". Every way in which NumPy writes a type counts that it would read here as
/// `dtype`. It has no bfloat16: two raw bytes, as ml_dtypes saves it, and its bits as uint16 count.
std::vector<std::string> npy_mistakes(const NpyHeader& header, DType dtype);

}  // namespace normbench
