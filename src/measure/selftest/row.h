/// Rows under test, and how what is found of them comes together.
#pragma once

#include <functional>
#include <string>

#include "measure/selftest/selftest.h"
#include "measure/selftest/trial.h"

namespace normbench::selftest {

/// A row that is chosen, and what is found of it.
struct Candidate {
  const Kernel* kernel = nullptr;
  RowFinding finding = {};
  bool stopped = false;  // it threw: its other cases are not run
  bool done = false;     // all its cases were run, or it stopped
};

/// A row's case that was run. `bound`: nothing when the op's values are undefined.
struct Ran {
  Judged judged;
  std::optional<double> bound;
};

/// Offers a row a case, called `words`; runs it when the row accepts. A row that throws is stopped,
/// and the place looked after.
void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run);

/// Notes a failure; the first one's words are kept.
void fail(RowFinding& finding, const std::string& words);

}  // namespace normbench::selftest
