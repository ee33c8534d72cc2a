/// Lays out text for a terminal. Widths are columns on the screen, not bytes.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The screen that text is laid out for.
struct Screen {
  std::size_t width = 100;
  bool colour = false;
};

/// Returns the number of columns for lines of prose: the width of the screen, but at most 100.
constexpr std::size_t prose_width(const Screen& screen) {
  return screen.width < 100 ? screen.width : 100;
}

/// The meaning of a colour: the answer, something good, something bad, something in doubt.
enum class Ink { Answer, Good, Bad, Doubt };

/// Returns `text` in the colour of `ink`: ECMA-48 escape sequences enclose each line except its
/// leading blanks. Blank lines get no sequences. Returns `text` unchanged if the screen has no
/// colours.
std::string painted(std::string_view text, Ink ink, const Screen& screen);

/// Returns `text`, a finished output, with each control character as a readable escape, as in
/// on_one_line(). Keeps line breaks and, if the screen has colours, the escape sequences of
/// painted().
std::string made_harmless(std::string_view text, const Screen& screen);

/// Returns the number of terminal columns that UTF-8 text takes. Wide characters take two.
/// Combining characters and the sequences of painted() take none.
std::size_t display_width(std::string_view text);

/// Returns `text` cut to `width` columns. If something is cut off, "…" is the last column. `text`
/// must not have sequences of painted().
std::string cut(std::string_view text, std::size_t width);

/// Breaks `text` at blanks into lines of at most `width` columns, each with a line end. The first
/// line begins with `indent` blanks, the others with `deeper` more.
/// - "" gives no line. Blanks at both ends are dropped.
/// - A word wider than a line stays whole.
/// - A number and its unit are not separated, and neither is "1 MB:4 MB".
/// - Control characters become readable escapes, as in on_one_line().
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100,
                    std::size_t deeper = 2);

/// A column of a table. Cells are right-aligned unless `is_text`.
struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool is_text = false;
  int spare = 0;  // 1: left out first if there is no room; 2: second, …; 0: never
};

/// Returns the width of the title or of the widest cell, whichever is larger, in terminal columns.
std::size_t column_width(const Column& column);

/// Returns the columns side by side, with two blanks between them and none at line ends. Columns
/// with only empty cells are left out. If lines would be wider than `width`:
/// - first, names in the first column are cut, as long as they stay distinct;
/// - then columns with `spare` above 0 are left out, and a line below the table names them;
/// - then names that are too long get lines of their own.
std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width = 100);

/// The text of a table, and which columns are in it.
struct Laid {
  std::string text;
  std::vector<bool> has;  // has[c]: column c is in the text
};
Laid laid_out(std::vector<Column> columns, std::size_t indent, std::size_t width);

/// Returns the width in terminal columns of a table with all these columns.
std::size_t table_width(const std::vector<Column>& columns, std::size_t indent);

/// Returns `label` and, from column `start` on, `text`. Further lines of the text are indented by
/// `start` + 2.
std::string labelled(std::string_view label, std::string_view text, std::size_t start,
                     std::size_t width);

/// Returns render(subject). Adapts `render`, which takes no screen, to callers that pass one.
template <class Subject, std::string (*render)(const Subject&)>
std::string on_any_screen(const Subject& subject, const Screen&) {
  return render(subject);
}

/// A table that is filled row by row.
class Rows {
 public:
  explicit Rows(const std::vector<std::string>& titles);

  /// Adds the cells of one row. Missing cells at the end are blank.
  void add(const std::vector<std::string>& cells);

  /// Returns the table as laid out by columns_text(); "" without rows. `text_columns` are
  /// left-aligned. If the table is too wide, columns are left out, in the order in which `spare`
  /// lists them.
  std::string text(const std::set<std::size_t>& text_columns, std::size_t width = 100'000,
                   std::span<const std::size_t> spare = {}) const;
  Laid laid_out(const std::set<std::size_t>& text_columns, std::size_t width,
                std::span<const std::size_t> spare) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace normbench
