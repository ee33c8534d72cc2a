/// A document together with its analysis.
#pragma once

#include <memory>
#include <vector>

#include "analysis/sweep/sweep.h"

namespace normbench {

/// A document and its analysis. It is made once, when the document was read or measured. All
/// reports are made from it.
class Analysed {
 public:
  explicit Analysed(Results results);

  const Results& results() const { return results_; }
  const std::vector<Experiment>& experiments() const { return experiments_; }

  /// Returns the object that reports print: a copy in whose texts control characters are readable
  /// (see normbench::visible()), or this object if no text has one.
  const Analysed& visible() const { return visible_ ? *visible_ : *this; }

 private:
  struct IsVisible {};
  /// Makes no copy with readable control characters. A document with a NaN differs from every copy.
  Analysed(Results results, IsVisible);

  Results results_;                          // a move keeps the addresses of its groups
  std::vector<Experiment> experiments_;      // experiments made of the groups in `results_`
  std::unique_ptr<const Analysed> visible_;  // null: no text has control characters
};

}  // namespace normbench
