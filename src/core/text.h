/// Text laid out for a terminal: widths as displayed, not bytes.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The screen that text is laid out for: its columns, and whether it has colours.
struct Screen {
  std::size_t width = 100;
  bool colour = false;
};

/// Columns of a line of prose: at most 100, for long lines are hard to read.
constexpr std::size_t prose_width(const Screen& screen) {
  return screen.width < 100 ? screen.width : 100;
}

/// What a colour says: this is the answer, this is good, this is bad, this is in doubt.
enum class Ink { Answer, Good, Bad, Doubt };

/// `text` in a colour, by escape sequences of ECMA-48 around each of its lines, where the screen
/// has colours.
std::string painted(std::string_view text, Ink ink, const Screen& screen);

/// The last guard of a terminal: makes control characters of `text` readable, as on_one_line(), but
/// for line breaks and, where the screen has colours, sequences of painted(). Names are made
/// harmless earlier, before they are laid out, so that their width is known.
std::string made_harmless(std::string_view text, const Screen& screen);

/// Columns a terminal draws for UTF-8 text: wide characters count twice, combining ones and the
/// sequences of painted() not at all.
std::size_t display_width(std::string_view text);

/// `text`, which is not painted, cut to `width` columns; "…" is the last one when something is
/// missing.
std::string cut(std::string_view text, std::size_t width);

/// `text` broken at blanks into lines of at most `width` columns, each ended. The first begins with
/// `indent` blanks, the others with `deeper` more; "" has no line. A word wider than a line stays
/// whole, and so do a number with its unit and "1 MB:4 MB". Blanks at its ends are left out;
/// control characters become what on_one_line() makes of them.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100,
                    std::size_t deeper = 2);

/// A column of a table: cells below a title, right-aligned unless it is text.
struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool is_text = false;
  int spare = 0;  // where there is no room, 1 is left out first, then 2; 0 never
};

/// Columns of the widest of the title and the cells.
std::size_t column_width(const Column& column);

/// The columns side by side, two blanks between, no trailing blanks. Columns without any content
/// are left out. Where lines would be wider than `width`, first the names in the first column are
/// cut, but not so far that two are alike; then columns that can be spared are left out, and a line
/// below names them; then names that are too long get lines of their own.
std::string columns_text(std::vector<Column> columns, std::size_t indent, std::size_t width = 100);

/// The laid out text, and which columns are in it.
struct Laid {
  std::string text;
  std::vector<bool> has;  // has[c]: column c is in the text
};
Laid laid_out(std::vector<Column> columns, std::size_t indent, std::size_t width);

/// The width of a line with all the columns side by side.
std::size_t table_width(const std::vector<Column>& columns, std::size_t indent);

/// "  label   text", the text from column `start` on, its further lines two columns deeper.
std::string labelled(std::string_view label, std::string_view text, std::size_t start,
                     std::size_t width);

/// A renderer for any screen, made of one whose text is no terminal's and the same on all of them.
template <class Subject, std::string (*render)(const Subject&)>
std::string on_any_screen(const Subject& subject, const Screen&) {
  return render(subject);
}

/// A table filled row by row.
class Rows {
 public:
  explicit Rows(const std::vector<std::string>& titles);

  /// Adds the cells of one row; missing cells at the end are blank.
  void add(const std::vector<std::string>& cells);

  /// The table, as columns_text() lays it out; "" without rows. `text_columns` are left-aligned.
  /// Where there is no room, columns of `spare` are left out, its first one first.
  std::string text(const std::set<std::size_t>& text_columns, std::size_t width = 100'000,
                   std::span<const std::size_t> spare = {}) const;
  Laid laid_out(const std::set<std::size_t>& text_columns, std::size_t width,
                std::span<const std::size_t> spare) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace normbench
