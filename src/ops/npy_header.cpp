#include "ops/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "core/issue.h"

namespace normbench {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Parses the header's text: a Python dict with three known keys. Throws Invalid for any other
/// text.
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
        header.descr = type();
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

  /// Reads a dtype: its string, or the whole text of a structured type or an array type.
  std::string type() {
    skip_space();
    if (!text_.starts_with('[') && !text_.starts_with('(')) return quoted();
    const std::string_view all = text_;
    skip_brackets();
    return std::string(all.substr(0, all.size() - text_.size()));
  }

  /// Skips an opening bracket and everything up to its closing bracket.
  void skip_brackets() {
    std::size_t open = 0;
    do {
      if (accept('[') || accept('('))
        ++open;
      else if (accept(']') || accept(')'))
        --open;
      else if (text_.starts_with('\'') || text_.starts_with('"'))
        quoted();
      else if (!text_.empty())
        text_.remove_prefix(1);
      else
        throw Invalid("a bracket does not close");
    } while (open > 0);
  }

  /// Reads a string. Python 2 may write it with a prefix: u'descr'.
  std::string quoted() {
    skip_space();
    if (text_.starts_with("u'") || text_.starts_with("u\"")) text_.remove_prefix(1);
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
      if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2's long
      if (accept(',')) continue;
      expect(')');
      if (values.size() == 1) throw Invalid("shape is a number, no tuple (a comma is missing)");
      break;
    }
    return values;
  }

  std::string_view text_;
};

/// A type of NumPy, and the ways in which a header may name it.
struct NumPyType {
  std::string_view code;  // without the byte order
  std::string_view name;
  std::string_view letter, alias;
};
constexpr auto kTypes = std::to_array<NumPyType>({{"b1", "bool", "?", "bool_"},
                                                  {"u1", "uint8", "B", "ubyte"},
                                                  {"u2", "uint16", "H", "ushort"},
                                                  {"u4", "uint32", "I", "uintc"},
                                                  {"u8", "uint64", "L", "ulong"},
                                                  {"i1", "int8", "b", "byte"},
                                                  {"i2", "int16", "h", "short"},
                                                  {"i4", "int32", "i", "intc"},
                                                  {"i8", "int64", "l", "long"},
                                                  {"f2", "float16", "e", "half"},
                                                  {"f4", "float32", "f", "single"},
                                                  {"f8", "float64", "d", "double"},
                                                  {"f16", "float128", "g", "longdouble"},
                                                  {"c8", "complex64", "F", "csingle"},
                                                  {"c16", "complex128", "D", "cdouble"},
                                                  {"c32", "complex256", "G", "clongdouble"}});

/// Kinds of types that are not in kTypes, by the first character of their code: types with a length
/// or a unit, and types that are not numbers.
struct OtherType {
  char letter;
  std::string_view said;
};
constexpr auto kOthers =
    std::to_array<OtherType>({{'[', "a structured type (save one field of it)"},
                              {'(', "arrays as elements (save a plain array)"},
                              {'O', "Python objects (save a plain array)"},
                              {'S', "byte strings"},
                              {'a', "byte strings"},
                              {'U', "strings"},
                              {'T', "strings"},
                              {'M', "dates (datetime64)"},
                              {'m', "time spans (timedelta64)"}});

/// A dtype from a header, split into code and byte order.
struct FileType {
  const NumPyType* known = nullptr;  // null if kTypes lacks it
  std::string_view code;
  bool big_endian = false;
};

FileType type_of(std::string_view descr) {
  const auto named = [&](const NumPyType& type) {
    return descr == type.name || descr == type.alias;
  };
  if (const auto at = std::ranges::find_if(kTypes, named); at != kTypes.end())
    return {.known = &*at, .code = at->code};
  const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != descr.npos;
  const std::string_view code = descr.substr(has_order ? 1 : 0);
  const auto coded = [&](const NumPyType& type) {
    return code == type.code || code == type.letter;
  };
  const auto at = std::ranges::find_if(kTypes, coded);
  if (at == kTypes.end()) return {.code = code};
  const bool one_byte = at->code[1] == '1' && at->code.size() == 2;
  return {.known = &*at, .code = at->code, .big_endian = descr[0] == '>' && !one_byte};
}

/// Returns the type in words. For an unknown type, returns the text from the header.
std::string said(const std::string& descr) {
  const FileType type = type_of(descr);
  if (type.known != nullptr)
    return fmt::format("{}{}", type.big_endian ? "big-endian " : "", type.known->name);
  for (const OtherType& other : kOthers)
    if (type.code.starts_with(other.letter)) return std::string(other.said);
  if (type.code.find(',') != type.code.npos) return std::string(kOthers.front().said);
  if (type.code == "V2") return "two raw bytes an element (as ml_dtypes saves bfloat16)";
  if (type.code.starts_with('V')) return fmt::format("raw bytes (\"{}\")", descr);
  return fmt::format("\"{}\"", descr);
}

/// Returns true for a dtype that NumPy lacks. Files store its bits as an unsigned integer.
bool stands_as_bits(const DTypeRow& dtype) {
  return dtype.significant_bits > 0 && dtype.npy[1] == 'u';
}

bool holds(const NpyHeader& header, const DTypeRow& dtype) {
  const FileType type = type_of(header.descr);
  if (stands_as_bits(dtype) && type.code == fmt::format("V{}", dtype.bytes)) return true;
  return type.known != nullptr && !type.big_endian && type.code == dtype.npy.substr(1);
}

/// Returns the expected type in words. If only the byte order of the file is wrong, adds how to
/// save the array.
std::string wanted(const NpyHeader& header, const DTypeRow& dtype) {
  if (stands_as_bits(dtype))
    return fmt::format("{} (as ml_dtypes saves it, or its bits as uint{})", dtype.name,
                       8 * dtype.bytes);
  const FileType type = type_of(header.descr);
  const bool turned = type.big_endian && type.code == dtype.npy.substr(1);
  return fmt::format("{}{}", dtype.name,
                     turned ? fmt::format(" (save it .astype(\"{}\"))", dtype.npy) : "");
}

}  // namespace

NpyHeader parse_npy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(file[i]); };
  if (!text.starts_with(magic)) throw Invalid("not a .npy file (does not start with \\x93NUMPY)");
  if (file.size() < 12) throw Invalid("broken .npy header: the file ends in it");
  const std::size_t version = byte(6), minor = byte(7);
  if (version < 1 || version > 3 || minor != 0)
    throw Invalid(
        fmt::format(".npy version {}.{} is unknown (1.0, 2.0 and 3.0 are known)", version, minor));
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
  constexpr std::size_t before = magic.size() + 4;  // magic, version, length of the dict
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t length = (before + dict.size() + 1 + 63) / 64 * 64 - before;
  dict.resize(length - 1, ' ');
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return header + dict + '\n';
}

std::vector<std::string> npy_mistakes(const NpyHeader& header, DType dtype) {
  std::vector<std::string> mistakes;
  const DTypeRow& row = row_of(dtype);
  if (!holds(header, row))
    mistakes.push_back(
        fmt::format("holds {}, expected {}", said(header.descr), wanted(header, row)));
  if (header.fortran_order)
    mistakes.emplace_back("is in Fortran order (save numpy.ascontiguousarray of it)");
  return mistakes;
}

}  // namespace normbench
