/// Writes JSON text to a stream, in large pieces.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/json.h"

namespace normbench {

/// Buffers text, and writes it to `out` in pieces of 1 MiB. The destructor writes nothing: call
/// flush() at the end.
class TextWriter {
 public:
  explicit TextWriter(std::ostream& out) : out_(out), text_(new char[capacity]) {}

  TextWriter& operator<<(std::string_view text) {
    if (text.size() > capacity - size_) return put_long(text);
    std::memcpy(text_.get() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  TextWriter& operator<<(std::int64_t number) {
    make_room();
    const auto end = std::to_chars(text_.get() + size_, text_.get() + capacity, number).ptr;
    size_ = static_cast<std::size_t>(end - text_.get());
    return *this;
  }
  /// Writes a number with three decimals, or "0.000" if it is not finite.
  TextWriter& operator<<(double number);

  /// Writes nanoseconds as microseconds with three decimals, without rounding. `ns` must not be
  /// negative.
  TextWriter& put_time(std::int64_t ns) {
    *this << ns / 1000;
    make_room();
    const auto rest = static_cast<int>(ns % 1000);
    char* const at = text_.get() + size_;
    at[0] = '.';
    at[1] = static_cast<char>('0' + rest / 100);
    at[2] = static_cast<char>('0' + rest / 10 % 10);
    at[3] = static_cast<char>('0' + rest % 10);
    size_ += 4;
    return *this;
  }

  void flush() {
    out_.write(text_.get(), static_cast<std::streamsize>(size_));
    size_ = 0;
  }

 private:
  static constexpr std::size_t capacity = 1 << 20;

  void make_room() {
    constexpr std::size_t longest = 32;
    if (capacity - size_ < longest) flush();
  }
  TextWriter& put_long(std::string_view text);

  std::ostream& out_;
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
};

/// Returns `text` as a JSON string in quotes. Quotes, backslashes and control characters are
/// escaped. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// Returns a value as JSON on one line, with strings as json_string() writes them.
std::string json_line(const Json& value);

/// A cache of the results of json_string(), for names that are written often. It identifies a name
/// by the address and length of its text, and stores at most 16 MiB.
class JsonNames {
 public:
  /// Returns normbench::json_string(name). The result is valid until the next call. The text of
  /// `name` must stay unchanged as long as this object exists.
  std::string_view json_string(std::string_view name);

 private:
  struct SameText {  // compares addresses and lengths, not characters
    std::size_t operator()(std::string_view text) const {
      return std::hash<const char*>()(text.data()) ^ text.size();
    }
    bool operator()(std::string_view a, std::string_view b) const {
      return a.data() == b.data() && a.size() == b.size();
    }
  };
  static constexpr std::size_t most_bytes = 16 << 20;

  std::unordered_map<std::string_view, std::string, SameText, SameText> names_;
  std::size_t bytes_ = 0;
  std::string last_;
};

}  // namespace normbench
