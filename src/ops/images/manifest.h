/// manifest.json: what a folder of prepared images holds, and how it was made. Where folders of the
/// sources are classes, "classes" lists them, and each source has a "class".
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

/// The form in which the images of a dataset are stored: 8-bit RGB, nhwc.
struct DatasetForm {
  SaveFormat storage = SaveFormat::Jpeg;
  std::optional<std::int64_t> height, width;  // of every image; nothing: each has its own size
  std::optional<int> quality;                 // for jpeg, as libjpeg counts it
  std::optional<std::int64_t> shards;         // files of several images; nothing: one file an image
  bool operator==(const DatasetForm&) const = default;
};

/// A file of the dataset. A shard is empty where all images meant for it were left out.
struct DatasetFile {
  std::string name;  // as seen from the dataset's folder
  std::int64_t images = 1, bytes = 0;
  std::uint32_t crc32 = 0;  // zlib's
  bool operator==(const DatasetFile&) const = default;
};

/// An image that the dataset was made of.
struct SourceFile {
  std::string name;  // "a.jpg"; "cat/a.jpg" where folders are classes
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
  double psnr_db = 0;  // its jpeg against its pixels in that size; 0: all were kept
  std::vector<Remark> remarks = {};
  bool operator==(const SourceFile&) const = default;
};

/// An image that was left out because it could not be read, and the reason.
struct LeftOut {
  std::string name;
  std::int64_t bytes = 0;  // of the image's file
  std::string why;
  bool operator==(const LeftOut&) const = default;
};

struct Manifest {
  std::string tool, version;  // the program that made it
  DatasetForm form;
  std::int64_t images = 0;
  double seconds = 0;  // wall clock time of preparing, over all parts of an interrupted one
  std::int64_t source_bytes = 0, bytes = 0;
  std::vector<DatasetFile> files;   // in the order of their images
  std::vector<SourceFile> sources;  // one an image, in the same order
  std::vector<LeftOut> left_out = {};
  bool operator==(const Manifest&) const = default;
};

/// The manifest of a folder; nothing where it has none, or a manifest.json of another program.
/// Throws Invalid ("DIR/manifest.json: …") for one that is damaged or has a newer version.
std::optional<Manifest> read_manifest(const std::string& folder);

/// The mean peak signal-to-noise ratio (dB) of the images; 0 where all pixels were kept.
double mean_psnr_db(const Manifest& manifest);

/// Writes the manifest, whole or not at all. Throws CannotWrite.
void write_manifest(const std::string& folder, const Manifest& manifest);

/// "DIR/manifest.json".
std::string manifest_path(const std::string& folder);
/// "DIR/prepare.jsonl": the journal of a preparation that is not finished.
std::string unfinished_path(const std::string& folder);

// Parts of a manifest as JSON; the members of a form stand among the manifest's own. Readers report
// mistakes to their Reader.
Json to_json(const DatasetForm& form);
Json to_json(const DatasetFile& file);
Json to_json(std::span<const SourceFile> sources);
Json to_json(std::span<const LeftOut> images);
DatasetForm read_form(Reader& reader);
DatasetFile read_dataset_file(Reader& reader);
std::vector<SourceFile> read_sources(Reader& reader, std::string_view key);
std::vector<LeftOut> read_left_out(Reader& reader, std::string_view key);

}  // namespace normbench
