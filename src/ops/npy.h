/// The header of NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

}  // namespace normbench
