/// An image file to what a dataset stores of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "ops/images/image.h"
#include "ops/images/manifest.h"

namespace normbench {

/// Keeps its memory from image to image. For one thread.
class Converter {
 public:
  /// `queue`: the CPU's, of one thread.
  Converter(const DatasetForm& form, std::unique_ptr<Queue> queue);

  /// Decodes the file upright, resizes it as `load` does where the form has a size, and encodes it;
  /// valid until the next call. Throws std::runtime_error for what cannot be read or stored.
  FileContent convert(std::span<const std::uint8_t> file);
  /// Of the last call's file.
  const std::vector<Remark>& remarks() const { return decoded_.remarks; }
  /// Peak signal-to-noise ratio (dB) of the jpeg that the last call made; 0 for other forms.
  double psnr_db();

 private:
  DatasetForm form_;
  Save save_;
  std::unique_ptr<Queue> queue_;
  Image decoded_, resized_, again_;
  View image_ = {};  // of the last call, and what it made of it
  FileContent stored_ = {};
  std::vector<std::uint8_t> encoded_;
};

}  // namespace normbench
