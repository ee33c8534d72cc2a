/// HTML and SVG as values: text stays text, whatever it holds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench::html {

/// Whole markup: every element is closed, every text escaped. Only `words` and `name` make markup
/// of a text.
class Markup {
 public:
  Markup() = default;
  /// Markup of the program's own source: style sheets, scripts.
  static Markup of_program(std::string_view source);

  const std::string& source() const { return source_; }
  bool empty() const { return source_.empty(); }
  Markup& operator+=(const Markup& more);
  friend Markup operator+(Markup one, const Markup& more) { return one += more; }

 private:
  explicit Markup(std::string source) : source_(std::move(source)) {}
  friend Markup words(std::string_view text);
  friend struct Element;

  std::string source_;
};

/// A number in an attribute: "37.5".
std::string number(double value);

struct Attribute {
  std::string_view name;
  std::string value;  // the text itself; it is escaped when written
};

/// Markup of a text, escaped.
Markup words(std::string_view text);

/// An element without its content yet.
struct Element {
  std::string_view tag;
  std::vector<Attribute> attributes = {};

  /// The element with this content and an end tag.
  Markup operator()(const Markup& content) const;
  /// The element without content: a shape, <meta>.
  Markup empty() const;
};

/// Text that others chose. It may run from right to left, and does not turn what is around it.
Markup name(std::string_view text);

/// A block with its class.
Markup block(std::string_view css_class, const Markup& content);

/// A paragraph for each sentence.
Markup paragraphs(std::span<const std::string> sentences);

struct Cell {
  Markup content;
  bool is_number = false;  // aligned to the right
};

/// A row of a table: a heading and its cells.
struct TableRow {
  Markup heading;
  std::vector<Cell> cells;
  std::string css_class = {};
};

struct Column {
  std::string title;
  Markup axis = {};  // below it, for drawings in its cells
};

/// A table that scrolls where it is too wide. `columns`: the first is the column of
/// headings.
Markup table(std::string_view caption, std::span<const Column> columns,
             std::span<const TableRow> rows);

/// Content that is folded until it is opened.
Markup folded(std::string_view summary, const Markup& content);

}  // namespace normbench::html
