/// A table of published experiments and of the measurements here that reproduce them.
#pragma once

#include "analysis/reproduction.h"
#include "core/text.h"
#include "plan/publications.h"

namespace normbench {

/// The reason why no results document has results of a published experiment.
enum class Absence { NoDocument, NoConfig, Interrupted };

/// A published experiment that the user wants to see. `lines` has its claims and figures, each with
/// the result in the results documents.
struct Reproduction {
  PublishedExperiment experiment;
  std::vector<Reproduced> lines;
  Absence absence = Absence::NoDocument;  // why there are no lines; used only if `lines` is empty
};

/// Returns why a published experiment has no lines, like "no config has it".
std::string absence_text(const Reproduction& of);

std::string reproduction_text(const std::vector<Reproduction>& all, const Screen& screen = {});
std::string reproduction_markdown(const std::vector<Reproduction>& all);
/// Returns the table as an HTML page.
std::string reproduction_html(const std::vector<Reproduction>& all);
Json reproduction_json(const std::vector<Reproduction>& all);

}  // namespace normbench
