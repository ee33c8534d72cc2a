#include "ops/jpeg.h"

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

// jpeglib.h needs <cstdio>, and jerror.h the settings in jpeglib.h.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "ops/exif.h"

namespace normbench {
namespace {

/// libjpeg reports through callbacks that must not return after an error; the jump goes back to the
/// C++ frame, which throws. No frame between may own anything.
struct ErrorManager : jpeg_error_mgr {
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail(j_common_ptr codec) {
  auto& errors = *static_cast<ErrorManager*>(codec->err);
  errors.format_message(codec, errors.text);
  std::longjmp(errors.back, 1);
}

/// Of the warnings, only those about lost pixels are failures; odd but whole files are not.
void on_message(j_common_ptr codec, int level) {
  if (level >= 0) return;
  const int code = codec->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
      code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC)
    fail(codec);
}

/// A decompressor, freed at the end of its scope.
class Decoder {
 public:
  Decoder() {
    codec.err = jpeg_std_error(&errors);
    errors.error_exit = &fail;
    errors.emit_message = &on_message;
    run([&] { jpeg_create_decompress(&codec); });
  }
  ~Decoder() { jpeg_destroy_decompress(&codec); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Runs `step`, which may call libjpeg and owns nothing; throws what libjpeg has to say.
  template <class Step>
  void run(const Step& step) {
    if (setjmp(errors.back) != 0) {
      std::string text = errors.text;
      if (std::islower(text[1]) != 0) text[0] = static_cast<char>(std::tolower(text[0]));
      throw std::runtime_error(text);
    }
    step();
  }

  ErrorManager errors;
  jpeg_decompress_struct codec;
};

/// CMYK as stored to RGB, in place at the row's start. Adobe's files store the inks inverted.
void cmyk_to_rgb(std::uint8_t* row, std::int64_t width, bool inverted) {
  for (std::int64_t x = 0; x < width; ++x) {
    std::uint8_t paper[4];  // how much of the paper each ink lets through
    for (int i = 0; i < 4; ++i) paper[i] = inverted ? row[4 * x + i] : 255 - row[4 * x + i];
    for (int i = 0; i < 3; ++i) row[3 * x + i] = (paper[i] * paper[3] + 127) / 255;
  }
}

int orientation(const jpeg_decompress_struct& codec) {
  for (auto marker = codec.marker_list; marker != nullptr; marker = marker->next)
    if (const int found = exif_orientation({marker->data, marker->data_length}); found != 1)
      return found;
  return 1;
}

void read_rows(Decoder& decoder, const Upright& to, Image& image) {
  auto& codec = decoder.codec;
  const bool inks = codec.out_color_space == JCS_CMYK;
  const bool direct = !inks && to.column_step == 1;
  const std::int64_t width = codec.output_width;
  std::vector<std::uint8_t> row(direct ? 0 : width * codec.output_components);
  for (std::int64_t y = 0; y < codec.output_height; ++y) {
    std::uint8_t* const target = &image.rgb[3 * (to.first + y * to.row_step)];
    decoder.run([&] {
      JSAMPROW rows[] = {direct ? target : row.data()};
      jpeg_read_scanlines(&codec, rows, 1);
    });
    if (direct) continue;
    if (inks) cmyk_to_rgb(row.data(), width, codec.saw_Adobe_marker != 0);
    for (std::int64_t x = 0; x < width; ++x)
      std::copy_n(&row[3 * x], 3, target + 3 * x * to.column_step);
  }
}

}  // namespace

void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image) {
  Decoder decoder;
  auto& codec = decoder.codec;
  decoder.run([&] {
    jpeg_mem_src(&codec, bytes.data(), bytes.size());
    jpeg_save_markers(&codec, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&codec, TRUE);
    codec.out_color_space = codec.num_components == 4 ? JCS_CMYK : JCS_RGB;
  });
  const Upright to = upright(orientation(codec), codec.image_height, codec.image_width);
  set_size(image, to.height, to.width);
  decoder.run([&] { jpeg_start_decompress(&codec); });
  read_rows(decoder, to, image);
  decoder.run([&] { jpeg_finish_decompress(&codec); });
}

}  // namespace normbench
