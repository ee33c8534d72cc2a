/// Documents as a page of HTML.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"

namespace normbench {

/// Returns an HTML file with everything in it: the verdicts, each experiment with its drawings, the
/// machine, how to read the page, and the rounds to save. The file loads nothing and needs no
/// scripts. It has at most 3 MB: if it would be larger, its least important parts are left out, and
/// the page says so. Several documents follow each other.
std::string html_report(std::span<const Analysed> documents);
std::string html_report(const Analysed& analysed);

}  // namespace normbench
