#include "ops/images/png.h"

#include <fmt/format.h>
#include <spng.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ops/images/exif.h"
#include "ops/images/inflate.h"
#include "ops/images/upright.h"

namespace normbench {
namespace {

using Part = std::span<const std::uint8_t>;

constexpr std::size_t most_chunk_bytes = std::size_t{1} << 26;  // the longest text or profile
constexpr std::size_t most_text_bytes = std::size_t{1} << 20;   // the longest text after inflating

enum class Checksum { Right, Wrong, Absent };

struct PngChunk {
  std::string_view type;
  Part data;  // the bytes in the file; fewer than the chunk's length if the file is cut off
  Part sum;   // the checksum in the file; fewer than 4 bytes if the file is cut off
};

std::string_view as_text(Part bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t big_endian(Part bytes) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : bytes.first(4)) number = number << 8 | byte;
  return number;
}

/// Removes the first chunk from `bytes` and returns it. Returns nothing if `bytes` does not begin
/// with a chunk.
std::optional<PngChunk> next_chunk(Part& bytes) {
  if (bytes.size() < 8) return {};
  const std::size_t length = big_endian(bytes);
  const std::string_view type = as_text(bytes.subspan(4, 4));
  if (!std::ranges::all_of(type, [](unsigned char c) { return std::isalpha(c) != 0; })) return {};
  bytes = bytes.subspan(8);
  const Part data = bytes.first(std::min(length, bytes.size()));
  bytes = bytes.subspan(data.size());
  const Part sum = bytes.first(data.size() < length ? 0 : std::min<std::size_t>(4, bytes.size()));
  bytes = bytes.subspan(sum.size());
  return PngChunk{.type = type, .data = data, .sum = sum};
}

/// Returns the CRC-32 of type and data. `data` must follow `type` directly in memory.
std::uint32_t sum_of(std::string_view type, Part data) {
  const auto* first = reinterpret_cast<const Bytef*>(type.data());
  return static_cast<std::uint32_t>(crc32_z(0, first, type.size() + data.size()));
}

Checksum checksum(const PngChunk& chunk) {
  if (chunk.sum.size() < 4) return Checksum::Absent;
  return big_endian(chunk.sum) == sum_of(chunk.type, chunk.data) ? Checksum::Right
                                                                 : Checksum::Wrong;
}

/// Returns the inflated text, cut after `most_text_bytes`.
std::string inflated(Part bytes) {
  std::string text;
  inflate_up_to(most_text_bytes, bytes, [&](Part piece) { text += as_text(piece); });
  return text;
}

/// Removes the text up to the first zero, and the zero, from `bytes`. Returns the text.
std::string_view until_zero(Part& bytes) {
  const auto end = std::ranges::find(bytes, std::uint8_t{0});
  const auto length = static_cast<std::size_t>(end - bytes.begin());
  const std::string_view text = as_text(bytes.first(length));
  bytes = bytes.subspan(std::min(bytes.size(), length + 1));
  return text;
}

/// Returns the text that follows the keyword in a tEXt, zTXt or iTXt chunk.
std::string text_in(std::string_view type, Part rest) {
  if (type == "tEXt") return std::string(as_text(rest));
  if (rest.empty()) return "";
  const bool compressed = type == "zTXt" || rest[0] != 0;
  rest = rest.subspan(1);  // compression method (zTXt: always 0) or flag (iTXt)
  if (type == "iTXt") {
    rest = rest.subspan(std::min<std::size_t>(1, rest.size()));
    until_zero(rest);  // the language
    until_zero(rest);  // the keyword in that language
  }
  return compressed ? inflated(rest) : std::string(as_text(rest));
}

/// Decodes a raw profile: hexadecimal digits after three lines (a blank one, a name, a count).
std::vector<std::uint8_t> raw_profile(std::string_view text) {
  for (int line = 0; line < 3; ++line) {
    if (text.find('\n') == text.npos) return {};
    text.remove_prefix(text.find('\n') + 1);
  }
  std::vector<std::uint8_t> bytes;
  int high = -1;
  for (const unsigned char c : text) {
    if (std::isspace(c) != 0) continue;
    if (std::isxdigit(c) == 0) return {};
    const int digit = std::isdigit(c) != 0 ? c - '0' : (c | 0x20) - 'a' + 10;
    if (high >= 0) bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit));
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

std::string why_damaged(int code) {
  if (code == SPNG_IO_EOF) return "premature end of PNG file";
  return fmt::format("damaged PNG: {}", spng_strerror(code));
}

/// A text chunk whose text is not decoded yet.
struct PngText {
  std::string_view type;
  Part rest;  // the bytes after the keyword
};

std::string text_in(const std::optional<PngText>& text) {
  return text ? text_in(text->type, text->rest) : "";
}

/// Metadata of a PNG, from the chunks that hold no pixels. If a kind of chunk occurs several times,
/// the last one counts, as in Pillow.
struct BesidePixels {
  Part exif;
  std::optional<PngText> profile, xmp;
  // True if the IEND chunk is correct, and if all chunks before it that hold no pixels have the
  // right checksum.
  bool whole = false;
};

/// Collects the chunks that hold no pixels. Ignores chunks with a wrong or missing checksum.
/// libspng checks the chunks with pixels. Throws std::runtime_error if the checksum of the header
/// is wrong, because libspng finds that mistake only after the output was allocated.
BesidePixels look_beside_pixels(Part bytes) {
  BesidePixels found;
  bool right = true;
  bytes = bytes.subspan(png_mark.size());
  while (const auto chunk = next_chunk(bytes)) {
    if (chunk->type == "IDAT") continue;
    const Checksum sum = checksum(*chunk);
    if (chunk->type == "IHDR" && sum == Checksum::Wrong)
      throw std::runtime_error(why_damaged(SPNG_ECHUNK_CRC));
    if (sum != Checksum::Right) {
      right = false;
      continue;
    }
    Part rest = chunk->data;
    if (chunk->type == "IEND") {
      found.whole = right && rest.empty();
      break;
    }
    if (rest.size() > most_chunk_bytes) continue;
    if (chunk->type == "eXIf") found.exif = rest;
    if (chunk->type != "tEXt" && chunk->type != "zTXt" && chunk->type != "iTXt") continue;
    const std::string_view keyword = until_zero(rest);
    if (keyword == "Raw profile type exif") found.profile = {chunk->type, rest};
    if (keyword == "XML:com.adobe.xmp") found.xmp = {chunk->type, rest};
  }
  return found;
}

int png_orientation(const BesidePixels& found) {
  if (!found.exif.empty()) return orientation_of(found.exif, text_in(found.xmp));
  return orientation_of(raw_profile(text_in(found.profile)), text_in(found.xmp));
}

void put_chunk(std::string_view type, Part data, std::vector<std::uint8_t>& file) {
  const auto put = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
      file.push_back(static_cast<std::uint8_t>(number >> shift));
  };
  put(static_cast<std::uint32_t>(data.size()));
  const std::size_t start = file.size();
  file.insert(file.end(), type.begin(), type.end());
  file.insert(file.end(), data.begin(), data.end());
  put(sum_of(as_text(Part(file).subspan(start, type.size())), data));
}

/// Returns the colours of a palette that pixels can use with the bit depth of the PNG. libspng
/// refuses a longer palette, while other decoders ignore the further colours. `file` begins with
/// the PNG's header, which contains the bit depth.
Part used_colours(Part palette, Part file) {
  constexpr std::size_t depth_at = 24, most_depth = 8, most_colours = std::size_t{1} << most_depth;
  const std::size_t depth = file.size() > depth_at ? file[depth_at] : most_depth;
  const std::size_t colours = depth < most_depth ? std::size_t{1} << depth : most_colours;
  return palette.first(std::min(palette.size(), 3 * colours));
}

using PngDecoder = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

PngDecoder decoder_of(Part file) {
  PngDecoder decoder(spng_ctx_new(0), &spng_ctx_free);
  if (!decoder || spng_set_chunk_limits(decoder.get(), most_chunk_bytes, most_chunk_bytes) != 0 ||
      spng_set_png_buffer(decoder.get(), file.data(), file.size()) != 0)
    throw std::bad_alloc();
  return decoder;
}

/// Returns a bound on the size in bytes of the inflated pixels. `file` begins with the PNG's
/// header. Each row has one additional byte for its filter. An interlaced picture has up to twice
/// as many rows, each padded to a whole byte. Returns 0 if the header is wrong.
std::size_t most_pixel_bytes(Part file) {
  const PngDecoder decoder = decoder_of(file);
  spng_ihdr header;
  std::size_t bytes = 0;
  if (spng_get_ihdr(decoder.get(), &header) != 0 ||
      spng_decoded_image_size(decoder.get(), SPNG_FMT_PNG, &bytes) != 0)
    return 0;
  return bytes + 2 * (2 * std::size_t{header.height} + 7);
}

/// Returns a correct PNG file with the header, palette and pixels of a damaged one. Returns an
/// empty file in these cases:
/// - The checksum of the header or of the palette is wrong or missing.
/// - The zlib stream of the pixels is damaged.
/// - The stream ends too early or is too long, and the checksum of a chunk of pixels is wrong. If
///   the last chunk is cut off, its checksum is missing and does not count as wrong.
std::vector<std::uint8_t> mended_png(Part bytes) {
  std::vector<std::uint8_t> mended(png_mark.begin(), png_mark.end()), pixels;
  bool right = true;
  bytes = bytes.subspan(png_mark.size());
  while (const auto chunk = next_chunk(bytes)) {
    if (chunk->type == "IDAT") {
      pixels.insert(pixels.end(), chunk->data.begin(), chunk->data.end());
      right = right && checksum(*chunk) != Checksum::Wrong;
    } else if (!pixels.empty()) {
      break;
    } else if (chunk->type == "IHDR" || chunk->type == "PLTE") {
      if (checksum(*chunk) != Checksum::Right) return {};
      put_chunk(chunk->type,
                chunk->type == "PLTE" ? used_colours(chunk->data, mended) : chunk->data, mended);
    }
  }
  const Deflated state = inflate_up_to(most_pixel_bytes(mended), pixels, [](Part) {});
  if (state == Deflated::Damaged || (state != Deflated::Whole && !right)) return {};
  put_chunk("IDAT", pixels, mended);
  put_chunk("IEND", {}, mended);
  return mended;
}

/// Decodes the pixels. Returns "", or why they cannot be decoded.
std::string decode_pixels(Part bytes, int orientation, Image& image, DecodeMemory& memory) {
  const PngDecoder decoder = decoder_of(bytes);
  spng_ctx* const png = decoder.get();
  spng_ihdr header;
  int code = spng_get_ihdr(png, &header);
  if (code != 0) return why_damaged(code);
  decode_upright(orientation, header.height, header.width, image, memory.stored,
                 [&](std::span<std::uint8_t> rgb) {
                   code = spng_decode_image(png, rgb.data(), rgb.size(), SPNG_FMT_RGB8, 0);
                 });
  if (code == 0) code = spng_decode_chunks(png);  // checks the checksum of the last pixels
  if (code != 0) return why_damaged(code);
  if (header.bit_depth == 16) image.remarks.push_back(Remark::HighBytes);
  return "";
}

}  // namespace

void decode_png(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory) {
  if (bytes.size() < png_mark.size()) throw std::runtime_error(why_damaged(SPNG_IO_EOF));
  const BesidePixels beside = look_beside_pixels(bytes);
  const int orientation = png_orientation(beside);
  const std::string why = decode_pixels(bytes, orientation, image, memory);
  if (!why.empty()) {
    const std::vector<std::uint8_t> mended = mended_png(bytes);
    if (mended.empty() || !decode_pixels(mended, orientation, image, memory).empty())
      throw std::runtime_error(why);
  }
  if (!why.empty() || !beside.whole) image.remarks.push_back(Remark::Repaired);
}

}  // namespace normbench
