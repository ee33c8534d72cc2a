/// The page docs/findings.md, which compares published experiments with measurements.
#pragma once

#include <span>

#include "report/reproduction_text.h"

namespace normbench {

/// A document and the file that it was read from.
struct KeptDocument {
  std::string file;
  Analysed analysed;
};

/// Returns the text of docs/findings.md. For each publication, it tells what the publication
/// claims, what was measured here, what determines the measured times, and what cannot be tested.
/// Links to files are relative to docs/. The introduction shows `command`, the command that writes
/// the page.
std::string findings_markdown(const std::vector<Reproduction>& all,
                              std::span<const KeptDocument> documents, const std::string& command);

}  // namespace normbench
