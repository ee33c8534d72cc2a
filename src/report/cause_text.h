/// Texts about what determines the time of a case, and about the differences between cases.
#pragma once

#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// Returns the name of a factor in which two cases differ, like "constants", "output of div" or
/// "dtype of the source".
std::string factor_name(const Factor& factor);
/// Returns the name of a factor with its values in the two compared cases, like "constants
/// (per_call, cached)". If a value is longer than 32 bytes, returns only the name.
std::string factor_text(const Factor& factor);
/// Returns the names of the factors as a list, like "constants, output of div".
std::string factor_names(std::span<const Factor> factors);

/// The texts of a cause, which explains the time of a case. All three are empty if the `Cause` is
/// empty.
/// - `name`: the cause as a key in documents, like "page faults", "link" or the label of a stage
/// - `what`: the cause as part of a sentence, like "the link"
/// - `evidence`: a sentence with the numbers that show the cause, like "86 % of its time is ..."
struct CauseText {
  std::string name, what, evidence;

  /// Returns a text like "page faults. 54,002 a batch at ...", or "" if there is no cause.
  std::string sentence() const;
  /// Returns a text like "Bound by page faults: 54,002 a batch at ...", or, if `name` is "eager",
  /// "eager is bound by page faults: 54,002 a batch at ...".
  std::string bound(std::string_view name = "") const;
};
CauseText cause_text(const Cause& cause);

/// Returns the name of what bounds a pipeline: "cores", "memory", or the name of its slowest lane
/// (a group of stages).
std::string bound_name(const PipelineBound& bound);

/// Returns a sentence like "91 % of its time is the copy, so a faster kernel gains at most 9 %."
std::string gain_text(const Gain& gain);

/// Returns a clause with the factors in which two cases differ, and with the effect of each, like
/// "they differ in 2 factors: constants, output of div; it comes from output of div (1.91x),
/// constants alone at most 1.2 %". Returns "" if there is no caveat.
std::string caveat_text(const std::optional<Caveat>& caveat);

/// Returns a sentence like "Pinning pays from 14 reuses of a buffer on (pin 18 ms, saves 1.3 ms a
/// batch)." If pinning saves no time beyond the noise, returns "Pinning does not pay here: ..."
std::string pinning_text(const PinningCost& cost);

/// Returns a sentence on when it pays to prepare a dataset, like "Making the files of npy took
/// 12.3 s: that pays from epoch 4 on (4.1 s saved in each)."
std::string preparing_text(const GroupResult& group, const PreparingCost& cost);

}  // namespace normbench
