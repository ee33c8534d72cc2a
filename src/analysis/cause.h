/// Why a case takes as long as it does, computed from counters, bytes, stage times and cases that
/// differ in one thing.
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"

namespace normbench {

/// From here on a case counts as running at its limit.
constexpr double at_limit = 0.85;

/// What page faults cost a case with fresh outputs.
struct FaultCost {
  double faults = 0;                // per iteration
  double cost_ns = 0;               // of one fault
  double share = 0;                 // of the case's time
  std::optional<double> reused_ns;  // the same ops with outputs reused, where that was measured
};

/// The cost from the same ops with outputs reused, else from the `first_touch` limit; nothing when
/// neither was measured or the case has no faults.
std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results);

/// A name ("page faults", "decode", "extra passes", "memory", …) and a sentence ("page faults.
/// 54,002 a batch at …"); empty when nothing that was measured explains the time.
struct Cause {
  std::string name, sentence;
  double share = 0;     // of the case's time
  bool proven = false;  // a case that differs in this alone was measured
};

/// "link" for a case whose transfers take most of its time or reach their limit, else empty.
Cause link_cause(const GroupResult& group, const CaseResult& result, const CaseAnalysis& analysis);

Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const Results& results);

}  // namespace normbench
