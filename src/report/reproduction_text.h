/// Published experiments beside what was measured here, as one table.
#pragma once

#include "analysis/reproduction.h"
#include "core/text.h"
#include "plan/publications.h"

namespace normbench {

/// An experiment that was asked for, and what the documents have of it.
struct Reproduction {
  PublishedExperiment experiment;
  std::vector<Reproduced> lines;  // none: it was not run, or has no config
};

std::string reproduction_text(const std::vector<Reproduction>& all, const Screen& screen = {});
std::string reproduction_markdown(const std::vector<Reproduction>& all);
/// A page to look at, as html_report() makes them.
std::string reproduction_html(const std::vector<Reproduction>& all);
Json reproduction_json(const std::vector<Reproduction>& all);

}  // namespace normbench
