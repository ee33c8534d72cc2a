/// Phrases that the reports of a comparison share. A comparison has two sides, BASE and NEW.
#pragma once

#include "analysis/compare/compare.h"

namespace normbench {

/// Returns a text like "1 regressed, 2 improved, 5 same, 1 inconclusive of 9 cases; margin 2.0 %".
std::string comparison_summary(const Comparison& comparison);

/// Returns a line with the name of the config, the runs, versions and machines of both sides, and
/// what the margin comes from, like "--margin" or "measure.precision of the config". The margin is
/// the largest change that counts as no change.
std::string comparison_setting(const Comparison& comparison);

/// Returns experiment, variant and point of a case, like "form / fused (batch=8)", without control
/// characters.
std::string case_text(const CaseName& name);
/// Returns variant and point of a case, like "fused (batch=8)".
std::string variant_text(const CaseName& name);

/// Returns "INCONCLUSIVE", "FAILED", "not compared", "REGRESSED", "IMPROVED" or "SAME". The last
/// three have a "?" if they are not certain.
std::string verdict_text(const ComparedCase& one);

/// Returns the change of a case's time, like "+8.9 %", or "" if there is no ratio. A "*" follows if
/// the change of the machine's limits in the same rounds was divided out. If the median times of
/// BASE and NEW contradict the ratio, " (by ms -12 %)" follows.
std::string change_text(const ComparedCase& one);
/// Returns the 95 % interval of the change, like "+7.1 to +9.9 %", or "" if there are too few pairs
/// of runs or rounds for an interval.
std::string interval_text(const ComparedCase& one);

/// Returns the numbers of a case:
/// - "+8.9 % (95 %: +7.1 to +9.9 %), from 1.60 to 1.74 ms; could have seen 2.4 %"
/// - if the change of the machine's limits was divided out: "+5.0 % over the limits of the same
///   rounds (95 %: ...), from 1.60 to 1.74 ms (+8.9 %); could have seen 2.4 %"
/// If the case regressed, "; p = 0.00098" follows. If there is no interval, returns why_text().
std::string case_sentence(const ComparedCase& one);

/// Returns why the times of a case give no verdict, or "" if they do.
std::string why_text(const ComparedCase& one);

/// Returns what ran the stages of a case: a peer (an external program) and its ops, like "torch
/// 2.9: sub, div", or normbench's ops and kernels, like "normalize fused".
std::string run_by_text(const RunBy& by);
/// Returns a finding as text, like "59.0 MB over the link, was 14.7 MB". Findings are differences
/// between BASE and NEW in the bytes moved, the page faults, the kernels and the like.
std::string finding_text(const CaseFinding& finding);

/// A difference between the setups of BASE and NEW. `what` is its name, like "GPU" or "config
/// /measure/precision". `base` and `now` are the two values.
struct DifferenceText {
  std::string what, base, now;

  /// Returns a text like "kernel: Linux 6.1 in BASE, Linux 6.18 in NEW".
  std::string sentence() const;
};
DifferenceText difference_text(const SetupDifference& difference);

/// Returns a JSON value as text for a message. A string has no quotes, null is "absent", and other
/// values are JSON. The text is cut to 60 bytes.
std::string value_text(const Json& value);

std::string margin_reason(const Margin& margin);
std::string caution_text(const Caution& caution);

/// Returns lines that a reader should see before the numbers: differences that forbid a comparison,
/// other differences, and cautions. If the change of a case is shown with "*" or "by ms", a line
/// explains this mark.
std::vector<std::string> caution_lines(const Comparison& comparison);

}  // namespace normbench
