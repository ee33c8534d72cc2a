/// Turns an image file into what a dataset stores of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "ops/images/image.h"
#include "ops/images/manifest.h"

namespace normbench {

/// Converts images one after the other, keeping its memory from one to the next. For one thread.
class Converter {
 public:
  /// `queue` is the CPU's, for one thread.
  Converter(const DatasetForm& form, std::unique_ptr<Queue> queue);

  /// Decodes the file upright, resizes it as `load` does where the form has a size, and encodes it.
  /// Valid until the next call. Throws std::runtime_error for a file that cannot be read or stored.
  FileContent convert(std::span<const std::uint8_t> file);
  /// The remarks on the file of the last call.
  const std::vector<Remark>& remarks() const { return decoded_.remarks; }
  /// Peak signal-to-noise ratio (dB) of the jpeg that the last call made; 0 for other forms.
  double psnr_db();

 private:
  DatasetForm form_;
  Save save_;
  std::unique_ptr<Queue> queue_;
  Image decoded_, resized_, again_;
  View image_ = {};  // the last call's image, and the content it made of it
  FileContent stored_ = {};
  std::vector<std::uint8_t> encoded_;
};

}  // namespace normbench
