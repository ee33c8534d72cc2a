/// Lays out text for a terminal. Widths are columns on the screen, not bytes.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The screen that text is laid out for: its width in columns, and whether it shows colours.
struct Screen {
  std::size_t width = 100;
  bool colour = false;
};

/// Returns the columns of a line of prose: at most 100, since longer lines are hard to read.
constexpr std::size_t prose_width(const Screen& screen) {
  return screen.width < 100 ? screen.width : 100;
}

/// The meaning of a colour: the answer, something good, something bad, something in doubt.
enum class Ink { Answer, Good, Bad, Doubt };

/// Returns `text` with escape sequences of ECMA-48 around each line, except for its leading blanks.
/// Blank lines get none. Returns `text` unchanged if the screen has no colours.
std::string painted(std::string_view text, Ink ink, const Screen& screen);

/// Makes the control characters of `text` readable, like on_one_line(), right before it is printed.
/// It keeps line breaks and, if the screen has colours, sequences of painted(). Names are made
/// readable before they are laid out, so that their width is known.
std::string made_harmless(std::string_view text, const Screen& screen);

/// Returns the columns that a terminal uses for UTF-8 text. Wide characters count twice. Combining
/// characters and the sequences of painted() count as 0.
std::size_t display_width(std::string_view text);

/// Returns `text` cut to `width` columns. If something is cut off, "…" is the last column. `text`
/// must not have sequences of painted().
std::string cut(std::string_view text, std::size_t width);

/// Breaks `text` at blanks into lines of at most `width` columns, each with a line end. The first
/// line begins with `indent` blanks, the others with `deeper` more. "" gives no line. A word wider
/// than a line stays whole, as do a number with its unit and "1 MB:4 MB". Blanks at both ends are
/// dropped; control characters become readable as in on_one_line().
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100,
                    std::size_t deeper = 2);

/// A column of a table: cells below a title. Cells are right-aligned unless `is_text`.
struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool is_text = false;
  int spare = 0;  // 1: left out first if there is no room; 2: second, …; 0: never
};

/// Returns the columns that the widest of the title and the cells needs.
std::size_t column_width(const Column& column);

/// Returns the columns side by side, with two blanks between them and none at line ends. Columns
/// with only empty cells are left out. If lines would be wider than `width`:
/// - first, names in the first column are cut, as long as they stay distinct;
/// - then columns with `spare` are left out, and a line below the table names them;
/// - then names that are too long get lines of their own.
std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width = 100);

/// The text of a table, and which columns are in it.
struct Laid {
  std::string text;
  std::vector<bool> has;  // has[c]: column c is in the text
};
Laid laid_out(std::vector<Column> columns, std::size_t indent, std::size_t width);

/// Returns the width of a line with all columns side by side.
std::size_t table_width(const std::vector<Column>& columns, std::size_t indent);

/// Returns `label` and `text` side by side. The text begins in column `start`; its further lines
/// begin two columns later.
std::string labelled(std::string_view label, std::string_view text, std::size_t start,
                     std::size_t width);

/// Returns render(subject). It gives a renderer that needs no screen the signature of one that
/// does.
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
  /// left-aligned. If there is no room, columns of `spare` are left out in the order of `spare`.
  std::string text(const std::set<std::size_t>& text_columns, std::size_t width = 100'000,
                   std::span<const std::size_t> spare = {}) const;
  Laid laid_out(const std::set<std::size_t>& text_columns, std::size_t width,
                std::span<const std::size_t> spare) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace normbench
