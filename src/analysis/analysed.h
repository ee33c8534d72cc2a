/// A results document together with its analysis.
#pragma once

#include <memory>
#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// One experiment: its groups in order, and the analysis of each group.
struct Experiment {
  std::vector<const GroupResult*> groups;
  std::vector<GroupAnalysis> analyses;
  std::size_t not_reached = 0;  // points of its sweep that an interrupted run did not measure
};

/// Returns the experiments of a document, with their groups in order.
std::vector<Experiment> experiments(const Results& results);

/// A document and its analysis, which the constructor computes. Every report prints an `Analysed`.
class Analysed {
 public:
  explicit Analysed(Results results);

  const Results& results() const { return results_; }
  const std::vector<Experiment>& experiments() const { return experiments_; }

  /// Returns the object to print. If a text of the document has control characters, returns a copy
  /// in which readable text replaces them (normbench::visible()). Otherwise returns `*this`.
  const Analysed& visible() const { return visible_ ? *visible_ : *this; }

 private:
  struct IsVisible {};
  /// Constructs the copy in `visible_`, which has no copy of its own.
  Analysed(Results results, IsVisible);

  Results results_;                          // moving `results_` keeps the addresses of its groups
  std::vector<Experiment> experiments_;      // points to the groups in `results_`
  std::unique_ptr<const Analysed> visible_;  // null: no text has control characters
};

}  // namespace normbench
