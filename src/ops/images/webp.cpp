#include "ops/images/webp.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include "ops/images/exif.h"
#include "ops/images/upright.h"

namespace normbench {
namespace {

using WebPFile = std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)>;

[[noreturn]] void fail_damaged() { throw std::runtime_error("damaged WebP"); }

/// Parses the file. `data` must outlive the result. Throws std::runtime_error if the file is
/// damaged or truncated.
WebPFile open_webp(const WebPData& data) {
  WebPDemuxState state;
  WebPFile file(WebPDemuxPartial(&data, &state), &WebPDemuxDelete);
  if (state == WEBP_DEMUX_PARSE_ERROR) fail_damaged();
  if (!file || state != WEBP_DEMUX_DONE) throw std::runtime_error("premature end of WebP file");
  return file;
}

/// Returns a copy of the content of the first chunk with this name; empty if there is none.
std::vector<std::uint8_t> chunk_of(const WebPFile& file, const char* name) {
  WebPChunkIterator found;
  if (WebPDemuxGetChunk(file.get(), name, 1, &found) == 0) return {};
  const std::unique_ptr<WebPChunkIterator, decltype(&WebPDemuxReleaseChunkIterator)> owner(
      &found, &WebPDemuxReleaseChunkIterator);
  return {found.chunk.bytes, found.chunk.bytes + found.chunk.size};
}

int webp_orientation(const WebPFile& file) {
  const std::vector<std::uint8_t> exif = chunk_of(file, "EXIF"), xmp = chunk_of(file, "XMP ");
  return orientation_of(exif, {reinterpret_cast<const char*>(xmp.data()), xmp.size()});
}

/// Decodes a frame to its place on a canvas with `columns` columns.
void decode_frame(const WebPIterator& frame, std::int64_t columns, std::span<std::uint8_t> canvas) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) throw std::logic_error("another libwebp at run time");
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  const auto target = canvas.subspan(3 * (frame.y_offset * columns + frame.x_offset));
  config.output.u.RGBA = {
      .rgba = target.data(), .stride = static_cast<int>(3 * columns), .size = target.size()};
  const VP8StatusCode code = WebPDecode(frame.fragment.bytes, frame.fragment.size, &config);
  if (code == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != VP8_STATUS_OK) fail_damaged();
}

}  // namespace

void decode_webp(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory) {
  const WebPData data{.bytes = bytes.data(), .size = bytes.size()};
  const WebPFile file = open_webp(data);
  const std::int64_t height = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT);
  const std::int64_t width = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH);
  WebPIterator frame;
  if (WebPDemuxGetFrame(file.get(), 1, &frame) == 0) fail_damaged();
  const std::unique_ptr<WebPIterator, decltype(&WebPDemuxReleaseIterator)> owner(
      &frame, &WebPDemuxReleaseIterator);
  decode_upright(webp_orientation(file), height, width, image, memory.stored,
                 [&](std::span<std::uint8_t> rgb) {
                   if (frame.height != height || frame.width != width)
                     std::ranges::fill(rgb, std::uint8_t{0});
                   decode_frame(frame, width, rgb);
                 });
}

}  // namespace normbench
