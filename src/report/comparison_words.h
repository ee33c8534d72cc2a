/// Phrases that the reports of a comparison share.
#pragma once

#include "analysis/compare/compare.h"

namespace normbench {

/// Returns a text like "1 regressed, 2 improved, 5 same, 1 inconclusive of 9 cases; margin 2.0 %".
std::string comparison_summary(const Comparison& comparison);

/// Returns a line with the runs, versions and machines of both sides, and the reason for the
/// margin, like "quickstart · BASE: 10 runs of 0.1.0 (065fc74) · NEW: … · margin: the least that
/// counts".
std::string comparison_setting(const Comparison& comparison);

/// Returns a name like "form / fused (batch=8)", without control characters.
std::string case_text(const CaseName& name);
/// Returns a name like "fused (batch=8)".
std::string variant_text(const CaseName& name);

/// Returns "REGRESSED", "IMPROVED" or "SAME", each with a "?" when in doubt, or "INCONCLUSIVE",
/// "FAILED" or "not compared".
std::string verdict_text(const ComparedCase& one);

/// Returns the change of a case's time, like "+8.9 %"; "" if there is none. A "*" follows if the
/// ratio of the times was divided by the ratio of the limits' times.
std::string change_text(const ComparedCase& one);
/// Returns the interval of the change, like "+7.1 to +9.9 %"; "" if there are too few replicates
/// for an interval.
std::string interval_text(const ComparedCase& one);

/// Returns the numbers of a case:
/// - "+8.9 % (95 %: +7.1 to +9.9 %), from 1.60 to 1.74 ms; could have seen 2.4 %"
/// - if the ratio was divided by the ratio of the limits' times: "+5.0 % over the limits of the
///   same rounds (95 %: …), from 1.60 to 1.74 ms (+8.9 %); could have seen 2.4 %"
/// "; p = 0.00098" follows if the case regressed. Without an interval, returns why_text().
std::string case_sentence(const ComparedCase& one);

/// Returns why the times of a case give no verdict; "" if they give one.
std::string why_text(const ComparedCase& one);

/// Returns what ran a case: a peer and its ops, like "torch 2.9: sub, div", or ops with their
/// kernels, like "normalize fused".
std::string run_by_text(const RunBy& by);
/// Returns a change other than that of the time, like "59.0 MB over the link, was 14.7 MB".
std::string finding_text(const CaseFinding& finding);

/// A difference between the setups of BASE and NEW: its name, like "GPU" or "config
/// /measure/precision", and both values.
struct DifferenceText {
  std::string what, base, now;

  /// Returns a text like "kernel: Linux 6.1 in BASE, Linux 6.18 in NEW".
  std::string sentence() const;
};
DifferenceText difference_text(const SetupDifference& difference);

/// Returns a JSON value for a message: a string without quotes, null as "absent", others as JSON.
/// The text is cut at 60 bytes.
std::string value_text(const Json& value);

std::string margin_reason(const Margin& margin);
std::string caution_text(const Caution& caution);

/// Returns the lines to read before the numbers: differences that forbid a comparison, other
/// differences, cautions, and the meaning of "*" if a case has one.
std::vector<std::string> caution_lines(const Comparison& comparison);

}  // namespace normbench
