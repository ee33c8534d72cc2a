/// Tensors in files: NumPy's .npy, or nothing but the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/input_file.h"
#include "core/tensor.h"

namespace normbench {

/// The header of a .npy file: versions 1 to 3 are read, version 1 is written.
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

/// A tensor in a file: a .npy (by its name) or nothing but the elements, little-endian. A .npy has
/// the bits of bfloat16 as uint16, since NumPy has no such dtype. Throws Invalid, saying what is in
/// the file and what would be right, unless it holds `desc`'s tensor.
class ArrayFile {
 public:
  ArrayFile(const std::string& path, const TensorDesc& desc);

  /// The mapped elements; not to be written to.
  const View& view() const { return view_; }
  /// Smallest and largest value. Throws Invalid for values that are not finite.
  std::pair<double, double> range() const;

 private:
  MappedFile file_;
  View view_;
};

/// Writes a dense host tensor as .npy, axes in the order of its layout. Throws CannotWrite.
void write_npy(const std::string& path, const View& tensor);

}  // namespace normbench
