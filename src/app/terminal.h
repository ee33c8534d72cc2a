/// Facts about the terminal: whether there is one, its width, and the characters and colours that
/// it can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text.h"

namespace normbench {

/// Returns the width and the colours of stdout. If stdout is a terminal, its width is the number in
/// the environment variable COLUMNS. Without such a number, it is the width that the terminal
/// reports, or 80 if it reports none. A width outside 40 to 160 is set to the nearer limit. The
/// terminal has colours if NO_COLOR is empty and TERM is neither empty nor "dumb". If stdout is a
/// pipe or a file, the screen has 100 columns and no colours.
Screen stdout_screen();

/// Returns stdout_screen() if `out_file` is "". Otherwise returns the screen of a file: 100 columns
/// and no colours.
Screen screen_of(const std::string& out_file);

/// Returns true if stderr is a terminal on which a line can be overwritten: TERM is neither empty
/// nor "dumb".
bool is_live();

/// Returns the number of columns of the terminal on stderr, or 80 if the number is unknown. Unlike
/// the width of stdout_screen(), this number has no limits.
std::size_t stderr_columns();

/// Returns true if the locale's encoding is UTF-8, or if no locale is set.
bool shows_utf8();

/// Returns a copy of `text` in which each non-ASCII sign that this program itself prints is
/// replaced by an ASCII sign one column wide, for instance a dash by "-". These signs are also
/// replaced within names, such as file names. All other non-ASCII characters stay.
std::string in_ascii(std::string_view text);

}  // namespace normbench
