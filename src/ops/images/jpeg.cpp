#include "ops/images/jpeg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

// jpeglib.h needs <cstdio>, and jerror.h the settings in jpeglib.h.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "ops/images/exif.h"
#include "ops/images/jpeg_reasons.h"
#include "ops/images/upright.h"

/// The coefficients of a colour component. libjpeg declares this type, but only libjpeg's memory
/// manager uses its members. Decoder replaces the memory manager, so the members are defined here.
struct jvirt_barray_control {
  JBLOCKARRAY rows;
  std::size_t blocks_per_row, row_count;
  jvirt_barray_control* next;
};

namespace normbench {
namespace {

constexpr std::string_view xmp_mark{"http://ns.adobe.com/xap/1.0/\0", 29};

/// State of libjpeg's error callbacks. libjpeg does not allow them to return after an error, so
/// they jump back into Decoder::run(), which throws. No stack frame in between may own anything
/// that needs a destructor. `repaired` is true if pixels are complete although the file is damaged.
struct ErrorManager : jpeg_error_mgr {
  std::jmp_buf back;
  bool repaired = false;
};

ErrorManager& errors_of(j_common_ptr codec) { return *static_cast<ErrorManager*>(codec->err); }

[[noreturn]] void fail(j_common_ptr codec) { std::longjmp(errors_of(codec).back, 1); }

/// Handles libjpeg's messages. Messages with a negative `level` are warnings. A warning about lost
/// pixels counts as an error. A warning about stray bytes marks the file as repaired. Other
/// warnings are ignored, because their files are unusual but complete.
void on_message(j_common_ptr codec, int level) {
  if (level >= 0) return;
  const int code = codec->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
      code == JWRN_ARITH_BAD_CODE)
    fail(codec);
  if (code == JWRN_EXTRANEOUS_DATA) errors_of(codec).repaired = true;
}

/// Called when libjpeg finds a marker other than restart marker `desired`. Like libjpeg's own
/// jpeg_resync_to_restart(), accepts a restart marker whose number differs by 3 to 5 (modulo 8) as
/// the right one. Any other marker is an error here, because libjpeg's function would continue
/// without some of the pixels.
boolean resync(j_decompress_ptr codec, int desired) {
  const int marker = codec->unread_marker;
  const int off = (marker - JPEG_RST0 - desired) & 7;
  if (marker < JPEG_RST0 || marker > JPEG_RST0 + 7 || off < 3 || off > 5) {
    codec->err->msg_code = JWRN_MUST_RESYNC;
    fail(reinterpret_cast<j_common_ptr>(codec));
  }
  codec->unread_marker = 0;
  errors_of(reinterpret_cast<j_common_ptr>(codec)).repaired = true;
  return TRUE;
}

/// A decompressor, freed at the end of its scope. The coefficients of a progressive JPEG need
/// several times the memory of its pixels. libjpeg would map new memory for each image. Decoder
/// puts the coefficients into `coefficients` instead, whose memory is reused for the next image.
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

  /// Runs `step`, which may call libjpeg. `step` must not own anything that needs a destructor,
  /// because libjpeg may jump out of it. If libjpeg fails, throws std::bad_alloc or
  /// std::runtime_error with the reason.
  template <class Step>
  void run(const Step& step) {
    if (setjmp(errors.back) != 0) {
      if (errors.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
      throw std::runtime_error(why_failed(errors));
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

  /// Allocates memory filled with zeros for all requested arrays.
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

  /// Returns memory filled with zeros, aligned for libjpeg's vector code. Returns null if there is
  /// not enough memory, because no exception may pass through libjpeg.
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

/// Converts a row of inks (CMYK) to RGB in place. The RGB pixels start where the row starts. Ink
/// values are read as inverted: 255 means no ink. Adobe's programs store inverted values, and
/// readers expect them even in files without Adobe's marker.
void inks_to_rgb(std::uint8_t* row, std::int64_t width) {
  for (std::int64_t x = 0; x < width; ++x) {
    const int black = row[4 * x + 3];
    for (int i = 0; i < 3; ++i) row[3 * x + i] = (row[4 * x + i] * black + 127) / 255;
  }
}

/// Converts a row of gray pixels to RGB in place. Only lossless JPEGs need this, because libjpeg
/// does not convert them.
void gray_to_rgb(std::uint8_t* row, std::int64_t width) {
  for (std::int64_t x = width - 1; x >= 0; --x) std::fill_n(row + 3 * x, 3, row[x]);
}

/// Returns the content of a marker segment after `mark`. Returns nothing if the segment does not
/// begin with `mark`.
std::optional<std::span<const std::uint8_t>> behind(std::string_view mark,
                                                    const jpeg_marker_struct& marker) {
  const std::span<const std::uint8_t> bytes(marker.data, marker.data_length);
  if (bytes.size() < mark.size() || !std::equal(mark.begin(), mark.end(), bytes.begin())) return {};
  return bytes.subspan(mark.size());
}

/// Returns the orientation in the file's Exif or XMP. Joins several Exif segments, as Pillow does.
/// If there are several XMP texts, the last one counts.
int jpeg_orientation(const jpeg_decompress_struct& codec) {
  std::vector<std::uint8_t> exif;
  std::string_view xmp;
  for (auto marker = codec.marker_list; marker != nullptr; marker = marker->next) {
    if (const auto part = behind(exif_mark, *marker))
      exif.insert(exif.end(), part->begin(), part->end());
    if (const auto part = behind(xmp_mark, *marker))
      xmp = {reinterpret_cast<const char*>(part->data()), part->size()};
  }
  return orientation_of(exif, xmp);
}

/// Throws std::runtime_error for JPEGs that libjpeg would refuse without a clear message, or only
/// after the output was allocated.
void check_kind(const jpeg_decompress_struct& codec) {
  if (codec.data_precision != 8) throw std::runtime_error(why_not_these_bits(codec.data_precision));
  const int components = codec.num_components;
  if (components != 1 && components != 3 && components != 4)
    throw std::runtime_error(why_not_so_many(components));
}

/// Returns true for a lossless JPEG. In its first scan Ss is the number of a predictor (1 to 7),
/// and Se is 0. In other JPEGs Ss and Se are the first and last coefficients of a block, so Ss <=
/// Se.
bool is_lossless(const jpeg_decompress_struct& codec) { return codec.Ss > codec.Se; }

/// Returns the colour space to request from libjpeg after it has read the header.
J_COLOR_SPACE colours_of(const jpeg_decompress_struct& codec) {
  if (codec.num_components == 4) return JCS_CMYK;
  return codec.num_components == 1 && is_lossless(codec) ? JCS_GRAYSCALE : JCS_RGB;
}

void read_rows(Decoder& decoder, const Upright& to, Image& image) {
  auto& codec = decoder.codec;
  const bool inks = codec.out_color_space == JCS_CMYK, direct = to.column_step == 1 && !inks;
  const std::int64_t width = codec.output_width;
  std::vector<std::uint8_t> row(direct ? 0 : width * (inks ? 4 : 3));
  for (std::int64_t y = 0; y < codec.output_height; ++y) {
    std::uint8_t* const stored =
        direct ? &image.pixels()[3 * (to.first + y * to.row_step)] : row.data();
    decoder.run([&] {
      JSAMPROW rows[] = {stored};
      jpeg_read_scanlines(&codec, rows, 1);
    });
    if (inks) inks_to_rgb(stored, width);
    if (codec.out_color_space == JCS_GRAYSCALE) gray_to_rgb(stored, width);
    if (!direct) put_row(std::span(row).first(3 * width), y, to, image);
  }
}

/// Returns the part of an axis that a picture of this length fills: the start of the axis, or its
/// end if `is_reversed`.
AxisPart filled(double length, bool is_reversed) {
  return {.begin = is_reversed ? std::ceil(length) - length : 0, .length = length};
}

/// Reads the header of a JPEG. Throws std::runtime_error for JPEGs that cannot be decoded.
void read_header(std::span<const std::uint8_t> bytes, Decoder& decoder) {
  auto& codec = decoder.codec;
  decoder.run([&] {
    jpeg_mem_src(&codec, bytes.data(), bytes.size());
    codec.src->resync_to_restart = &resync;
    jpeg_save_markers(&codec, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&codec, TRUE);
  });
  check_kind(codec);
}

/// Returns true if the planes of the JPEG can be decoded as they are: Y, Cb and Cr, or Y alone.
bool has_planes(const jpeg_decompress_struct& codec) {
  const J_COLOR_SPACE colours = codec.jpeg_color_space;
  return (colours == JCS_YCbCr || colours == JCS_GRAYSCALE) && !is_lossless(codec);
}

/// Returns the format that the sampling factors of a JPEG stand for; Rgb if there is none.
PixelFormat format_of(const jpeg_decompress_struct& codec) {
  if (codec.num_components != 3) return PixelFormat::Rgb;
  const jpeg_component_info &y = codec.comp_info[0], &cb = codec.comp_info[1],
                            &cr = codec.comp_info[2];
  const bool alike = cb.h_samp_factor == cr.h_samp_factor && cb.v_samp_factor == cr.v_samp_factor;
  for (const PixelFormatRow& row : pixel_format_rows)
    if (row.value != PixelFormat::Rgb && alike &&
        y.h_samp_factor == row.across * cb.h_samp_factor &&
        y.v_samp_factor == row.down * cb.v_samp_factor)
      return row.value;
  return PixelFormat::Rgb;
}

/// Returns the format of an image after it was turned by its Exif orientation.
PixelFormat turned_format(PixelFormat format, int orientation) {
  if (orientation < first_exchanged) return format;
  if (format == PixelFormat::Ycbcr422) return PixelFormat::Ycbcr440;
  if (format == PixelFormat::Ycbcr440) return PixelFormat::Ycbcr422;
  return format == PixelFormat::Ycbcr411 ? PixelFormat::Rgb : format;
}

/// Returns the number of rows that libjpeg writes for a component.
std::int64_t written_rows(const jpeg_decompress_struct& codec, const jpeg_component_info& one) {
  return std::int64_t{codec.total_iMCU_rows} * one.v_samp_factor * one.DCT_scaled_size;
}

/// Makes room for the planes of a JPEG. libjpeg writes whole blocks. So the rows in memory are a
/// little longer than the rows of the planes, and there are a few more of them.
void place_planes(const jpeg_decompress_struct& codec, YcbcrImage& image) {
  std::int64_t next = 0;
  for (int c = 0; c < codec.num_components; ++c) {
    const jpeg_component_info& one = codec.comp_info[c];
    const auto length = [&](std::int64_t pixels, int samples, int most) {
      return AxisPart{.length = static_cast<double>(pixels * samples * one.DCT_scaled_size) /
                                (8.0 * most)};
    };
    SamplePlane& plane = image.planes[static_cast<std::size_t>(c)];
    plane = {.first = next,
             .height = one.downsampled_height,
             .width = one.downsampled_width,
             .stride = std::int64_t{one.width_in_blocks} * one.DCT_scaled_size,
             .rows = length(codec.image_height, one.v_samp_factor, codec.max_v_samp_factor),
             .columns = length(codec.image_width, one.h_samp_factor, codec.max_h_samp_factor)};
    next += plane.stride * written_rows(codec, one);
  }
  for (auto c = static_cast<std::size_t>(codec.num_components); c < image.planes.size(); ++c)
    image.planes[c] = {.first = next++,
                       .height = 1,
                       .width = 1,
                       .stride = 1,
                       .rows = {.length = 1},
                       .columns = {.length = 1}};
  image.samples.resize(static_cast<std::size_t>(next));
  if (codec.num_components == 1) std::fill_n(image.samples.end() - 2, 2, std::uint8_t{128});
}

/// Decodes all rows of all planes.
void read_planes(Decoder& decoder, YcbcrImage& image) {
  auto& codec = decoder.codec;
  std::array<std::vector<JSAMPROW>, 3> rows;
  for (int c = 0; c < codec.num_components; ++c) {
    const SamplePlane& plane = image.planes[static_cast<std::size_t>(c)];
    auto& its = rows[static_cast<std::size_t>(c)];
    its.resize(static_cast<std::size_t>(written_rows(codec, codec.comp_info[c])));
    for (std::size_t y = 0; y < its.size(); ++y)
      its[y] = &image.samples[static_cast<std::size_t>(plane.first) +
                              y * static_cast<std::size_t>(plane.stride)];
  }
  decoder.run([&] {
    const auto lines = static_cast<JDIMENSION>(codec.max_v_samp_factor * codec.min_DCT_scaled_size);
    for (std::size_t unit = 0; codec.output_scanline < codec.output_height; ++unit) {
      JSAMPARRAY planes[3] = {};
      for (int c = 0; c < codec.num_components; ++c) {
        const jpeg_component_info& one = codec.comp_info[c];
        planes[c] = rows[static_cast<std::size_t>(c)].data() +
                    unit * static_cast<std::size_t>(one.v_samp_factor * one.DCT_scaled_size);
      }
      jpeg_read_raw_data(&codec, planes, lines);
    }
  });
}

/// Turns the planes of a picture upright. `memory` is reused.
void turn_planes(int orientation, YcbcrImage& image, std::vector<std::uint8_t>& memory) {
  memory.assign(image.samples.begin(), image.samples.end());
  std::int64_t next = 0;
  for (SamplePlane& plane : image.planes) {
    const SamplePlane stored = plane;
    const Upright to = upright(orientation, stored.height, stored.width);
    plane = {.first = next,
             .height = to.height,
             .width = to.width,
             .stride = to.width,
             .rows = filled(stored.rows.length, to.row_step < 0),
             .columns = filled(stored.columns.length, to.column_step < 0)};
    if (orientation >= first_exchanged) std::swap(plane.rows, plane.columns);
    for (std::int64_t y = 0; y < stored.height; ++y)
      for (std::int64_t x = 0; x < stored.width; ++x)
        image.samples[static_cast<std::size_t>(next + to.first + y * to.row_step +
                                               x * to.column_step)] =
            memory[static_cast<std::size_t>(stored.first + y * stored.stride + x)];
    next += plane.height * plane.width;
  }
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
  read_header(bytes, decoder);
  codec.out_color_space = colours_of(codec);
  const int turned = jpeg_orientation(codec);
  const Upright whole = upright(turned, codec.image_height, codec.image_width);
  check_pixels(whole.height, whole.width);
  codec.scale_num = eighths_of(whole.height, whole.width, least);
  codec.scale_denom = 8;
  decoder.run([&] { jpeg_calc_output_dimensions(&codec); });
  const Upright to = upright(turned, codec.output_height, codec.output_width);
  set_size(image, to.height, to.width);
  const double scale = codec.scale_num / 8.0;
  image.rows = filled(scale * codec.image_height, to.row_step < 0);
  image.columns = filled(scale * codec.image_width, to.column_step < 0);
  if (turned >= first_exchanged) std::swap(image.rows, image.columns);
  decoder.run([&] { jpeg_start_decompress(&codec); });
  read_rows(decoder, to, image);
  decoder.run([&] { jpeg_finish_decompress(&codec); });
  if (decoder.errors.repaired) image.remarks.push_back(Remark::Repaired);
}

bool decode_jpeg_planes(std::span<const std::uint8_t> bytes, YcbcrImage& image,
                        DecodeMemory& memory, const LeastSize& least) {
  image.remarks.clear();
  Decoder decoder(memory.coefficients);
  auto& codec = decoder.codec;
  read_header(bytes, decoder);
  if (!has_planes(codec)) return false;
  const int turned = jpeg_orientation(codec);
  const Upright whole = upright(turned, codec.image_height, codec.image_width);
  check_pixels(whole.height, whole.width);
  image.height = whole.height;
  image.width = whole.width;
  codec.out_color_space = codec.jpeg_color_space;
  codec.raw_data_out = TRUE;
  codec.scale_num = eighths_of(whole.height, whole.width, least);
  codec.scale_denom = 8;
  decoder.run([&] { jpeg_calc_output_dimensions(&codec); });
  image.format = turned_format(format_of(codec), turned);
  place_planes(codec, image);
  decoder.run([&] { jpeg_start_decompress(&codec); });
  read_planes(decoder, image);
  decoder.run([&] { jpeg_finish_decompress(&codec); });
  if (decoder.errors.repaired) image.remarks.push_back(Remark::Repaired);
  if (turned != 1) turn_planes(turned, image, memory.stored);
  return true;
}

PixelFormat jpeg_pixel_format(std::span<const std::uint8_t> bytes) {
  DecodeMemory memory;
  Decoder decoder(memory.coefficients);
  read_header(bytes, decoder);
  const jpeg_decompress_struct& codec = decoder.codec;
  if (!has_planes(codec)) return PixelFormat::Rgb;
  return turned_format(format_of(codec), jpeg_orientation(codec));
}

}  // namespace normbench
