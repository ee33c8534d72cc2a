#include "ops/images/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file.h"
#include "core/issue.h"
#include "ops/images/image_files.h"

namespace normbench {
namespace {

constexpr std::int64_t manifest_version = 1;
constexpr std::int64_t most_side = std::numeric_limits<int>::max();
Layout stored_layout(const DatasetForm& form) {
  return form.format == PixelFormat::Rgb ? Layout::Nhwc : Layout::Nchw;
}
constexpr DType stored_dtype = DType::UInt8;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// Reads a whole number of at least 1; returns nothing for null.
template <class T>
std::optional<T> read_optional(Reader& reader, std::string_view key, std::int64_t most) {
  if (reader.member(key).is_null()) return std::nullopt;
  return static_cast<T>(reader.integer(key, 1, 1, most));
}

std::int64_t read_count(Reader& reader, std::string_view key) {
  if (!reader.has(key)) reader.complain_at(key, "is missing");
  return reader.integer(key, 0, 0);
}

std::string read_name(Reader& reader, std::string_view key) {
  std::string name = reader.text(key, "");
  if (name.empty()) reader.complain_at(key, "is missing");
  return name;
}

std::string crc_text(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

std::uint32_t read_crc(Reader& reader) {
  const std::string text = reader.text("crc32", "");
  std::uint32_t crc = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, crc, 16);
  if (text.size() != 8 || error != std::errc() || at != end)
    reader.complain_at("crc32", "expected 8 hexadecimal digits");
  return crc;
}

Json source_json(const SourceFile& source) {
  Json json = {{"name", source.name}, {"bytes", source.bytes}, {"crc32", crc_text(source.crc32)}};
  if (source.psnr_db > 0) json["psnr_db"] = source.psnr_db;
  if (const auto its = class_of(source.name); !its.empty()) json["class"] = its;
  for (const Remark remark : source.remarks) json["remarks"].push_back(name_of(remark));
  return json;
}

std::vector<Remark> read_remarks(Reader& reader) {
  std::vector<Remark> remarks;
  for (const std::string& text : reader.texts("remarks", {})) {
    const auto remark = parse_word<Remark>(text);
    if (!remark) reader.complain_at("remarks", unknown_of("remark", text, all_words<Remark>()));
    remarks.push_back(remark.value_or(Remark{}));
  }
  return remarks;
}

SourceFile read_source(Reader& reader) {
  SourceFile source{.name = read_name(reader, "name"),
                    .bytes = read_count(reader, "bytes"),
                    .crc32 = read_crc(reader),
                    .psnr_db = reader.number("psnr_db", 0, 0),
                    .remarks = read_remarks(reader)};
  if (reader.text("class", "") != class_of(source.name))
    reader.complain_at("class", "is not the first folder of the name");
  return source;
}

Json left_out_json(const LeftOut& image) {
  return {{"name", image.name}, {"bytes", image.bytes}, {"why", image.why}};
}

LeftOut read_left_out_image(Reader& reader) {
  return {.name = read_name(reader, "name"),
          .bytes = read_count(reader, "bytes"),
          .why = reader.text("why", "")};
}

/// Returns all classes, sorted by name, including classes without an image that could be read.
std::vector<std::string> classes_of(const Manifest& manifest) {
  std::set<std::string> classes;
  for (const SourceFile& source : manifest.sources) classes.emplace(class_of(source.name));
  for (const LeftOut& image : manifest.left_out) classes.emplace(class_of(image.name));
  classes.erase("");
  return {classes.begin(), classes.end()};
}

template <class T>
Json list_json(std::span<const T> values, Json (*json_of)(const T&)) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

template <class T>
std::vector<T> read_list(Reader& reader, std::string_view key, T (*read)(Reader&)) {
  std::vector<T> list;
  const Json& values = reader.member(key);
  if (!values.is_array()) {
    reader.complain_at(key, "expected a list");
    return list;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    Reader element(values[i], fmt::format("{}/{}", reader.pointer_to(key), i), reader.issues());
    list.push_back(read(element));
    element.finish();
  }
  return list;
}

bool is_of_normbench(const Json& json) {
  if (!json.is_object()) return false;
  const Json tool = json.value("tool", Json());
  return tool.is_object() && tool.value("name", Json()) == "normbench";
}

/// Reports totals in the manifest that differ from the sums over its lists.
void check_sums(const Manifest& manifest, Reader& reader) {
  std::int64_t images = 0, bytes = 0, source_bytes = 0;
  for (const DatasetFile& file : manifest.files) images += file.images, bytes += file.bytes;
  for (const SourceFile& source : manifest.sources) source_bytes += source.bytes;
  const auto check = [&](std::string_view key, std::int64_t said, std::int64_t sum) {
    if (said != sum)
      reader.complain_at(key, fmt::format("is {}, but its lists add up to {}", said, sum));
  };
  check("images", manifest.images, images);
  check("bytes", manifest.bytes, bytes);
  check("source_bytes", manifest.source_bytes, source_bytes);
  check("images", manifest.images, std::ssize(manifest.sources));
}

Manifest read_members(Reader& reader) {
  const std::int64_t version = reader.integer("schema", 0);
  if (version > manifest_version)
    throw Invalid(fmt::format("/schema: {} is newer than this version of normbench reads ({})",
                              version, manifest_version));
  if (version != manifest_version) reader.complain_at("schema", "expected 1");
  Manifest manifest;
  Reader tool = reader.object("tool");
  manifest.tool = tool.text("name", "");
  manifest.version = tool.text("version", "");
  tool.finish();
  manifest.form = read_form(reader);
  const Layout layout = stored_layout(manifest.form);
  if (reader.word("layout", layout) != layout || reader.word("dtype", stored_dtype) != stored_dtype)
    reader.complain(fmt::format("expected layout {} and dtype uint8", name_of(layout)));
  manifest.images = read_count(reader, "images");
  manifest.seconds = reader.number("seconds", 0, 0);
  manifest.source_bytes = read_count(reader, "source_bytes");
  manifest.bytes = read_count(reader, "bytes");
  manifest.files = read_list(reader, "files", &read_dataset_file);
  manifest.sources = read_sources(reader, "sources");
  manifest.left_out = read_left_out(reader, "left_out");
  if (reader.texts("classes", {}) != classes_of(manifest))
    reader.complain_at("classes", "are not those of its sources");
  reader.finish();
  if (reader.issues().empty()) check_sums(manifest, reader);
  return manifest;
}

}  // namespace

Json to_json(const DatasetForm& form) {
  Json json{{"storage", name_of(form.storage)},
            {"height", or_null(form.height)},
            {"width", or_null(form.width)},
            {"quality", or_null(form.quality)},
            {"shards", or_null(form.shards)}};
  if (form.format != PixelFormat::Rgb) json["pixel_format"] = name_of(form.format);
  return json;
}

Json to_json(const DatasetFile& file) {
  return {{"name", file.name},
          {"images", file.images},
          {"bytes", file.bytes},
          {"crc32", crc_text(file.crc32)}};
}

Json to_json(std::span<const SourceFile> sources) { return list_json(sources, &source_json); }

Json to_json(std::span<const LeftOut> images) { return list_json(images, &left_out_json); }

DatasetForm read_form(Reader& reader) {
  if (!reader.has("storage")) reader.complain_at("storage", "is missing");
  return {.storage = reader.word("storage", SaveFormat::Jpeg),
          .height = read_optional<std::int64_t>(reader, "height", most_side),
          .width = read_optional<std::int64_t>(reader, "width", most_side),
          .quality = read_optional<int>(reader, "quality", 100),
          .shards = read_optional<std::int64_t>(reader, "shards", most_side),
          .format = reader.word("pixel_format", PixelFormat::Rgb)};
}

DatasetFile read_dataset_file(Reader& reader) {
  return {.name = read_name(reader, "name"),
          .images = read_count(reader, "images"),
          .bytes = read_count(reader, "bytes"),
          .crc32 = read_crc(reader)};
}

std::vector<SourceFile> read_sources(Reader& reader, std::string_view key) {
  return read_list(reader, key, &read_source);
}

std::vector<LeftOut> read_left_out(Reader& reader, std::string_view key) {
  return read_list(reader, key, &read_left_out_image);
}

double mean_psnr_db(const Manifest& manifest) {
  double sum = 0;
  for (const SourceFile& source : manifest.sources) sum += source.psnr_db;
  return manifest.sources.empty() ? 0 : sum / static_cast<double>(manifest.sources.size());
}

std::string manifest_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "manifest.json").string();
}

std::string unfinished_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "prepare.jsonl").string();
}

std::optional<Manifest> read_manifest(const std::string& folder) {
  const std::string path = manifest_path(folder);
  std::error_code unknown;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, unknown))) return std::nullopt;
  std::vector<Issue> issues;
  try {
    std::vector<std::uint8_t> bytes;
    read_file(path, bytes);
    const Json json =
        parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, issues);
    if (issues.empty() && !is_of_normbench(json)) return std::nullopt;
    Reader reader(json, "", issues);
    Manifest manifest = read_members(reader);
    if (!issues.empty()) throw Invalid(fmt::format("{}: {}", issues[0].pointer, issues[0].text));
    return manifest;
  } catch (const std::runtime_error& error) {
    throw Invalid(fmt::format("{}: {}", path, error.what()));
  }
}

void write_manifest(const std::string& folder, const Manifest& manifest) {
  Json json = {{"schema", manifest_version},
               {"tool", {{"name", manifest.tool}, {"version", manifest.version}}}};
  json.update(to_json(manifest.form));
  json.update({{"layout", name_of(stored_layout(manifest.form))},
               {"dtype", name_of(stored_dtype)},
               {"images", manifest.images},
               {"seconds", manifest.seconds},
               {"source_bytes", manifest.source_bytes},
               {"bytes", manifest.bytes},
               {"files", Json::array()},
               {"sources", to_json(manifest.sources)},
               {"left_out", to_json(manifest.left_out)}});
  if (auto classes = classes_of(manifest); !classes.empty()) json["classes"] = std::move(classes);
  for (const DatasetFile& file : manifest.files) json["files"].push_back(to_json(file));
  write_file(manifest_path(folder), json.dump(1) + "\n");
}

}  // namespace normbench
