#include "trace/read/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/issue.h"
#include "core/json.h"

namespace normbench {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

enum class Byte : unsigned char { Plain, Quote, Backslash, Control, High };

constexpr auto bytes_of_strings = [] {
  std::array<Byte, 256> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    kinds[i] = i < 0x20 ? Byte::Control : i < 0x80 ? Byte::Plain : Byte::High;
  kinds['"'] = Byte::Quote;
  kinds['\\'] = Byte::Backslash;
  return kinds;
}();

Byte byte_kind(char c) { return bytes_of_strings[static_cast<unsigned char>(c)]; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_part_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.' || c == '_';
}

/// Returns true if `text` is a number in the grammar of JSON.
bool is_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t before = text.size();
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    return before - text.size();
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

/// Returns true for NaN and infinity as Python, JavaScript and C++ write them.
bool is_not_a_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return static_cast<char>(c | 0x20); });  // for ASCII letters
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// Returns true if `text` may be a word or number of JSON that was cut off.
bool begins_a_word(std::string_view text) {
  if (is_digit(text.front()) || (text.size() > 1 && text.front() == '-' && is_digit(text[1])))
    return true;
  constexpr auto words = std::to_array<std::string_view>(
      {"true", "false", "null", "NaN", "Infinity", "-NaN", "-Infinity"});
  return std::ranges::any_of(words, [&](std::string_view word) { return word.starts_with(text); });
}

/// Returns the UTF-16 code unit that the first four characters encode in hexadecimal. Returns
/// nothing if they are not four hexadecimal digits.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, unit, 16);
  return error == std::errc() && end == text.data() + 4 ? std::optional(unit) : std::nullopt;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void add_utf8(std::uint32_t point, std::string& text) {
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xC0 | (point >> 6));
  } else {
    if (point < 0x10000) {
      byte(0xE0 | (point >> 12));
    } else {
      byte(0xF0 | (point >> 18));
      byte(0x80 | ((point >> 12) & 0x3F));
    }
    byte(0x80 | ((point >> 6) & 0x3F));
  }
  byte(0x80 | (point & 0x3F));
}

/// Returns the character that a backslash followed by `c` stands for. Returns 0 for "u", and if
/// JSON has no such escape.
char escaped(char c) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view characters = "\"\\/\b\f\n\r\t";
  const auto at = letters.find(c);
  return at == std::string_view::npos ? '\0' : characters[at];
}

}  // namespace

JsonText::JsonText(std::istream& in) : in_(in), buffer_(chunk_bytes) {
  start_ = next_ = end_ = counted_ = buffer_.data();
}

JsonToken JsonText::next() { return read(true); }
JsonToken JsonText::skip() { return read(false); }

JsonToken JsonText::read(bool with_text) {
  token_ = {};
  if (!skip_blanks()) return JsonToken::End;
  start_ = next_;
  mended_ = false;
  switch (*next_) {
    case '{':
      return single(JsonToken::BeginObject);
    case '}':
      return single(JsonToken::EndObject);
    case '[':
      return single(JsonToken::BeginArray);
    case ']':
      return single(JsonToken::EndArray);
    case ':':
      return single(JsonToken::Colon);
    case ',':
      return single(JsonToken::Comma);
    case '"':
      return string(with_text);
    default:
      return word();
  }
}

JsonToken JsonText::single(JsonToken token) {
  token_ = {next_++, 1};
  return token;
}

bool JsonText::skip_blanks() {
  for (;;) {
    while (next_ != end_ && is_blank(*next_)) ++next_;
    if (next_ != end_) return true;
    start_ = next_;
    const char* keep = next_;
    if (!read_on(keep)) return false;
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // the byte order mark of some editors
    if (!begun_ && std::string_view(next_, end_).starts_with(mark)) next_ += mark.size();
    begun_ = true;
  }
}

JsonToken JsonText::string(bool with_text) {
  const char* from = ++next_;  // start of the part of the string that the buffer keeps
  bool plain = true;
  for (;;) {
    while (next_ != end_ && byte_kind(*next_) == Byte::Plain) ++next_;
    if (next_ == end_) {
      if (!with_text) from = start_ = next_;
      check_length(from, most_string_bytes, "string");
      if (!read_on(from)) return JsonToken::CutOff;
      continue;
    }
    if (byte_kind(*next_) == Byte::Quote) break;
    plain = false;
    if (*next_ == '\\') {
      ++next_;
      if (next_ == end_) {
        if (!with_text) from = start_ = next_;
        if (!read_on(from)) return JsonToken::CutOff;
      }
    }
    if (*next_ == '\0') fail("a NUL byte (expected text)");
    ++next_;
  }
  if (with_text) check_length(from, most_string_bytes, "string");
  const std::string_view raw(from, static_cast<std::size_t>(next_++ - from));
  token_ = raw;
  if (!plain && with_text) decode(raw);
  return JsonToken::String;
}

void JsonText::decode(std::string_view raw) {
  decoded_.clear();
  bool high = false;
  while (!raw.empty()) {
    const char c = raw.front();
    raw.remove_prefix(1);
    if (c != '\\') {
      high |= byte_kind(c) == Byte::High;
      decoded_ += byte_kind(c) == Byte::Control ? ' ' : c;
      continue;
    }
    const char letter = raw.front();
    raw.remove_prefix(1);
    if (const char character = escaped(letter); character != '\0') {
      decoded_ += character;
      continue;
    }
    auto unit = letter == 'u' ? code_unit(raw) : std::nullopt;
    if (!unit) fail(fmt::format("not JSON: a string has \\{}, which is no escape", letter));
    raw.remove_prefix(4);
    const auto low = is_high_surrogate(*unit) && raw.starts_with("\\u") ? code_unit(raw.substr(2))
                                                                        : std::nullopt;
    if (low && is_low_surrogate(*low)) {
      raw.remove_prefix(6);
      add_utf8(0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00), decoded_);
    } else if (is_high_surrogate(*unit) || is_low_surrogate(*unit)) {
      decoded_ += replacement;
      mended_ = true;
    } else {
      add_utf8(*unit, decoded_);
    }
  }
  if (high && !is_utf8(decoded_)) {
    decoded_ = Json::parse(Json(decoded_).dump(-1, ' ', false, Json::error_handler_t::replace))
                   .get<std::string>();
    mended_ = true;
  }
  token_ = decoded_;
}

JsonToken JsonText::word() {
  const char* from = next_;
  do {
    while (next_ != end_ && is_part_of_word(*next_)) ++next_;
    check_length(from, most_word_bytes, "number or word");
  } while (next_ == end_ && read_on(from));
  token_ = {from, static_cast<std::size_t>(next_ - from)};
  if (is_number(token_)) return JsonToken::Number;
  if (is_not_a_number(token_)) return JsonToken::NotANumber;
  if (token_ == "true") return JsonToken::True;
  if (token_ == "false") return JsonToken::False;
  if (token_ == "null") return JsonToken::Null;
  if (!token_.empty()) {
    if (next_ == end_ && begins_a_word(token_)) return JsonToken::CutOff;
    fail(fmt::format("not JSON: unexpected {}", token_));
  }
  if (*next_ == '\0') fail("a NUL byte (expected text)");
  if (byte_kind(*next_) == Byte::High || byte_kind(*next_) == Byte::Control)
    fail(fmt::format("not JSON: unexpected byte 0x{:02X}", static_cast<unsigned char>(*next_)));
  fail(fmt::format("not JSON: unexpected {}", *next_));
}

bool JsonText::read_on(const char*& keep) {
  count_lines(start_);
  const auto kept = static_cast<std::size_t>(end_ - keep);
  const auto before = static_cast<std::size_t>(keep - start_);
  const std::size_t held = kept + before;
  if (buffer_.size() < held + chunk_bytes / 2) {
    std::vector<char> larger(std::max(2 * buffer_.size(), held + chunk_bytes));
    std::memcpy(larger.data(), start_, held);
    buffer_.swap(larger);
  } else if (held > 0) {
    std::memmove(buffer_.data(), start_, held);
  }
  const auto done = static_cast<std::size_t>(next_ - start_);
  start_ = counted_ = buffer_.data();
  keep = start_ + before;
  next_ = start_ + done;
  in_.read(buffer_.data() + held, static_cast<std::streamsize>(buffer_.size() - held));
  end_ = buffer_.data() + held + in_.gcount();
  if (in_.bad())
    throw Invalid(
        fmt::format("{}: the file is damaged or cut off here: it cannot be read on", place()));
  return end_ != buffer_.data() + held;
}

void JsonText::count_lines(const char* to) {
  const std::string_view text(counted_, static_cast<std::size_t>(to - counted_));
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const auto newline = text.rfind('\n');
  column_ = newline == std::string_view::npos ? column_ + text.size() : text.size() - newline;
  counted_ = to;
}

std::size_t JsonText::line() {
  count_lines(start_);
  return line_;
}

std::string JsonText::place() {
  count_lines(start_);
  return fmt::format("line {}, column {}", line_, column_);
}

void JsonText::check_length(const char* from, std::size_t most, std::string_view what) {
  if (static_cast<std::size_t>(next_ - from) <= most) return;
  token_ = {};
  fail(fmt::format("a {} of more than {} bytes (no trace needs that)", what, most));
}

void JsonText::fail(std::string_view what) { throw Invalid(fmt::format("{}: {}", place(), what)); }

}  // namespace normbench
