/// Facts about a whole document that the analysis of a single group needs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// A document with tables in which the analyses of its groups look up facts about other groups.
/// Points to the document.
class MeasuredDocument {
 public:
  /// The constructor is implicit, so that analyse(group, results) can be called with the Results of
  /// a document.
  MeasuredDocument(const Results& results);

  const Results& results() const { return results_; }

  /// Returns the groups of the same experiment that have the same values on all axes other than
  /// `axis`, in the order of the document. `group` itself is one of them.
  std::vector<const GroupResult*> along(const GroupResult& group, const std::string& axis) const;

  /// Returns the time in ns to start and join a team of this many threads, taken from a case that
  /// does nothing else. Returns nothing if the document has no such case.
  std::optional<double> team_ns(int threads) const;

 private:
  const Results& results_;
  std::map<std::string, std::vector<const GroupResult*>> along_;
  std::map<int, double> team_ns_;
};

/// Returns true for an empty launch, which starts teams of threads or kernels that do nothing.
bool is_launch(const StageResult& stage);

/// Returns the number of teams of threads that a case starts per iteration: `count` for an empty
/// launch, one for every other stage on the host.
double teams(const CaseResult& result);

}  // namespace normbench
