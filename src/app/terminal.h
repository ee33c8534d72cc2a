/// What the terminal is like: whether there is one, its width, and the characters and colours that
/// it can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text.h"

namespace normbench {

/// Returns the screen of stdout. A terminal has the width in COLUMNS or else its own, cut to 40 to
/// 160 columns. It has colours unless NO_COLOR or TERM=dumb forbids them. A pipe or a file has 100
/// columns and no colours.
Screen stdout_screen();

/// Returns the screen of the file `out_file`, or of stdout if that is "".
Screen screen_of(const std::string& out_file);

/// Returns true if a line on stderr can be written over: on a terminal that is not dumb.
bool is_live();

/// Returns the number of columns of the terminal on stderr, however few; 80 if it is not known.
std::size_t stderr_columns();

/// Returns true if the locale's text is UTF-8, or if no locale is set.
bool shows_utf8();

/// Returns `text` with each non-ASCII sign that this program prints, like "–", replaced by an ASCII
/// sign of the same width. This includes such signs in names. Other non-ASCII characters stay.
std::string in_ascii(std::string_view text);

}  // namespace normbench
