/// manifest.json: what a folder of prepared images contains, and how it was made. If the folders of
/// the source files are classes, the member "classes" lists them, and each source has a member
/// "class".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "ops/images/image.h"
#include "ops/save.h"

namespace normbench {

/// How a dataset stores its images. Their pixels are always 8-bit RGB, nhwc.
struct DatasetForm {
  SaveFormat storage = SaveFormat::Jpeg;
  std::optional<std::int64_t> height, width;  // of every image; empty: each image has its own size
  std::optional<int> quality;                 // quality of libjpeg; only for jpeg
  // The number of shards: files with several images each. Empty: each file has one image.
  std::optional<std::int64_t> shards;
  PixelFormat format = PixelFormat::Rgb;  // a YCbCr format only for raw and npy
  bool operator==(const DatasetForm&) const = default;
};

/// A file of the dataset: one image, or a shard of several. A shard has 0 images if none of its
/// source images could be read.
struct DatasetFile {
  std::string name;  // relative to the dataset's folder
  std::int64_t images = 1, bytes = 0;
  std::uint32_t crc32 = 0;  // of the whole file, as zlib computes it
  bool operator==(const DatasetFile&) const = default;
};

/// An image file from which the dataset was made.
struct SourceFile {
  std::string name;  // "a.jpg", or "cat/a.jpg" if folders are classes
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
  // PSNR in dB of the stored jpeg compared with the pixels before encoding; 0 if no pixel changed.
  double psnr_db = 0;
  std::vector<Remark> remarks = {};
  bool operator==(const SourceFile&) const = default;
};

/// An image file that is not in the dataset because it could not be read, and the reason.
struct LeftOut {
  std::string name;
  std::int64_t bytes = 0;  // of the image's file
  std::string why;
  bool operator==(const LeftOut&) const = default;
};

struct Manifest {
  std::string tool, version;  // the program that made the dataset
  DatasetForm form;
  std::int64_t images = 0;
  // Wall clock time of the preparation, in s, without the pauses after interruptions.
  double seconds = 0;
  std::int64_t source_bytes = 0, bytes = 0;
  std::vector<DatasetFile> files;
  std::vector<SourceFile> sources;  // one for each image in `files`, in the same order
  std::vector<LeftOut> left_out = {};
  bool operator==(const Manifest&) const = default;
};

/// Returns the manifest of a folder. Returns nothing if the folder has no manifest.json, or if
/// another program wrote it. Throws Invalid ("DIR/manifest.json: ...") if the file is damaged or
/// has a newer version.
std::optional<Manifest> read_manifest(const std::string& folder);

/// Returns the mean of `psnr_db` over the sources of the manifest; 0 if all pixels are unchanged.
double mean_psnr_db(const Manifest& manifest);

/// Writes the manifest, either whole or not at all. Throws CannotWrite.
void write_manifest(const std::string& folder, const Manifest& manifest);

/// Returns "DIR/manifest.json".
std::string manifest_path(const std::string& folder);
/// Returns "DIR/prepare.jsonl", the journal of a preparation that is not finished.
std::string unfinished_path(const std::string& folder);

// Convert parts of a manifest to JSON and back. The members of a DatasetForm are members of the
// manifest itself. The functions that read add an issue to their Reader for each mistake.
Json to_json(const DatasetForm& form);
Json to_json(const DatasetFile& file);
Json to_json(std::span<const SourceFile> sources);
Json to_json(std::span<const LeftOut> images);
DatasetForm read_form(Reader& reader);
DatasetFile read_dataset_file(Reader& reader);
std::vector<SourceFile> read_sources(Reader& reader, std::string_view key);
std::vector<LeftOut> read_left_out(Reader& reader, std::string_view key);

}  // namespace normbench
