/// The tokens of a JSON text of any length, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

enum class JsonToken {
  BeginObject,
  EndObject,
  BeginArray,
  EndArray,
  Colon,
  Comma,
  String,
  Number,
  NotANumber,  // NaN, Infinity and their other spellings, which JSON does not have
  True,
  False,
  Null,
  End,    // of the text
  CutOff  // the text ends within a token
};

/// Reads a text once, to its end. Memory is a chunk, or the longest string that is asked for.
/// Throws Invalid ("line 12, column 3: …") for what is no token, for a string that is asked for and
/// has more than `most_string_bytes`, for a longer word than `most_word_bytes`, and when the stream
/// turns bad before its end.
class JsonText {
 public:
  static constexpr std::size_t most_string_bytes = std::size_t{1} << 24, most_word_bytes = 1000;

  explicit JsonText(std::istream& in);
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonToken next();
  /// The same without the text of strings, which are then of any length.
  JsonToken skip();

  /// Of the latest token, until the next one: of a string its characters, of others what is
  /// written. Control characters in strings, which JSON forbids, are blanks: PyTorch leaves line
  /// breaks in names. Bytes and escapes that are no Unicode are U+FFFD.
  std::string_view text() const { return token_; }
  /// True when text() has an U+FFFD for something else.
  bool is_mended() const { return mended_; }

  /// The line of the latest token, from 1.
  std::size_t line();
  /// "line 12, column 3" of it, in bytes.
  std::string place();

 private:
  JsonToken read(bool with_text);
  JsonToken string(bool with_text);
  /// A word or a number.
  JsonToken word();
  /// One token of one character.
  JsonToken single(JsonToken token);
  bool skip_blanks();
  /// The text of a string from the bytes between its quotes.
  void decode(std::string_view raw);
  /// More bytes behind `end_`, with those from `keep` on left there; false: there are none.
  bool read_on(const char*& keep);
  void count_lines(const char* to);
  void check_length(const char* from, std::size_t most, std::string_view what);
  [[noreturn]] void fail(std::string_view what);

  std::istream& in_;
  std::vector<char> buffer_;
  // Within the buffer, in this order: the latest token's start, the next byte, the end.
  const char *start_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  const char* counted_ = nullptr;  // lines up to here are in `line_`
  std::size_t line_ = 1;
  std::size_t column_ = 1;  // of `counted_`
  std::string_view token_;
  std::string decoded_;
  bool mended_ = false;
  bool begun_ = false;
};

}  // namespace normbench
