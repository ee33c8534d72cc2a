/// The lines of a journal, read.
#pragma once

#include <string_view>

#include "document/journal.h"

namespace normbench {

/// Takes the whole lines of a journal into `content` and returns how many bytes they have. Throws
/// Invalid with the entry ("entry 2: …"), also when there is no whole line.
std::size_t read_lines(std::string_view text, JournalContent& content);

}  // namespace normbench
