/// The HTML page around the content of a report.
#pragma once

#include "report/html/markup.h"

namespace normbench::html {

struct Page {
  std::string title;
  std::string about;                    // shown below the title; "": nothing is shown
  std::vector<std::string> facts = {};  // about the machine and the run, one on each line
  Markup body;
};

/// Returns the page as one HTML file that loads no other files. Without scripts, the page has the
/// same content. With scripts, tables can be sorted, and drawings show the value under the pointer.
std::string page(const Page& page);

/// Returns a section with its heading. `id` is for links to the section.
Markup section(std::string_view id, std::string_view heading, const Markup& content);

/// Returns an explanation of ratios, intervals and drawings.
Markup how_to_read();

/// Returns a link that saves `content` as a file. The link contains the file as a data: URL.
Markup download(std::string_view file, std::string_view media_type, std::string_view content,
                std::string_view label);

}  // namespace normbench::html
