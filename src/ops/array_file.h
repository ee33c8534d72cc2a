/// Tensors in files: NumPy's .npy, or raw elements.
#pragma once

#include <string>
#include <utility>

#include "core/input_file.h"
#include "core/tensor.h"
#include "ops/npy_header.h"

namespace normbench {

/// A tensor in a file. A file whose name ends in .npy is a .npy. Any other file holds raw
/// little-endian elements. The constructor throws Invalid if the file does not hold a tensor like
/// `desc`. The message lists all differences.
class ArrayFile {
 public:
  ArrayFile(const std::string& path, const TensorDesc& desc);

  /// Returns the elements, mapped into memory. They must not be written to.
  const View& view() const { return view_; }
  /// Returns the smallest and the largest value. Throws Invalid if a value is not finite.
  std::pair<double, double> range() const;

 private:
  MappedFile file_;
  View view_;
};

/// Writes a dense host tensor as .npy, with the axes in the order of its layout. Throws
/// CannotWrite.
void write_npy(const std::string& path, const View& tensor);

}  // namespace normbench
