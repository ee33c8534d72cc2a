/// Documents as a page of HTML.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"

namespace normbench {

/// Returns one HTML page for all documents: the verdicts, each experiment with its drawings, the
/// machine, how to read the page, and the rounds as CSV to save. The page loads nothing and needs
/// no scripts. If it would exceed 3 MB, first the CSV is left out, then the tables as text, then
/// the drawings; the page says so.
std::string html_report(std::span<const Analysed> documents);
std::string html_report(const Analysed& analysed);

}  // namespace normbench
