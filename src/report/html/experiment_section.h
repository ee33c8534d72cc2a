/// The section on an experiment in a report.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// How much of an experiment is shown: all, or less where the page would be too large.
enum class Detail { Rounds, Drawings, Words };

/// "e3": the id to which links to the experiment lead.
std::string experiment_id(std::size_t index);

/// The experiment's question, or its name.
std::string experiment_title(const Experiment& experiment);

/// The verdict, the drawings and tables that answer the question, and everything else folded.
Markup experiment_section(const Experiment& experiment, std::size_t index, const Results& results,
                          Detail detail);

}  // namespace normbench::html
