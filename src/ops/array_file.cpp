#include "ops/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include "core/file.h"
#include "core/issue.h"

namespace normbench {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Reads the header's text, a Python dict of three known keys, and nothing more general.
class DictParser {
 public:
  explicit DictParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true))
        header.descr = quoted();
      else if (key == "fortran_order" && !std::exchange(order, true))
        header.fortran_order = boolean();
      else if (key == "shape" && !std::exchange(shape, true))
        header.shape = tuple();
      else
        throw Invalid(fmt::format("key \"{}\" is unknown or there twice", key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) throw Invalid("something follows the dict");
    if (!descr || !order || !shape) throw Invalid("needs descr, fortran_order and shape");
    return header;
  }

 private:
  void skip_space() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())))
      text_.remove_prefix(1);
  }

  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) throw Invalid(fmt::format("expected '{}' in the dict", c));
  }

  std::string quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    const auto end = text_.find(quote);
    if (end == std::string_view::npos) throw Invalid("a string does not end");
    const std::string word(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return word;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    throw Invalid("fortran_order must be True or False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) throw Invalid("shape must hold whole numbers");
      values.push_back(value);
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text_;
};

/// NumPy has no such dtype: the file has its bits as an unsigned integer.
bool stands_as_bits(const DTypeRow& dtype) {
  return dtype.significant_bits > 0 && dtype.npy[1] == 'u';
}

/// The dtype as people say it, or the raw word.
std::string said(const std::string& descr) {
  for (const DTypeRow& dtype : dtype_rows)
    if (dtype.npy == descr && !stands_as_bits(dtype)) return std::string(dtype.name);
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
  const DTypeRow& dtype = row_of(desc.dtype);
  if (header.descr != dtype.npy)
    throw Invalid(fmt::format(
        "the file holds {}, expected {}{}", said(header.descr), dtype.name,
        stands_as_bits(dtype) ? fmt::format(" (its bits as uint{})", 8 * dtype.bytes) : ""));
  if (header.fortran_order)
    throw Invalid("the file is in Fortran order (save numpy.ascontiguousarray of it)");
  if (header.shape != file_shape(desc))
    throw Invalid(fmt::format("the file's shape is ({}), expected ({}) as {}",
                              fmt::join(header.shape, ", "), fmt::join(file_shape(desc), ", "),
                              name_of(desc.layout)));
  return header.offset;
}

}  // namespace

NpyHeader parse_npy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(file[i]); };
  if (!text.starts_with(magic)) throw Invalid("not a .npy file (does not start with \\x93NUMPY)");
  if (file.size() < 12) throw Invalid("broken .npy header: the file ends in it");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw Invalid(fmt::format(".npy version {} is unknown (1, 2 and 3 are known)", version));
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length = version == 1
                                 ? byte(8) + (byte(9) << 8)
                                 : byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  if (length > file.size() - start) throw Invalid("broken .npy header: the file ends in it");
  try {
    NpyHeader header = DictParser(text.substr(start, length)).parse();
    header.offset = start + length;
    return header;
  } catch (const Invalid& mistake) {
    throw Invalid(fmt::format("broken .npy header: {}", mistake.what()));
  }
}

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  constexpr std::size_t before = magic.size() + 4;  // version and length
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t length = (before + dict.size() + 1 + 63) / 64 * 64 - before;
  dict.resize(length - 1, ' ');
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return header + dict + '\n';
}

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
