/// Builds HTML and SVG. Texts are escaped, so they cannot become markup.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench::html {

/// Complete markup: every element is closed, and every text is escaped. Only words() and name()
/// turn a text into markup. Only of_program() accepts unescaped source.
class Markup {
 public:
  Markup() = default;
  /// Returns unescaped markup. Only for style sheets and scripts of this program.
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

/// Returns a number for an attribute, like "37.5".
std::string number(double value);

struct Attribute {
  std::string_view name;
  std::string value;  // not yet escaped
};

/// Returns a text as escaped markup.
Markup words(std::string_view text);

/// An element. Calling it with its content returns the markup.
struct Element {
  std::string_view tag;
  std::vector<Attribute> attributes = {};

  /// Returns the element with this content and an end tag.
  Markup operator()(const Markup& content) const;
  /// Returns the element without content, for a shape or <meta>.
  Markup empty() const;
};

/// Returns a text from a document as markup. A text that is written from right to left does not
/// change the direction of the text around it.
Markup name(std::string_view text);

/// Returns a <div> of this class.
Markup block(std::string_view css_class, const Markup& content);

/// Returns a paragraph for each sentence.
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
  Markup axis = {};  // shown below the title; the axis of the drawings in the cells
};

/// Returns a table that scrolls if it is too wide. The first of `columns` is the column of
/// headings.
Markup table(std::string_view caption, std::span<const Column> columns,
             std::span<const TableRow> rows);

/// Returns content that is folded until the reader opens it.
Markup folded(std::string_view summary, const Markup& content);

}  // namespace normbench::html
