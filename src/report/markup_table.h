/// A table that can be written as text for a screen, as Markdown and as HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "report/html/markup.h"

namespace normbench {

/// The alignment of a column's cells. Unsaid: in Markdown, the viewer chooses the alignment; on a
/// screen, cells are aligned left.
enum class Align { Left, Right, Unsaid };

struct MarkupColumn {
  std::string title;
  Align align = Align::Left;
  bool is_markdown = false;  // its cells are Markdown already, and are not escaped
  int spare = 0;             // for a screen: see Column
  html::Markup axis = {};    // for HTML: see html::Column
};

/// A cell of plain text. The text is escaped in HTML. In Markdown it is escaped, except in a column
/// that is `is_markdown`.
struct MarkupCell {
  std::string text;
  std::optional<Ink> ink = {};              // Ink::Bad is bold in Markdown and HTML
  std::optional<html::Markup> markup = {};  // replaces the text in HTML
};

struct MarkupTable {
  std::vector<MarkupColumn> columns;
  std::vector<std::vector<MarkupCell>> rows = {};  // each row has a cell for each column

  /// Returns the first `count` columns with their cells, for columns_text() and table_width(). npos
  /// means all columns.
  std::vector<Column> text_columns(const Screen& screen,
                                   std::size_t count = std::string::npos) const;
  std::string markdown() const;
  /// Returns the table as HTML. The cells of the first column are the headings of the rows. A row
  /// with a cell in Ink::Bad has the class "wrong".
  html::Markup html_table(std::string_view caption) const;
};

}  // namespace normbench
