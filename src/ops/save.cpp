#include "ops/save.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/descriptor.h"
#include "core/issue.h"
#include "core/system_error.h"
#include "ops/array_file.h"
#include "ops/images/encode.h"
#include "ops/images/image.h"

namespace normbench {
namespace {

constexpr std::int64_t rgb_channels = 3;

bool is_compressed(SaveFormat format) {
  return format == SaveFormat::Jpeg || format == SaveFormat::Png;
}

std::span<const std::uint8_t> bytes_of(const View& image) {
  return {reinterpret_cast<const std::uint8_t*>(image.data),
          static_cast<std::size_t>(image.desc.bytes())};
}

std::string npy_start(const View& image) {
  const Shape& shape = image.desc.shape;
  const std::string_view uint8 = row_of(DType::UInt8).npy;
  if (shape.is_ycbcr()) return npy_header(uint8, std::array{shape.image_elements()});
  return npy_header(uint8, std::array{shape.h, shape.w, shape.c});
}

[[noreturn]] void cannot_save(const std::string& path, const std::string& why) {
  throw std::runtime_error(
      fmt::format("cannot save {}: {}", std::filesystem::path(path).filename().string(), why));
}

/// Creates a file. An existing file with this path is removed first.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    unlink(path.c_str());
    file_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_.is_open()) cannot_save(path_, system_error_text(errno));
  }

  void add(std::span<const std::uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (write_bytes(file_.number(), text) < text.size())
      cannot_save(path_, system_error_text(errno));
  }
  /// Closes the file. Throws if not all bytes could be written, because some file systems report
  /// this error only when the file is closed.
  void end() {
    if (!file_.close()) cannot_save(path_, system_error_text(errno));
  }

 private:
  const std::string& path_;
  Descriptor file_;
};

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Returns the root mean square of the differences of two images of the same size.
double root_mean_square(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

double psnr(double error) { return 20 * std::log10(255 / error); }

std::string why_not_equal(std::span<const std::uint8_t> expected,
                          std::span<const std::uint8_t> got) {
  if (got.size() != expected.size())
    return fmt::format("{} bytes, not {}", got.size(), expected.size());
  const auto [at, other] = std::ranges::mismatch(expected, got);
  if (at == expected.end()) return "";
  return fmt::format("byte {} is {}, not {}", at - expected.begin(), *other, *at);
}

/// Returns why a decoded file does not hold the image, or "".
std::string why_not_decoded(const Save& op, const Image& decoded, const View& image) {
  const Shape& shape = image.desc.shape;
  if (decoded.height != shape.h || decoded.width != shape.w)
    return fmt::format("{}x{} pixels, not {}x{}", decoded.height, decoded.width, shape.h, shape.w);
  if (op.format == SaveFormat::Png) return why_not_equal(bytes_of(image), decoded.rgb);
  const double error = root_mean_square(bytes_of(image), decoded.rgb);
  const double bound = jpeg_error_bound(shape.h, shape.w, op.quality);
  if (error <= bound) return "";
  return fmt::format("PSNR {:.1f} dB, at least {:.1f} of quality {}", psnr(error), psnr(bound),
                     op.quality);
}

}  // namespace

Save Save::read(Reader& reader) {
  Save op;
  op.format = reader.word("format", op.format);
  op.quality = static_cast<int>(reader.integer("quality", op.quality, 1, 100));
  if (op.format != SaveFormat::Jpeg && reader.has("quality"))
    reader.complain_at("quality", R"(goes with "format": "jpeg")");
  return op;
}

std::vector<TensorDesc> Save::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (x.dtype != DType::UInt8 || x.layout != Layout::Nhwc)
    throw Invalid(fmt::format("saves uint8 nhwc images, got {} ({})", describe(x),
                              x.shape.is_ycbcr()        ? R"(add {"op": "to_rgb"})"
                              : x.dtype == DType::UInt8 ? R"(add {"op": "layout", "to": "nhwc"})"
                                                        : "denormalize makes uint8 nhwc images"));
  if (!host_reaches(x.memory))
    throw Invalid(
        fmt::format("saves images in host memory, got {} (add a d2h stage)", describe(x)));
  if (is_compressed(format) && x.shape.c != rgb_channels)
    throw Invalid(fmt::format("a {} needs {} channels, got {} (raw and npy take any)",
                              name_of(format), rgb_channels, describe(x)));
  if (format == SaveFormat::Jpeg && std::max(x.shape.h, x.shape.w) > longest_jpeg_side)
    throw Invalid(
        fmt::format("a jpeg has at most {} pixels a side, got {}", longest_jpeg_side, describe(x)));
  return {x};
}

std::string Save::saved_file(std::string_view start, std::int64_t image) const {
  return fmt::format("{}-{}.{}", start, image, name_of(format));
}

FileContent saved_content(const Save& op, const View& image, std::vector<std::uint8_t>& memory) {
  const auto [n, c, height, width] = image.desc.shape.extents();
  const std::span<const std::uint8_t> pixels = bytes_of(image);
  switch (op.format) {
    case SaveFormat::Jpeg:
      return {"", encode_jpeg(pixels, height, width, op.quality, memory)};
    case SaveFormat::Png:
      return {"", encode_png(pixels, height, width, memory)};
    case SaveFormat::Raw:
      return {"", pixels};
    case SaveFormat::Npy:
      return {npy_start(image), pixels};
  }
  throw std::logic_error("no format");
}

void save_image(const Save& op, const std::string& path, const View& image,
                std::vector<std::uint8_t>& memory) {
  const FileContent content = saved_content(op, image, memory);
  NewFile file(path);
  file.add(as_bytes(content.start));
  file.add(content.rest);
  file.end();
}

std::string Save::why_not_saved(const std::string& path, const View& image) const try {
  std::vector<std::uint8_t> file;
  read_file(path, file);
  if (is_compressed(format)) {
    Image decoded;
    decode_image(file, decoded);
    return why_not_decoded(*this, decoded, image);
  }
  const std::string start = format == SaveFormat::Npy ? npy_start(image) : "";
  std::vector<std::uint8_t> expected(start.begin(), start.end());
  const auto pixels = bytes_of(image);
  expected.insert(expected.end(), pixels.begin(), pixels.end());
  return why_not_equal(expected, file);
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace normbench
