/// The page around what a report says.
#pragma once

#include "report/html/markup.h"

namespace normbench::html {

struct Page {
  std::string title;
  std::string about;                    // below the title; ""
  std::vector<std::string> facts = {};  // of machine and run, a line each
  Markup body;
};

/// One file that needs no other and asks for none: style and script are in it. Without scripts it
/// says and shows the same; with them tables can be sorted, and drawings say what lies under the
/// pointer.
std::string page(const Page& page);

/// A section with its heading, which links go to by `id`.
Markup section(std::string_view id, std::string_view heading, const Markup& content);

/// How ratios, intervals and drawings are to be read.
Markup how_to_read();

/// A link that saves `content`, which is in the page itself.
Markup download(std::string_view file, std::string_view media_type, std::string_view content,
                std::string_view label);

}  // namespace normbench::html
