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

/// Reads a text once, from start to end. It never holds the whole text in memory: its buffer has
/// one chunk, and grows only while next() reads a string that is longer. Throws Invalid ("line 12,
/// column 3: ...") for
/// - text that is not a token,
/// - a string of more than `most_string_bytes` that next() reads,
/// - a number or word of more than `most_word_bytes`,
/// - a read error of the stream.
class JsonText {
 public:
  static constexpr std::size_t most_string_bytes = std::size_t{1} << 24, most_word_bytes = 1000;

  explicit JsonText(std::istream& in);
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonToken next();
  /// Reads the next token like next(), but does not keep the text of a string. A string may have
  /// any length here.
  JsonToken skip();

  /// Returns the text of the latest token. It is valid until the next token is read. Strings are
  /// decoded, and other tokens are returned as in the file. In strings,
  /// - control characters become blanks (JSON forbids them, but PyTorch writes line breaks in
  ///   names),
  /// - bytes and escapes that are not Unicode become U+FFFD.
  std::string_view text() const { return token_; }
  /// Returns true if the latest token is a string in which something was replaced by U+FFFD.
  bool is_mended() const { return mended_; }

  /// Returns the line on which the latest token starts, counted from 1.
  std::size_t line();
  /// Returns the start of the latest token as "line 12, column 3". Columns are counted in bytes,
  /// from 1.
  std::string place();

 private:
  JsonToken read(bool with_text);
  JsonToken string(bool with_text);
  /// Reads a word or a number.
  JsonToken word();
  JsonToken single(JsonToken token);
  bool skip_blanks();
  /// Decodes the bytes between the quotes of a string.
  void decode(std::string_view raw);
  /// Reads more bytes after `end_`. To make room, may discard the bytes before `start_` and move
  /// the others. All positions, and `keep`, then point to the same bytes as before. Returns false
  /// at the end of the text.
  bool read_on(const char*& keep);
  void count_lines(const char* to);
  void check_length(const char* from, std::size_t most, std::string_view what);
  [[noreturn]] void fail(std::string_view what);

  std::istream& in_;
  std::vector<char> buffer_;
  // Three positions in the buffer, in this order: the start of the latest token, the next byte to
  // read, and the end of the bytes that were read.
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
