#include "ops/images/jpeg.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

// jpeglib.h needs <cstdio>, and jerror.h the settings in jpeglib.h.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

/// libjpeg's name for the coefficients of one component, which only its memory manager looks into.
struct jvirt_barray_control {
  JBLOCKARRAY rows;
  std::size_t blocks_per_row, row_count;
  jvirt_barray_control* next;
};

namespace normbench {
namespace {

constexpr std::string_view exif_mark{"Exif\0\0", 6};
constexpr int first_exchanged = 5;  // of the orientations whose rows become columns
constexpr std::uint32_t orientation_tag = 0x0112, short_type = 3;

/// Numbers of a TIFF structure in its byte order; 0 beyond its end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}

  std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[little_ ? at + size - 1 - i : at + i];
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_;
};

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

/// A decompressor, freed at the end of its scope. The coefficients of a progressive JPEG, several
/// times the pixels' bytes, lie in memory that is kept: libjpeg's own is mapped for each image.
class Decoder {
 public:
  explicit Decoder(std::vector<std::byte>& coefficients) : coefficients_(coefficients) {
    codec.err = jpeg_std_error(&errors);
    errors.error_exit = &fail;
    errors.emit_message = &on_message;
    run([&] { jpeg_create_decompress(&codec); });
    codec.client_data = this;
    codec.mem->request_virt_barray = &request;
    codec.mem->realize_virt_arrays = &realize;
    codec.mem->access_virt_barray = &access;
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

 private:
  static jvirt_barray_ptr request(j_common_ptr codec, int pool, boolean, JDIMENSION blocks_per_row,
                                  JDIMENSION rows, JDIMENSION) {
    auto& self = *static_cast<Decoder*>(codec->client_data);
    const auto small = [&](std::size_t bytes) {
      return codec->mem->alloc_small(codec, pool, bytes);
    };
    auto* const array = new (small(sizeof(jvirt_barray_control)))
        jvirt_barray_control{.rows = nullptr,
                             .blocks_per_row = blocks_per_row,
                             .row_count = rows,
                             .next = self.requested_};
    array->rows = static_cast<JBLOCKARRAY>(small(rows * sizeof(JBLOCKROW)));
    self.requested_ = array;
    return array;
  }

  /// All that was requested, zeros.
  static void realize(j_common_ptr codec) {
    auto& self = *static_cast<Decoder*>(codec->client_data);
    std::size_t blocks = 0;
    for (auto* array = self.requested_; array != nullptr; array = array->next)
      blocks += array->blocks_per_row * array->row_count;
    auto* block = static_cast<JBLOCKROW>(self.take(blocks * sizeof(JBLOCK)));
    if (block == nullptr) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
    for (auto* array = self.requested_; array != nullptr; array = array->next)
      for (std::size_t row = 0; row < array->row_count; ++row, block += array->blocks_per_row)
        array->rows[row] = block;
    self.requested_ = nullptr;
  }

  static JBLOCKARRAY access(j_common_ptr, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION,
                            boolean) {
    return array->rows + first;
  }

  /// Zeros, aligned as libjpeg's vector code wants it. Null when there is no memory: nothing may be
  /// thrown through libjpeg.
  void* take(std::size_t bytes) try {
    constexpr std::size_t alignment = 64;
    coefficients_.assign(bytes + alignment, std::byte{});
    std::size_t room = coefficients_.size();
    void* start = coefficients_.data();
    return std::align(alignment, bytes, start, room);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  std::vector<std::byte>& coefficients_;
  jvirt_barray_control* requested_ = nullptr;
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

int exif_orientation(std::span<const std::uint8_t> app1) {
  if (app1.size() < exif_mark.size() ||
      !std::equal(exif_mark.begin(), exif_mark.end(), app1.begin()))
    return 1;
  const auto bytes = app1.subspan(exif_mark.size());
  const Tiff tiff(bytes);
  if (tiff.number(2, 2) != 42) return 1;
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (tiff.number(entry, 2) != orientation_tag || tiff.number(entry + 2, 2) != short_type)
      continue;
    const int value = static_cast<int>(tiff.number(entry + 8, 2));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

Upright upright(int orientation, std::int64_t height, std::int64_t width) {
  // 1 as stored, 2 mirrored left to right, 3 turned by 180 degrees, 4 mirrored top to bottom; from
  // 5 on stored rows become columns: 5 as is, 6 from the right, 7 both reversed, 8 upwards.
  const bool exchanged = orientation >= first_exchanged;
  const bool y_reversed =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool x_reversed =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const std::int64_t out_width = exchanged ? height : width;
  const std::int64_t y_unit = exchanged ? 1 : out_width;
  const std::int64_t x_unit = exchanged ? out_width : 1;
  return {
      .height = exchanged ? width : height,
      .width = out_width,
      .first = (y_reversed ? (height - 1) * y_unit : 0) + (x_reversed ? (width - 1) * x_unit : 0),
      .row_step = y_reversed ? -y_unit : y_unit,
      .column_step = x_reversed ? -x_unit : x_unit};
}

namespace {

/// What `eighths` of `pixels` fill of as many whole ones as that takes: the first ones, or the
/// last.
AxisPart filled(std::int64_t pixels, int eighths, bool reversed) {
  const double length = static_cast<double>(pixels * eighths) / 8;
  return {.begin = reversed ? std::ceil(length) - length : 0, .length = length};
}

}  // namespace

int eighths_of(std::int64_t height, std::int64_t width, const LeastSize& least) {
  if (least.height <= 0 || least.width <= 0) return 8;
  for (int n = 1; n <= 4; ++n)
    if ((height * n + 7) / 8 >= least.height && (width * n + 7) / 8 >= least.width) return n;
  return 8;
}

void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                 const LeastSize& least) {
  Decoder decoder(memory.coefficients);
  auto& codec = decoder.codec;
  decoder.run([&] {
    jpeg_mem_src(&codec, bytes.data(), bytes.size());
    jpeg_save_markers(&codec, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&codec, TRUE);
    codec.out_color_space = codec.num_components == 4 ? JCS_CMYK : JCS_RGB;
  });
  const int turned = orientation(codec);
  const Upright whole = upright(turned, codec.image_height, codec.image_width);
  check_pixels(whole.height, whole.width);
  codec.scale_num = eighths_of(whole.height, whole.width, least);
  codec.scale_denom = 8;
  decoder.run([&] { jpeg_calc_output_dimensions(&codec); });
  const Upright to = upright(turned, codec.output_height, codec.output_width);
  set_size(image, to.height, to.width);
  const int eighths = static_cast<int>(codec.scale_num);
  image.rows = filled(codec.image_height, eighths, to.row_step < 0);
  image.columns = filled(codec.image_width, eighths, to.column_step < 0);
  if (turned >= first_exchanged) std::swap(image.rows, image.columns);
  decoder.run([&] { jpeg_start_decompress(&codec); });
  read_rows(decoder, to, image);
  decoder.run([&] { jpeg_finish_decompress(&codec); });
}

}  // namespace normbench
