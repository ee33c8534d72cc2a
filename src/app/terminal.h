/// Facts about the terminal: whether there is one, its width, and the characters and colours that
/// it can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text.h"

namespace normbench {

/// Returns the screen of stdout. If stdout is a terminal, the width is COLUMNS, or without COLUMNS
/// the terminal's own width, limited to 40 to 160 columns. The terminal has colours if NO_COLOR is
/// empty and TERM is neither empty nor "dumb". If stdout is a pipe or a file, the screen has 100
/// columns and no colours.
Screen stdout_screen();

/// Returns the screen of the file `out_file`, or of stdout if that is "".
Screen screen_of(const std::string& out_file);

/// Returns true if stderr is a terminal on which a line can be overwritten: TERM is neither empty
/// nor "dumb".
bool is_live();

/// Returns the number of columns of the terminal on stderr, however few. Returns 80 if the number
/// is unknown.
std::size_t stderr_columns();

/// Returns true if the locale's encoding is UTF-8, or if no locale is set.
bool shows_utf8();

/// Returns `text` with an ASCII sign of the same width for each non-ASCII sign that this program
/// prints, like "-" for a dash. Such signs in names are replaced, too. Other non-ASCII characters
/// stay.
std::string in_ascii(std::string_view text);

}  // namespace normbench
