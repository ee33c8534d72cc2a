/// Text laid out for a terminal: widths as displayed, not bytes.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// Columns a terminal draws for UTF-8 text: wide characters count twice, combining ones not at all.
std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns, the last one "…" when something is missing.
std::string cut(std::string_view text, std::size_t width);

/// `text` broken at blanks into lines of at most `width` columns, each ended; the first begins with
/// `indent` blanks, the others with two more. A word wider than a line is left whole.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);

/// A column of a table: cells below a title, right-aligned unless it is text.
struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool is_text = false;
};

/// Columns that the widest of title and cells takes.
std::size_t column_width(const Column& column);

/// The columns side by side, two blanks between, no trailing blanks. Columns without any content
/// are left out; the first is cut when the lines would be wider than `width`.
std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width = 100);

/// A table filled row by row.
class Rows {
 public:
  explicit Rows(const std::vector<std::string>& titles);

  /// Cells of one row; those missing at the end are blank.
  void add(const std::vector<std::string>& cells);

  /// The table, as wide as it is; the columns in `text_columns` are left-aligned. "" without rows.
  std::string text(const std::set<std::size_t>& text_columns, std::size_t width = 100'000) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace normbench
