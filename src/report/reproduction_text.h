/// Published experiments and what was measured of them here, as one table.
#pragma once

#include "analysis/reproduction.h"
#include "core/text.h"
#include "plan/publications.h"

namespace normbench {

/// Why no document has an experiment.
enum class Absence { NoDocument, NoConfig, Interrupted };

/// An experiment that was asked for, and what the documents have about it, line by line.
struct Reproduction {
  PublishedExperiment experiment;
  std::vector<Reproduced> lines;
  Absence absence = Absence::NoDocument;  // counts only where there are no lines
};

/// Why an experiment has no lines: "no config has it".
std::string absence_text(const Reproduction& of);

std::string reproduction_text(const std::vector<Reproduction>& all, const Screen& screen = {});
std::string reproduction_markdown(const std::vector<Reproduction>& all);
/// Returns a page such as html_report() makes.
std::string reproduction_html(const std::vector<Reproduction>& all);
Json reproduction_json(const std::vector<Reproduction>& all);

}  // namespace normbench
