/// Documents together with what their measurements mean.
#pragma once

#include <memory>
#include <vector>

#include "analysis/sweep/sweep.h"

namespace normbench {

/// A document and its analysis. It is made once, where the document is read or measured, and all
/// reports are made of it.
class Analysed {
 public:
  explicit Analysed(Results results);

  const Results& results() const { return results_; }
  const std::vector<Experiment>& experiments() const { return experiments_; }

  /// What text is made of: every control character in it is readable (see normbench::visible()).
  const Analysed& visible() const { return visible_ ? *visible_ : *this; }

 private:
  Results results_;                          // its groups stay where they are when it moves
  std::vector<Experiment> experiments_;      // of these groups
  std::unique_ptr<const Analysed> visible_;  // null: every text is readable as it is
};

}  // namespace normbench
