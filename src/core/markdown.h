/// Text in Markdown documents.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// `text` with control characters as blanks: names come from documents, and stay on their line.
std::string on_one_line(std::string_view text);

/// `text` in a Markdown document, also in a table's cell: on one line, nothing in it is markup.
std::string escaped_markdown(std::string_view text);

}  // namespace normbench
