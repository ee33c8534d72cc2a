/// Converts image files to the form in which a dataset stores them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "ops/images/image.h"
#include "ops/images/manifest.h"
#include "ops/images/ycbcr_image.h"

namespace normbench {

/// Converts images one after the other and reuses its buffers. It may be used by one thread only.
class Converter {
 public:
  /// `queue` is a queue of the CPU backend for one thread.
  Converter(const DatasetForm& form, std::unique_ptr<Queue> queue);

  /// Decodes the file, turns the image upright, resizes it as the op `load` does (only if the form
  /// has a size), and encodes it. If the form has a YCbCr format, the planes that `load` gives are
  /// stored instead. The result is valid until the next call. Throws std::runtime_error for a file
  /// that cannot be read or stored.
  FileContent convert(std::span<const std::uint8_t> file);
  /// Returns the remarks on the file of the last convert().
  const std::vector<Remark>& remarks() const { return remarks_; }
  /// Returns the loss by the jpeg encoding in the last convert(): the peak signal-to-noise ratio in
  /// dB between the image before encoding and the image decoded from the jpeg, at most 100. Returns
  /// 0 if images are not stored as jpeg.
  double psnr_db();

 private:
  View decode_pixels(std::span<const std::uint8_t> file);
  View decode_to_planes(std::span<const std::uint8_t> file);

  DatasetForm form_;
  Save save_;
  std::unique_ptr<Queue> queue_;
  Image decoded_, resized_, again_;
  YcbcrImage planes_;
  DecodeMemory memory_;
  std::vector<std::byte> fitted_;
  std::vector<Remark> remarks_;
  View image_ = {};  // the image of the last convert(), before encoding
  FileContent stored_ = {};
  std::vector<std::uint8_t> encoded_;
};

}  // namespace normbench
