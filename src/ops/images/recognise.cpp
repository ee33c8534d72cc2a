#include "ops/images/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace normbench {
namespace {

using namespace std::string_view_literals;

/// Bytes at a fixed place in a file.
struct Mark {
  std::size_t at;
  std::string_view bytes;
};

/// A kind of file and the bytes by which it is recognised. Both `mark` and `also` must match.
struct FileKind {
  std::string_view name;
  Mark mark;
  Mark also = {0, {}};
};

constexpr auto other_pictures = std::to_array<FileKind>({
    {"a GIF picture", {0, "GIF8"}},
    {"a BMP picture", {0, "BM"}, {6, "\0\0\0\0"sv}},
    {"a TIFF picture", {0, "II*\0"sv}},
    {"a TIFF picture", {0, "MM\0*"sv}},
    {"a TIFF picture", {0, "II+\0"sv}},
    {"a TIFF picture", {0, "MM\0+"sv}},
    {"an AVIF picture", {4, "ftypavif"}},
    {"an AVIF picture", {4, "ftypavis"}},
    {"a HEIC picture", {4, "ftyphei"}},
    {"a HEIC picture", {4, "ftyphev"}},
    {"a HEIF picture", {4, "ftypmif1"}},
    {"a HEIF picture", {4, "ftypmsf1"}},
    {"a CR3 picture", {4, "ftypcrx"}},
    {"a JPEG XL picture", {0, "\xFF\x0A"}},
    {"a JPEG XL picture", {4, "JXL \r\n\x87\n"}},
    {"a JPEG 2000 picture", {4, "jP  \r\n\x87\n"}},
    {"a JPEG 2000 picture", {0, "\xFF\x4F\xFF\x51"}},
    {"a JPEG XR picture", {0, "II\xBC\x01"}},
    {"a PNM picture", {0, "P1"}, {2, "\n"}},
    {"a PNM picture", {0, "P2"}, {2, "\n"}},
    {"a PNM picture", {0, "P3"}, {2, "\n"}},
    {"a PNM picture", {0, "P4"}, {2, "\n"}},
    {"a PNM picture", {0, "P5"}, {2, "\n"}},
    {"a PNM picture", {0, "P6"}, {2, "\n"}},
    {"a PNM picture", {0, "P5 "}},
    {"a PNM picture", {0, "P6 "}},
    {"a PAM picture", {0, "P7\n"}},
    {"a PFM picture", {0, "PF\n"}},
    {"a PFM picture", {0, "Pf\n"}},
    {"a PSD picture", {0, "8BPS"}},
    {"an ICO picture", {0, "\0\0\1\0"sv}},
    {"a DDS picture", {0, "DDS "}},
    {"an OpenEXR picture", {0, "\x76\x2F\x31\x01"}},
    {"a Radiance HDR picture", {0, "#?RADIANCE"}},
    {"a QOI picture", {0, "qoif"}},
    {"a FITS picture", {0, "SIMPLE  ="}},
    {"an XCF picture", {0, "gimp xcf"}},
    {"an MNG picture", {0, "\x8AMNG"}},
    {"a JNG picture", {0, "\x8BJNG"}},
    {"a PNG of Apple's own kind (CgBI)", {0, "\x89PNG"}, {12, "CgBI"}},
    {"a PDF document", {0, "%PDF"}},
    {"a PostScript document", {0, "%!PS"}},
});

constexpr auto no_pictures = std::to_array<FileKind>({
    {"a macOS ._ file (AppleDouble)", {0, "\0\x05\x16\x07"sv}},
    {"an AppleSingle file", {0, "\0\x05\x16\0"sv}},
    {"an MP4 or QuickTime video", {4, "ftyp"}},
    {"a Matroska or WebM video", {0, "\x1A\x45\xDF\xA3"}},
    {"an AVI video", {0, "RIFF"}, {8, "AVI "}},
    {"a WAV sound", {0, "RIFF"}, {8, "WAVE"}},
    {"a gzip archive", {0, "\x1F\x8B"}},
    {"a zip archive", {0, "PK\3\4"}},
    {"a zip archive", {0, "PK\5\6"}},
    {"a tar archive", {257, "ustar"}},
    {"an xz archive",
     {0,
      "\xFD"
      "7zXZ"}},
    {"a bzip2 archive", {0, "BZh"}, {4, "1AY&SY"}},
    {"a zstd archive", {0, "\x28\xB5\x2F\xFD"}},
    {"a 7z archive", {0, "7z\xBC\xAF\x27\x1C"}},
    {"a RAR archive", {0, "Rar!"}},
    {"a NumPy array", {0, "\x93NUMPY"}},
    {"an HDF5 file", {0, "\x89HDF\r\n\x1A\n"}},
    {"a SQLite database", {0, "SQLite format 3"}},
    {"a text", {0, "\xFF\xFE"}},  // UTF-16
    {"a text", {0, "\xFE\xFF"}},
});

std::string_view shown(std::span<const std::uint8_t> bytes, std::size_t most) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), most)};
}

/// Returns the name of the first of `kinds` whose marks are in the file; "" if there is none.
std::string_view kind_of(std::string_view file, std::span<const FileKind> kinds) {
  const auto has = [&](const Mark& mark) {
    return mark.at <= file.size() && file.substr(mark.at).starts_with(mark.bytes);
  };
  const auto found = std::ranges::find_if(
      kinds, [&](const FileKind& kind) { return has(kind.mark) && has(kind.also); });
  return found == kinds.end() ? std::string_view{} : found->name;
}

/// Returns true if `bytes` are UTF-8 without control characters. The last character may be cut off.
bool is_text(std::string_view bytes) {
  int more = 0;  // bytes of the current character that are still expected
  for (const unsigned char c : bytes) {
    if (more > 0 ? (c & 0xC0) != 0x80 : (c >= 0x80 && c < 0xC2) || c > 0xF4) return false;
    if (c < 0x20 &&
        std::string_view("\t\n\f\r\x1b").find(static_cast<char>(c)) == std::string_view::npos)
      return false;
    if (c == 0x7F) return false;
    more = more > 0 ? more - 1 : c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
  }
  return !bytes.empty();
}

/// Returns the kind of text in a file, or "" if it is no text.
std::string_view text_kind(std::string_view file) {
  if (!is_text(file)) return "";
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  file.remove_prefix(std::min(file.size(), file.find_first_not_of(" \t\n\r\f")));
  if (file.starts_with("version https://git-lfs.github.com/spec/")) return "a Git LFS pointer";
  std::string lower(file);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!lower.starts_with('<')) return "a text";
  const auto html = lower.find("<html"), svg = lower.find("<svg");
  if (lower.starts_with("<!doctype html") || html < svg) return "an HTML page";
  if (svg != lower.npos) return "an SVG picture";
  for (const std::string_view tag : {"<head", "<body", "<title", "<script", "<meta", "<div"})
    if (lower.starts_with(tag)) return "an HTML page";
  return lower.starts_with("<?xml") ? "an XML text" : "a text";
}

bool is_tga(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view footer = "TRUEVISION-XFILE.\0"sv;
  return bytes.size() >= footer.size() && shown(bytes.last(footer.size()), footer.size()) == footer;
}

}  // namespace

std::string not_read_here(std::string_view picture) {
  return fmt::format("{}, which is not read here (JPEG, PNG and WebP are)", picture);
}

std::string why_not_read(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t looked_at = 4096, text_seen = 1024;
  const std::string_view file = shown(bytes, looked_at);
  if (const auto name = kind_of(file, other_pictures); !name.empty()) return not_read_here(name);
  if (is_tga(bytes)) return not_read_here("a TGA picture");
  if (const auto name = kind_of(file, no_pictures); !name.empty())
    return fmt::format("{}, not a picture", name);
  if (const auto name = text_kind(shown(bytes, text_seen)); name == "an SVG picture")
    return not_read_here(name);
  else if (name == "a Git LFS pointer")
    return "a Git LFS pointer, not a picture (git lfs pull fetches it)";
  else if (!name.empty())
    return fmt::format("{}, not a picture", name);
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; }))
    return "a file of zeros";
  std::string start;
  for (const auto byte : bytes.first(std::min<std::size_t>(bytes.size(), 4)))
    start += fmt::format(" {:02x}", byte);
  return "not an image this version reads (JPEG, PNG and WebP; the file starts with" + start + ")";
}

}  // namespace normbench
