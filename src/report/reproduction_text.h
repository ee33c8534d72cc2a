/// Published experiments and what was measured of them here, as one table.
#pragma once

#include "analysis/reproduction.h"
#include "core/text.h"
#include "plan/publications.h"

namespace normbench {

/// Why no document has an experiment.
enum class Absence { NoDocument, NoConfig, Interrupted };

/// A published experiment that the user asked for, and its claims and figures with what the
/// documents have about each.
struct Reproduction {
  PublishedExperiment experiment;
  std::vector<Reproduced> lines;
  Absence absence = Absence::NoDocument;  // used only if `lines` is empty
};

/// Returns why an experiment has no lines, like "no config has it".
std::string absence_text(const Reproduction& of);

std::string reproduction_text(const std::vector<Reproduction>& all, const Screen& screen = {});
std::string reproduction_markdown(const std::vector<Reproduction>& all);
/// Returns the table as an HTML page.
std::string reproduction_html(const std::vector<Reproduction>& all);
Json reproduction_json(const std::vector<Reproduction>& all);

}  // namespace normbench
