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

/// Returns docs/findings.md. For each source, it has what the source said, what was found here,
/// why, and what cannot be tested. Links to files are relative to docs/. The page names `command`
/// as the command that renders it.
std::string findings_markdown(const std::vector<Reproduction>& all,
                              std::span<const KeptDocument> documents, const std::string& command);

}  // namespace normbench
