/// The section about an experiment in a report.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// How much of an experiment is shown: everything (Rounds), no tables as text (Drawings), or only
/// sentences (Words).
enum class Detail { Rounds, Drawings, Words };

/// Returns the id of an experiment's section, like "e3". Links lead to it.
std::string experiment_id(std::size_t index);

/// Returns the experiment's question, or its name if it has none.
std::string experiment_title(const Experiment& experiment);

/// Returns a section with the verdict and, as far as `detail` allows, the drawings and all tables
/// as folded text. A section that would be larger than `most_bytes` ends early.
Markup experiment_section(const Experiment& experiment, std::size_t index, const Results& results,
                          Detail detail, std::size_t most_bytes);

}  // namespace normbench::html
