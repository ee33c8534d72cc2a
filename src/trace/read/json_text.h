/// Splits a JSON text of any length into tokens, one by one.
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
  End,    // the text ended
  CutOff  // the text ends inside a token
};

/// Reads a text once, to its end. It keeps only a chunk in memory, or the longest string that
/// next() reads. Throws Invalid ("line 12, column 3: …") for what is no token, for a string of more
/// than `most_string_bytes` that next() reads, for a word of more than `most_word_bytes`, and if
/// the stream fails before its end.
class JsonText {
 public:
  static constexpr std::size_t most_string_bytes = std::size_t{1} << 24, most_word_bytes = 1000;

  explicit JsonText(std::istream& in);
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonToken next();
  /// Goes to the next token, but does not keep the text of strings. These may then have any length.
  JsonToken skip();

  /// Returns the text of the latest token, which is valid until the next token is read: a string's
  /// characters, other tokens as written. Control characters in strings become blanks: JSON forbids
  /// them, but PyTorch leaves line breaks in names. Bytes and escapes that are not Unicode become
  /// U+FFFD.
  std::string_view text() const { return token_; }
  /// Returns true if a U+FFFD in text() replaces something else.
  bool is_mended() const { return mended_; }

  /// Returns the line of the latest token, counted from 1.
  std::size_t line();
  /// Returns the place of the latest token, "line 12, column 3". Columns are counted in bytes.
  std::string place();

 private:
  JsonToken read(bool with_text);
  JsonToken string(bool with_text);
  /// Reads a word or a number.
  JsonToken word();
  /// Reads a token of one character.
  JsonToken single(JsonToken token);
  bool skip_blanks();
  /// Makes the text of a string from the bytes between its quotes.
  void decode(std::string_view raw);
  /// Reads more bytes behind `end_`. Bytes from `keep` on are kept, and `keep` moves with them.
  /// Returns false if there are no more bytes.
  bool read_on(const char*& keep);
  void count_lines(const char* to);
  void check_length(const char* from, std::size_t most, std::string_view what);
  [[noreturn]] void fail(std::string_view what);

  std::istream& in_;
  std::vector<char> buffer_;
  // Three positions in the buffer, in this order: the latest token's start, the next byte, the end.
  const char *start_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  const char* counted_ = nullptr;  // lines before this are counted in `line_`
  std::size_t line_ = 1;
  std::size_t column_ = 1;  // column at `counted_`
  std::string_view token_;
  std::string decoded_;
  bool mended_ = false;
  bool begun_ = false;
};

}  // namespace normbench
