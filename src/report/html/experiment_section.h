/// The section of an HTML report about one experiment.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// How much of an experiment is shown. Rounds: everything. Drawings: everything except tables as
/// text. Words: only sentences.
enum class Detail { Rounds, Drawings, Words };

/// Returns the id of an experiment's section, like "e3", for links to the section.
std::string experiment_id(std::size_t index);

/// Returns the experiment's question, or its name if it has none.
std::string experiment_title(const Experiment& experiment);

/// Returns a section with the verdict and, if `detail` allows them, the drawings and all tables as
/// folded text. When the section is larger than `most_bytes`, no further points of the sweep are
/// added.
Markup experiment_section(const Experiment& experiment, std::size_t index, const Results& results,
                          Detail detail, std::size_t most_bytes);

}  // namespace normbench::html
