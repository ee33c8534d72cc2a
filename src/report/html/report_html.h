/// Documents as a page.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"

namespace normbench {

/// A file of HTML with everything in it: first the verdicts, then each experiment with its
/// drawings, the machine, how to read it, and the rounds to save. It loads nothing, needs no
/// scripts, and is at most 3 MB: it leaves out the least important parts until it is, and says so.
/// Several documents follow each other.
std::string html_report(std::span<const Analysed> documents);
std::string html_report(const Analysed& analysed);

}  // namespace normbench
