/// The findings about published experiments, as a page of Markdown for people.
#pragma once

#include <span>

#include "report/reproduction_text.h"

namespace normbench {

/// A document and the file that it was read from.
struct KeptDocument {
  std::string file;
  Analysed analysed;
};

/// Returns the text of docs/findings.md. For each source, it tells what the source claims, what was
/// measured here, why, and what cannot be tested. Links to files are relative to docs/. `command`
/// is the command that writes the page, for its introduction.
std::string findings_markdown(const std::vector<Reproduction>& all,
                              std::span<const KeptDocument> documents, const std::string& command);

}  // namespace normbench
