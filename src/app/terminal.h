/// The terminal that a person looks at: how wide it is, what it can show, whether one is there.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "app/process.h"
#include "report/text.h"

namespace normbench {

/// What stdout can show: a terminal as wide as it is (or as COLUMNS says), with colours unless
/// NO_COLOR or TERM=dumb says otherwise; for a pipe or a file 100 columns without.
Screen stdout_screen();

/// That of stdout, or of a file where there is one.
Screen screen_of(const std::string& out_file);

/// True where a line on stderr can be written over: on a terminal that is not dumb.
bool is_live();

/// Columns of the terminal on stderr.
std::size_t stderr_columns();

/// True where the locale's text is UTF-8; also where none is set.
bool shows_utf8();

/// `text` without the signs beyond ASCII that this program's own words have, each one column wide
/// as before; others stay.
std::string in_ascii(std::string_view text);

/// Says on a terminal what one would do next; `quiet`: nothing.
void suggest(bool quiet, const std::string& what);

}  // namespace normbench
