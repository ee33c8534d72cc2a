/// Texts about what sets the time of a case, and about differences between cases.
#pragma once

#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// Returns the name of what differs between two cases, like "constants", "output of div" or "dtype
/// of the source".
std::string factor_name(const Factor& factor);
/// Returns the name with both values, like "constants (per_call, cached)"; only the name if a value
/// is longer than 32 bytes.
std::string factor_text(const Factor& factor);
/// Returns a list like "constants, output of div".
std::string factor_names(std::span<const Factor> factors);

/// A cause in words:
/// - `name`: its key in documents, like "page faults", "link" or the label of a stage
/// - `what`: the cause as part of a sentence, like "the link"
/// - `evidence`: a sentence with its numbers, like "86 % of its time is …"
/// All three are empty for a `Cause` without a finding.
struct CauseText {
  std::string name, what, evidence;

  /// Returns a text like "page faults. 54,002 a batch at …"; "" without a cause.
  std::string sentence() const;
  /// Returns a text like "Bound by page faults: 54,002 a batch at …", or, if `name` is "eager",
  /// "eager is bound by page faults: 54,002 a batch at …".
  std::string bound(std::string_view name = "") const;
};
CauseText cause_text(const Cause& cause);

/// Returns the name of what bounds a pipeline: "cores", "memory", or the name of a lane.
std::string bound_name(const PipelineBound& bound);

/// Returns a sentence like "91 % of its time is the copy, so a faster kernel gains at most 9 %."
std::string gain_text(const Gain& gain);

/// Returns a clause on the factors in which two cases differ, and on how much of the difference
/// comes from each, like "they differ in 2 factors: constants, output of div; it comes from output
/// of div (1.91x), constants alone at most 1.2 %". Returns "" without a caveat.
std::string caveat_text(const std::optional<Caveat>& caveat);

/// Returns a sentence like "Pinning pays from 14 reuses of a buffer on (pin 18 ms, saves 1.3 ms a
/// batch).", or that pinning does not pay.
std::string pinning_text(const PinningCost& cost);

/// Returns a sentence like "Making the files of npy took 12.3 s: that pays from epoch 4 on (4.1 s
/// saved in each)."
std::string preparing_text(const GroupResult& group, const PreparingCost& cost);

}  // namespace normbench
