/// The header of NumPy's .npy files: versions 1 to 3 are read, version 1 is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

struct NpyHeader {
  std::string descr;           // "|u1", "<f4", …
  bool fortran_order = false;  // columns first
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;  // of the first element
};

/// Throws Invalid saying what is wrong with the header.
NpyHeader parse_npy(std::span<const std::byte> file);

/// What stands in front of the elements, rows first; they start at a multiple of 64 bytes.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace normbench
