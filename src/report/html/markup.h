/// HTML and SVG as values: what is text stays text, whatever it holds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench::html {

/// Markup that is whole: every element closed, every text escaped. Text becomes some by `words` and
/// `name` alone.
class Markup {
 public:
  Markup() = default;
  /// Of what the program itself is written with: style sheets, scripts.
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

/// A number as attributes have it: "37.5".
std::string number(double value);

struct Attribute {
  std::string_view name;
  std::string value;  // as it is meant; it is escaped where it is written
};

/// Text.
Markup words(std::string_view text);

/// An element in the making.
struct Element {
  std::string_view tag;
  std::vector<Attribute> attributes = {};

  /// With this in it, and an end tag.
  Markup operator()(const Markup& content) const;
  /// One that has no content: a shape, <meta>.
  Markup empty() const;
};

/// Text that others chose, which may run from right to left: it does not turn what is around it.
Markup name(std::string_view text);

/// A block with its class.
Markup block(std::string_view css_class, const Markup& content);

/// Paragraphs, one each.
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
  Markup axis = {};  // below it, of drawings in its cells
};

/// A table that scrolls within its place where it is too wide. `columns`: that of the headings
/// first.
Markup table(std::string_view caption, std::span<const Column> columns,
             std::span<const TableRow> rows);

/// What is folded up until it is asked for.
Markup folded(std::string_view summary, const Markup& content);

}  // namespace normbench::html
