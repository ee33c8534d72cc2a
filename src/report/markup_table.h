/// One table for several markups: text for a screen, Markdown, HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "report/html/markup.h"

namespace normbench {

/// Where the cells of a column stand. Unsaid: at the left, and Markdown leaves it to who shows it.
enum class Align { Left, Right, Unsaid };

struct MarkupColumn {
  std::string title;
  Align align = Align::Left;
  bool is_markdown = false;  // its cells are Markdown already: nothing in them is escaped
  int spare = 0;             // on a screen, as in Column
  html::Markup axis = {};    // in HTML, as in html::Column
};

/// A cell of text. It may hold anything: each markup escapes it.
struct MarkupCell {
  std::string text;
  std::optional<Ink> ink = {};              // Bad is bold where there are no colours
  std::optional<html::Markup> markup = {};  // in HTML in place of the text
};

struct MarkupTable {
  std::vector<MarkupColumn> columns;
  std::vector<std::vector<MarkupCell>> rows = {};  // a cell for each column

  /// The first `count` columns (all: npos) for columns_text() and table_width().
  std::vector<Column> text_columns(const Screen& screen,
                                   std::size_t count = std::string::npos) const;
  std::string markdown() const;
  /// The first column has the headings. A row with a cell in Ink::Bad has the class "wrong".
  html::Markup html_table(std::string_view caption) const;
};

}  // namespace normbench
