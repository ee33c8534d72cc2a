#include "core/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/characters.h"
#include "core/units.h"

namespace normbench {
namespace {

/// Returns how many terminal columns a character takes. A control character or a byte that is not
/// UTF-8 is drawn as one sign, so it takes one column.
std::size_t columns_of(const Character& character) {
  const auto code = static_cast<utf8proc_int32_t>(character.code.value_or('?'));
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_MC:
      return 1;
    default:
      return static_cast<std::size_t>(utf8proc_charwidth(code));
  }
}

constexpr std::size_t kNarrowest = 24;  // names in the first column are not cut to less than this
constexpr std::size_t kLeast = 12;      // if names have less room, each gets lines of its own

struct InkCode {
  Ink ink;
  int code;  // parameter of ECMA-48's SGR escape sequence
};
constexpr auto kInkCodes = std::to_array<InkCode>({{Ink::Answer, 1},    // bold
                                                   {Ink::Good, 32},     // green
                                                   {Ink::Bad, 31},      // red
                                                   {Ink::Doubt, 33}});  // yellow

constexpr int kPlain = 0;

int code_of(Ink ink) { return std::ranges::find(kInkCodes, ink, &InkCode::ink)->code; }

std::string escape_of(int code) { return fmt::format("\033[{}m", code); }

std::size_t escape_bytes(std::string_view text) {
  if (!text.starts_with('\033')) return 0;
  const auto starts = [text](int code) { return text.starts_with(escape_of(code)); };
  if (starts(kPlain)) return escape_of(kPlain).size();
  const auto ink = std::ranges::find_if(kInkCodes, starts, &InkCode::code);
  return ink == kInkCodes.end() ? 0 : escape_of(ink->code).size();
}

bool is_unit(std::string_view word) {
  constexpr auto units = std::to_array<std::string_view>(
      {"%", "x", "s", "ms", "us", "ns", "kB", "MB", "GB", "KiB", "MiB", "GiB", "GB/s", "images/s"});
  const std::string_view bare = word.substr(0, word.find_last_not_of(",;:.)") + 1);
  return std::ranges::find(units, bare) != units.end();
}

std::string without_end(std::string line) { return line.erase(line.find_last_not_of(' ') + 1); }

/// Returns where the word at `at` ends. A number and its unit count as one word, and so does a pair
/// like "1 MB:4 MB".
std::size_t word_end(std::string_view text, std::size_t at) {
  for (std::size_t start = at;;) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const bool ends_in_digit = end > at && text[end - 1] >= '0' && text[end - 1] <= '9';
    if (!ends_in_digit || end == text.size()) return end;
    start = end + 1;
    const std::string_view next = text.substr(start, text.find(' ', start) - start);
    if (!is_unit(next.substr(0, next.find(':')))) return end;
  }
}

std::string padded(const std::string& text, std::size_t width, bool is_text) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return is_text ? text + blanks : blanks + text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {  // most characters are ASCII
      ++width;
      ++at;
      continue;
    }
    if (const std::size_t escape = escape_bytes(text.substr(at)); escape > 0) {
      at += escape;
      continue;
    }
    const Character character = first_character(text.substr(at));
    width += columns_of(character);
    at += character.bytes;
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (used + columns_of(character) + 1 > width) break;
    used += columns_of(character);
    at += character.bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string wrapped(std::string_view said, std::size_t indent, std::size_t width,
                    std::size_t deeper) {
  if (said.empty()) return "";
  const std::string text = on_one_line(said);
  std::string lines, line(indent, ' ');
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    const std::string_view word = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      lines += without_end(line) + "\n";
      line = std::string(indent + deeper, ' ');
      empty = true;
    }
    if (empty && word.empty()) continue;  // skips blanks at the start of a line
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  if (empty && !lines.empty()) return lines;
  return lines + without_end(line) + "\n";
}

std::size_t column_width(const Column& column) {
  std::size_t width = display_width(column.title);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

namespace {

bool has_equal(std::vector<std::string> cells) {
  std::ranges::sort(cells);
  return std::ranges::adjacent_find(cells) != cells.end();
}

/// Returns true if the table fits in `width`. If the table is too wide, first tries to cut the
/// names in the first column so that it fits: to no less than kNarrowest columns, and only if
/// distinct names stay distinct.
bool fits_with_names_cut(std::vector<Column>& columns, std::size_t indent, std::size_t width) {
  const std::size_t total = table_width(columns, indent);
  if (total <= width) return true;
  const std::size_t names = column_width(columns[0]);
  if (names < kNarrowest + total - width) return false;
  const std::size_t room = names - (total - width);
  std::vector<std::string> shorter;
  for (const std::string& name : columns[0].cells) shorter.push_back(cut(name, room));
  if (has_equal(shorter) && !has_equal(columns[0].cells)) return false;
  columns[0].cells = std::move(shorter);
  return true;
}

/// Returns the index of the column to leave out first; 0 if none may be left out.
std::size_t spared_first(const std::vector<Column>& columns) {
  std::size_t first = 0;
  for (std::size_t c = 1; c < columns.size(); ++c)
    if (columns[c].spare > 0 && (first == 0 || columns[c].spare < columns[first].spare)) first = c;
  return first;
}

/// Returns a row of the table; row 0 has the titles. `widths` are the widths of the columns. If the
/// name in the first column is wider than its column, it is put on lines of its own above the row.
std::string row_text(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                     std::size_t row, std::size_t indent, std::size_t width) {
  const auto cell = [&](const Column& column) {
    return row == 0 ? column.title : column.cells[row - 1];
  };
  std::string name = cell(columns[0]), above;
  if (display_width(name) > widths[0]) {
    above = wrapped(name, indent, width);
    name.clear();
  }
  std::string line(indent, ' ');
  line += padded(name, widths[0], columns[0].is_text);
  for (std::size_t c = 1; c < columns.size(); ++c)
    line += "  " + padded(cell(columns[c]), widths[c], columns[c].is_text);
  return above + without_end(std::move(line)) + "\n";
}

}  // namespace

std::string painted(std::string_view text, Ink ink, const Screen& screen) {
  if (!screen.colour) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', at), end);
    result += text.substr(at, first - at);
    if (first < end)
      result += fmt::format("{}{}{}", escape_of(code_of(ink)), text.substr(first, end - first),
                            escape_of(kPlain));
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

std::string made_harmless(std::string_view text, const Screen& screen) {
  std::string result;
  while (!text.empty()) {
    const std::size_t escape = screen.colour ? escape_bytes(text) : 0;
    const auto [code, bytes] = first_character(text);
    const std::size_t line_end = text.starts_with("\r\n") ? 2 : text.starts_with('\n') ? 1 : 0;
    const std::string_view piece = text.substr(0, std::max({escape, line_end, bytes}));
    const bool is_ours = escape > 0 || line_end > 0 || (code && !is_control(*code));
    if (is_ours)
      result += piece;
    else
      result += escaped(piece);
    text.remove_prefix(piece.size());
  }
  return result;
}

std::size_t table_width(const std::vector<Column>& columns, std::size_t indent) {
  std::size_t total = indent + 2 * (columns.size() - 1);
  for (const Column& column : columns) total += column_width(column);
  return total;
}

std::string labelled(std::string_view label, std::string_view text, std::size_t start,
                     std::size_t width) {
  const std::string lines = wrapped(text, start, width);
  return fmt::format("  {:<{}}{}", label, start - 2, lines.empty() ? "\n" : lines.substr(start));
}

std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width) {
  return laid_out(std::move(columns), indent, width).text;
}

Laid laid_out(std::vector<Column> all, std::size_t indent, std::size_t width) {
  Laid laid{.text = "", .has = std::vector<bool>(all.size())};
  std::vector<Column> columns;
  std::vector<std::size_t> places;  // indices of `columns` in `all`
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (std::ranges::all_of(all[c].cells, &std::string::empty)) continue;
    columns.push_back(std::move(all[c]));
    places.push_back(c);
  }
  if (columns.empty()) return laid;
  std::string missing;
  bool fits = fits_with_names_cut(columns, indent, width);
  for (std::size_t c = spared_first(columns); !fits && c > 0; c = spared_first(columns)) {
    missing += (missing.empty() ? "" : ", ") + columns[c].title;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(c));
    fits = fits_with_names_cut(columns, indent, width);
  }
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(column_width(column));
  const std::size_t others = table_width(columns, indent) - widths[0];
  if (!fits) widths[0] = width < others + kLeast ? 0 : width - others;
  for (std::size_t row = 0; row <= columns[0].cells.size(); ++row)
    laid.text += row_text(columns, widths, row, indent, width);
  if (!missing.empty())
    laid.text += wrapped("Left out for lack of space: " + missing, indent, width);
  for (const std::size_t place : places) laid.has[place] = true;
  return laid;
}

Rows::Rows(const std::vector<std::string>& titles) {
  for (const std::string& title : titles) columns_.push_back({title, {}});
}

void Rows::add(const std::vector<std::string>& cells) {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns_[c].cells.push_back(c < cells.size() ? cells[c] : "");
}

std::string Rows::text(const std::set<std::size_t>& text_columns, std::size_t width,
                       std::span<const std::size_t> spare) const {
  return laid_out(text_columns, width, spare).text;
}

Laid Rows::laid_out(const std::set<std::size_t>& text_columns, std::size_t width,
                    std::span<const std::size_t> spare) const {
  std::vector<Column> columns = columns_;
  for (const std::size_t c : text_columns) columns[c].is_text = true;
  for (std::size_t i = 0; i < spare.size(); ++i) columns[spare[i]].spare = static_cast<int>(i) + 1;
  return normbench::laid_out(std::move(columns), 2, width);
}

}  // namespace normbench
