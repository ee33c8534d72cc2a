/// Tensors in files: .npy files of NumPy, or files of raw elements.
#pragma once

#include <string>
#include <utility>

#include "core/input_file.h"
#include "core/tensor.h"
#include "ops/npy_header.h"

namespace normbench {

/// A tensor in a file. The file is a .npy file if its name ends in .npy. Any other file has raw
/// little-endian elements. The constructor throws Invalid if the file does not hold a tensor like
/// `desc`. The message lists all differences.
class ArrayFile {
 public:
  ArrayFile(const std::string& path, const TensorDesc& desc);

  /// Returns a view of the elements, which are mapped into memory and must not be written.
  const View& view() const { return view_; }
  /// Returns the smallest and the largest value. Throws Invalid if a value is not finite.
  std::pair<double, double> range() const;

 private:
  MappedFile file_;
  View view_;
};

/// Writes a dense tensor in host memory as a .npy file. The axes in the file have the order of the
/// layout. Throws CannotWrite.
void write_npy(const std::string& path, const View& tensor);

}  // namespace normbench
