#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ops/checks.h"

namespace normbench {

enum class SaveFormat { Jpeg, Png, Raw, Npy };
constexpr auto words(SaveFormat) {
  return std::to_array<Word<SaveFormat>>({{SaveFormat::Jpeg, "jpeg"},
                                          {SaveFormat::Png, "png"},
                                          {SaveFormat::Raw, "raw"},
                                          {SaveFormat::Npy, "npy"}});
}

/// Encodes each uint8 nhwc image and writes it to its own file in the run's scratch folder. The
/// input passes through. After the stage the files exist in the file system, but their content may
/// not be on a disk yet. Parameters:
/// - format: jpeg (the default; baseline with chroma at full resolution), png (zlib's default
///   level), raw (the bytes of the image) or npy ([height, width, channels]).
/// - quality: for jpeg (default 95).
struct Save {
  static constexpr std::string_view name = "save";
  static constexpr std::string_view about =
      "encode each image (jpeg, png, raw, npy) and write it to a file";
  static constexpr Roles roles{.runs = Runs::HostKernel,
                               .passes_through = true,
                               .needs_input = true,
                               .files = FileUse::Writes};

  SaveFormat format = SaveFormat::Jpeg;
  int quality = 95;

  static Save read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  /// Returns no ops, because a self-test has no folder for files.
  static std::vector<Save> samples(const Shape&) { return {}; }
  /// Returns the path of an image's file: `start` (folder, stage and item: "/tmp/x/4-0"), then
  /// "-IMAGE.FORMAT".
  std::string saved_file(std::string_view start, std::int64_t image) const;
  /// Returns why the file does not hold this dense image, or "". The values in a png, raw or npy
  /// must equal those of the image. The root mean square error of a jpeg may be up to
  /// jpeg_error_bound().
  std::string why_not_saved(const std::string& path, const View& image) const;
};

/// The content of an image's file: the bytes of `start`, then those of `rest`.
struct FileContent {
  std::string start;  // the header of an npy file, else ""
  std::span<const std::uint8_t> rest;
};

/// Encodes a dense image. `rest` points into `memory`, which is reused, or to the image itself.
/// Throws std::runtime_error if the image cannot be encoded.
FileContent saved_content(const Save& op, const View& image, std::vector<std::uint8_t>& memory);

/// Writes a dense image to a new file. If a file with this path exists, it is replaced. `memory` is
/// reused. Throws std::runtime_error with the file's name and the reason.
void save_image(const Save& op, const std::string& path, const View& image,
                std::vector<std::uint8_t>& memory);

}  // namespace normbench
