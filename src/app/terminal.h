/// The terminal that a person looks at: how wide it is, what it can show, whether one is there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text.h"

namespace normbench {

/// What stdout can show: a terminal as wide as it is (or as COLUMNS says), but at least 40 columns
/// and at most 160, with colours unless NO_COLOR or TERM=dumb says otherwise; for a pipe or a file
/// 100 columns without.
Screen stdout_screen();

/// That of stdout, or of a file where there is one.
Screen screen_of(const std::string& out_file);

/// True where a line on stderr can be written over: on a terminal that is not dumb.
bool is_live();

/// Columns of the terminal on stderr, however few.
std::size_t stderr_columns();

/// True where the locale's text is UTF-8; also where none is set.
bool shows_utf8();

/// `text` with the signs beyond ASCII that this program's own words have, wherever they stand, as
/// others of the same width; further ones stay.
std::string in_ascii(std::string_view text);

}  // namespace normbench
