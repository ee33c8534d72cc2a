/// The report of documents as an HTML page.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"

namespace normbench {

/// Returns one HTML page for all documents: the verdicts, each experiment with its drawings, the
/// machine, how to read the page, and a link that saves the rounds as CSV. The page loads no other
/// files and needs no scripts. If it would exceed 3 MB, first the CSV is left out, then the tables
/// as text, then the drawings. A sentence on the page then tells what is left out.
std::string html_report(std::span<const Analysed> documents);
std::string html_report(const Analysed& analysed);

}  // namespace normbench
