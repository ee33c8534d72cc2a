/// The terminal that a person looks at: if there is one, its width, and what it can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text.h"

namespace normbench {

/// The screen of stdout: as wide as the terminal (or as COLUMNS says), but at least 40 columns and
/// at most 160, with colours unless NO_COLOR or TERM=dumb forbids them. For a pipe or a file it has
/// 100 columns and no colours.
Screen stdout_screen();

/// The screen of stdout, or of a file where one is named.
Screen screen_of(const std::string& out_file);

/// True where a line on stderr can be written over: on a terminal that is not dumb.
bool is_live();

/// Columns of the terminal on stderr, however few.
std::size_t stderr_columns();

/// True where the locale's text is UTF-8; also where none is set.
bool shows_utf8();

/// `text` in ASCII: this program's own signs beyond it become others of the same width, wherever
/// they stand. Further signs stay.
std::string in_ascii(std::string_view text);

}  // namespace normbench
