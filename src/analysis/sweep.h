/// What the groups of one swept experiment say together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// One experiment: its groups in order, and their analyses.
struct Experiment {
  std::vector<const GroupResult*> groups;
  std::vector<GroupAnalysis> analyses;
};

/// The groups of a document by experiment, in order.
std::vector<Experiment> experiments(const Results& results);

/// The lines a person reads under an experiment's table: the group's own for one point; else who is
/// fastest at which points, reasons at the last point, and where the claims hold.
std::vector<std::string> verdict_lines(const Experiment& experiment);

}  // namespace normbench
