#include "report/text.h"

#include <algorithm>
#include <array>
#include <span>

namespace normbench {
namespace {

struct Range {
  char32_t first, last;
};

constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115F},
                                             {0x2E80, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}});
constexpr auto kCombining =
    std::to_array<Range>({{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}});

bool within(char32_t code, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges, [&](Range r) { return r.first <= code && code <= r.last; });
}

struct Character {
  std::size_t bytes, columns;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  bytes = std::min(bytes, text.size() - at);
  char32_t code = bytes == 1 ? lead : lead & (0xFF >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return {bytes, within(code, kCombining) ? 0u : within(code, kWide) ? 2u : 1u};
}

constexpr std::size_t kNarrowest = 12;  // of a column that is cut

std::string padded(const std::string& text, std::size_t width, bool is_text) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return is_text ? text + blanks : blanks + text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    width += character.columns;
    at += character.bytes;
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (used + character.columns + 1 > width) break;
    used += character.columns;
    at += character.bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines, line(indent, ' ');
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      lines += line + "\n";
      line = std::string(indent + 2, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return lines + line + "\n";
}

std::size_t column_width(const Column& column) {
  std::size_t width = display_width(column.title);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width) {
  std::erase_if(columns, [](const Column& column) {
    return std::ranges::all_of(column.cells, &std::string::empty);
  });
  if (columns.empty()) return "";
  std::vector<std::size_t> widths;
  std::size_t total = indent + 2 * (columns.size() - 1);
  for (const Column& column : columns) total += widths.emplace_back(column_width(column));
  if (total > width)
    widths[0] = std::max(kNarrowest, widths[0] - std::min(widths[0], total - width));
  std::string text;
  for (std::size_t row = 0; row <= columns[0].cells.size(); ++row) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& column = columns[c];
      const std::string& cell = row == 0 ? column.title : column.cells[row - 1];
      line += (c > 0 ? "  " : "") + padded(cut(cell, widths[c]), widths[c], column.is_text);
    }
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

Rows::Rows(const std::vector<std::string>& titles) {
  for (const std::string& title : titles) columns_.push_back({title, {}});
}

void Rows::add(const std::vector<std::string>& cells) {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns_[c].cells.push_back(c < cells.size() ? cells[c] : "");
}

std::string Rows::text(const std::set<std::size_t>& text_columns, std::size_t width) const {
  std::vector<Column> columns = columns_;
  for (const std::size_t c : text_columns) columns[c].is_text = true;
  return columns_text(columns, 2, width);
}

}  // namespace normbench
