/// Documents as a page that people look at.
#pragma once

#include <span>
#include <string>

#include "document/results.h"

namespace normbench {

/// One file of HTML with everything in it: the verdicts first, then each experiment with its
/// drawings, the machine, how to read it, and the rounds to save. It asks for nothing from
/// anywhere, needs no scripts, and is at most 3 MB: what is too much for that is left out from the
/// least important on, and said. Several documents follow each other.
std::string html_report(std::span<const Results> documents);
std::string html_report(const Results& results);

}  // namespace normbench
