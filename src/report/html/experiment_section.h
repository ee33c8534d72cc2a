/// An experiment in a report.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// What is shown of an experiment: all of it, or less where the page would be too large.
enum class Detail { Rounds, Drawings, Words };

/// "e3": where links to the experiment go.
std::string experiment_id(std::size_t index);

/// Its question, or its name.
std::string experiment_title(const Experiment& experiment);

/// The verdict, what the question needs as drawings and tables, and the rest folded up.
Markup experiment_section(const Experiment& experiment, std::size_t index, const Results& results,
                          Detail detail);

}  // namespace normbench::html
