#include "ops/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/file.h"
#include "core/issue.h"
#include "ops/npy.h"

namespace normbench {
namespace {

/// How .npy files call a dtype.
std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::UInt8:
      return "|u1";
    case DType::Float16:
      return "<f2";
    case DType::BFloat16:
      return "<u2";  // its bits
    case DType::Float32:
      return "<f4";
  }
  return "";
}

/// The dtype as people say it, or the raw word.
std::string said(const std::string& descr) {
  for (const auto& word : words(DType{}))
    if (word.value != DType::BFloat16 && descr_of(word.value) == descr)
      return std::string(word.name);
  return fmt::format("\"{}\"", descr);
}

std::vector<std::int64_t> file_shape(const TensorDesc& desc) {
  const auto [n, c, h, w] = desc.shape;
  if (desc.layout == Layout::Nhwc) return {n, h, w, c};
  return {n, c, h, w};
}

/// Where the elements start.
std::size_t checked_npy(std::span<const std::byte> file, const TensorDesc& desc) {
  const NpyHeader header = parse_npy(file);
  if (header.descr != descr_of(desc.dtype))
    throw Invalid(fmt::format("the file holds {}, expected {}{}", said(header.descr),
                              name_of(desc.dtype),
                              desc.dtype == DType::BFloat16 ? " (its bits as uint16)" : ""));
  if (header.fortran_order)
    throw Invalid("the file is in Fortran order (save numpy.ascontiguousarray of it)");
  if (header.shape != file_shape(desc))
    throw Invalid(fmt::format("the file's shape is ({}), expected ({}) as {}",
                              fmt::join(header.shape, ", "), fmt::join(file_shape(desc), ", "),
                              name_of(desc.layout)));
  return header.offset;
}

}  // namespace

ArrayFile::ArrayFile(const std::string& path, const TensorDesc& desc)
    : file_(path), view_{.data = nullptr, .desc = desc} {
  try {
    const auto bytes = file_.bytes();
    const std::size_t offset = path.ends_with(".npy") ? checked_npy(bytes, desc) : 0;
    const auto wanted = static_cast<std::size_t>(desc.bytes());
    if (bytes.size() - offset != wanted)
      throw Invalid(fmt::format("{} bytes of data, but {} needs {}", bytes.size() - offset,
                                describe(desc), wanted));
    view_.data = bytes.data() + offset;
  } catch (const Invalid& mistake) {
    throw Invalid(fmt::format("{}: {}", path, mistake.what()));
  }
}

std::pair<double, double> ArrayFile::range() const {
  double low = INFINITY, high = -INFINITY;
  for (std::int64_t n = 0; n < view_.desc.shape.n; ++n)
    for (const double value : to_double(view_, n, 1).values) {
      if (!std::isfinite(value)) throw Invalid("the file holds values that are not finite");
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return {low, high};
}

void write_npy(const std::string& path, const View& tensor) {
  const TensorDesc& desc = tensor.desc;
  write_file(path, [&](std::ostream& out) {
    out << npy_header(descr_of(desc.dtype), file_shape(desc));
    out.write(reinterpret_cast<const char*>(tensor.data), desc.bytes());
  });
}

}  // namespace normbench
