/// The findings on published experiments, as a page of Markdown for people.
#pragma once

#include <span>

#include "report/reproduction_text.h"

namespace normbench {

/// A document, and the file that it was read from.
struct KeptDocument {
  std::string file;
  Analysed analysed;
};

/// docs/findings.md: for each source what it said, what was found here, why, and what cannot be
/// tested. Relative files are linked as from docs/. `command` is the one that renders the page.
std::string findings_markdown(const std::vector<Reproduction>& all,
                              std::span<const KeptDocument> documents, const std::string& command);

}  // namespace normbench
