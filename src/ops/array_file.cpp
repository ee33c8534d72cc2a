#include "ops/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include "core/file.h"
#include "core/issue.h"

namespace normbench {
namespace {

std::vector<std::int64_t> file_shape(const TensorDesc& desc) {
  const auto [n, c, h, w] = desc.shape.extents();
  if (desc.shape.is_ycbcr()) return {n, desc.shape.image_elements()};
  if (desc.layout == Layout::Nhwc) return {n, h, w, c};
  return {n, c, h, w};
}

/// Compares the header of a .npy file with `desc`. Returns the offset of the first element in
/// bytes. Throws Invalid if they differ.
std::size_t checked_npy(std::span<const std::byte> file, const TensorDesc& desc) {
  const NpyHeader header = parse_npy(file);
  std::vector<std::string> mistakes = npy_mistakes(header, desc.dtype);
  if (header.shape != file_shape(desc))
    mistakes.push_back(fmt::format("has the shape ({}), expected ({}) as {}",
                                   fmt::join(header.shape, ", "), fmt::join(file_shape(desc), ", "),
                                   arrangement_of(desc)));
  if (!mistakes.empty()) throw Invalid(fmt::format("the file {}", fmt::join(mistakes, "; it ")));
  return header.offset;
}

}  // namespace

ArrayFile::ArrayFile(const std::string& path, const TensorDesc& desc) try
    : file_(path), view_{.data = nullptr, .desc = desc} {
  const auto bytes = file_.bytes();
  const std::size_t offset = path.ends_with(".npy") ? checked_npy(bytes, desc) : 0;
  const auto wanted = static_cast<std::size_t>(desc.bytes());
  if (bytes.size() - offset != wanted)
    throw Invalid(fmt::format("{} bytes of data, but {} needs {}", bytes.size() - offset,
                              describe(desc), wanted));
  view_.data = bytes.data() + offset;
} catch (const std::runtime_error& error) {
  throw Invalid(fmt::format("{}: {}", path, error.what()));
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
    out << npy_header(row_of(desc.dtype).npy, file_shape(desc));
    out.write(reinterpret_cast<const char*>(tensor.data), desc.bytes());
  });
}

}  // namespace normbench
