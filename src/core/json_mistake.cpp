#include "core/json_mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/characters.h"

namespace normbench {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r\n", kSigns = "{}[]:,", kEscapes = "\"\\/bfnrt";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kWordCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

bool is_in(std::string_view characters, char c) { return characters.find(c) != characters.npos; }

/// Searches for `mark` from index `from` on. Returns the index just after the mark; the length of
/// the text plus one if there is no mark.
std::size_t end_after(std::string_view text, std::string_view mark, std::size_t from) {
  const std::size_t found = text.find(mark, from);
  return found == text.npos ? text.size() + 1 : found + mark.size();
}

std::size_t end_of_string(std::string_view text, std::size_t start) {
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.size() + 1;
}

/// Returns the end of the blank, comment or token at `start`; the length of the text plus one if a
/// string or comment is not closed.
std::size_t end_of_piece(std::string_view text, std::size_t start) {
  const std::string_view rest = text.substr(start);
  if (rest.starts_with('"')) return end_of_string(text, start);
  if (rest.starts_with("//")) return std::min(text.find('\n', start), text.size());
  if (rest.starts_with("/*")) return end_after(text, "*/", start + 2);
  return std::max(std::min(text.find_first_not_of(kWordCharacters, start), text.size()), start + 1);
}

/// A blank, comment or token of the text. `before` is the first character of the previous token;
/// '\0' if there is none.
struct Piece {
  std::size_t start = 0, end = 0;
  char before = '\0';
};

bool is_skipped(std::string_view piece) {
  return is_in(kBlanks, piece[0]) || piece.starts_with("//") || piece.starts_with("/*");
}

bool is_token(std::string_view piece) {
  return is_in(kSigns, piece[0]) || nlohmann::json::accept(piece);
}

/// `read` is the number of bytes that the parser had read when it stopped. Returns the first piece
/// in these bytes that cannot be part of JSON. If there is none, returns the piece that contains
/// the last of these bytes.
Piece refused_piece(std::string_view text, std::size_t read) {
  Piece piece{.start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0};
  for (; piece.start < text.size(); piece.start = piece.end) {
    piece.end = end_of_piece(text, piece.start);
    const std::string_view written = text.substr(piece.start, piece.end - piece.start);
    if (piece.end <= text.size() && is_skipped(written)) continue;
    if (piece.end >= read || (written[0] != '"' && !is_token(written))) break;
    piece.before = written[0];
  }
  return piece;
}

std::string_view expected_after(char before, JsonPlace place) {
  switch (before) {
    case '\0':
    case ':':
      return "a value";
    case '[':
      return "a value or ']'";
    case '{':
      return "a key in double quotes or '}'";
    case ',':
      return place == JsonPlace::Array ? "a value" : "a key in double quotes";
    default:
      return place == JsonPlace::Document ? "nothing more"
             : place == JsonPlace::Array  ? "',' or ']'"
             : place == JsonPlace::Object ? "',' or '}'"
                                          : "':'";
  }
}

/// Returns what is wrong with the escape at `start`. `offset` is where the parser stopped.
std::string wrong_escape(std::string_view text, std::size_t start, std::size_t offset) {
  const char letter = text[start + 1];
  if (letter == 'u' && !is_in(kHexDigits, text[offset]))
    return "\\u in a string needs four hexadecimal digits";
  if (letter == 'u' || is_in(kEscapes, letter))
    return "half of a surrogate pair in a string (expected \\ud800 to \\udbff, then \\udc00 to "
           "\\udfff)";
  return fmt::format("\\{} in a string, which is no escape (write \\\\ for a backslash)",
                     text.substr(offset, first_character(text.substr(offset)).bytes));
}

/// Returns what is wrong with the string at `start`. `offset` is where the parser stopped.
std::string wrong_string(std::string_view text, std::size_t start, std::size_t offset) {
  if (offset >= text.size()) return "a string without its closing quote";
  for (std::size_t at = start + 1; at < offset;) {
    const std::size_t next = at + (text[at] != '\\' ? 1 : text[at + 1] == 'u' ? 6 : 2);
    if (next > offset) return wrong_escape(text, at, offset);
    at = next;
  }
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x20)
    return fmt::format("a control character in a string (write {})",
                       escaped(text.substr(offset, 1)));
  if (byte >= 0x80 || static_cast<unsigned char>(text[offset - 1]) >= 0x80)
    return "invalid UTF-8 in a string";
  return wrong_escape(text, text.rfind('\\', offset), offset - 1);
}

/// Returns a token as messages show it. A sign is put in quotes. A string of more than 40 bytes
/// becomes the word "string". Any other token of more than 40 bytes is cut after 40 bytes.
std::string named(std::string_view token) {
  constexpr std::size_t most = 40;
  if (is_in(kSigns, token[0])) return fmt::format("'{}'", token);
  if (token.size() <= most) return std::string(token);
  return token[0] == '"' ? "string" : fmt::format("{}…", token.substr(0, most));
}

}  // namespace

JsonMistake json_mistake(std::string_view text, std::size_t read, JsonPlace place) {
  const Piece piece = refused_piece(text, read);
  if (piece.start >= text.size()) return {text.size(), "the text ends in the middle of a value"};
  const std::string_view token = text.substr(piece.start, piece.end - piece.start);
  const char first = token.front(), last = token.back();
  if (is_token(token))
    return {piece.start, fmt::format("unexpected {} (expected {})", named(token),
                                     expected_after(piece.before, place))};
  if (first == '"') return {read - 1, wrong_string(text, piece.start, read - 1)};
  if (token.starts_with("/*")) return {text.size(), "a comment without its end, */"};
  if (first == '/') return {piece.start, "unexpected / (a comment begins with // or /*)"};
  if (!is_in(kWordCharacters, first) && (first < ' ' || first > '~'))
    return {piece.start, "a character outside of any string"};
  if (is_in("-0123456789", first) && is_in("-+.eE", last))
    return {piece.start,
            fmt::format("unexpected {} (expected a digit after '{}')", named(token), last)};
  return {piece.start, fmt::format("unexpected {}", named(token))};
}

}  // namespace normbench
