/// Tensors in files: in NumPy's .npy, or as nothing but the elements.
#pragma once

#include <string>
#include <utility>

#include "core/input_file.h"
#include "core/tensor.h"
#include "ops/npy_header.h"

namespace normbench {

/// A tensor in a file: a .npy (by its name), or nothing but the elements, little-endian. Throws
/// Invalid unless the file holds the tensor `desc`. The message lists all that differs, and what
/// would be right.
class ArrayFile {
 public:
  ArrayFile(const std::string& path, const TensorDesc& desc);

  /// The mapped elements, which must not be written to.
  const View& view() const { return view_; }
  /// The smallest and the largest value. Throws Invalid for values that are not finite.
  std::pair<double, double> range() const;

 private:
  MappedFile file_;
  View view_;
};

/// Writes a dense host tensor as .npy, axes in the order of its layout. Throws CannotWrite.
void write_npy(const std::string& path, const View& tensor);

}  // namespace normbench
