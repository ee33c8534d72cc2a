/// The page around the content of a report.
#pragma once

#include "report/html/markup.h"

namespace normbench::html {

struct Page {
  std::string title;
  std::string about;                    // below the title; "": nothing
  std::vector<std::string> facts = {};  // of machine and run, a line each
  Markup body;
};

/// One file that needs no other and loads none: style and script are in it. Without scripts it
/// has the same content. With them tables can be sorted, and drawings name what is under the
/// pointer.
std::string page(const Page& page);

/// A section with its heading, which links go to by `id`.
Markup section(std::string_view id, std::string_view heading, const Markup& content);

/// Explains how to read ratios, intervals and drawings.
Markup how_to_read();

/// A link that saves `content`, which is inside the page.
Markup download(std::string_view file, std::string_view media_type, std::string_view content,
                std::string_view label);

}  // namespace normbench::html
