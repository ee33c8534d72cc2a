/// Phrases that the renderings of a comparison share.
#pragma once

#include "analysis/compare/compare.h"

namespace normbench {

/// "1 regressed, 2 improved, 14 same, 3 inconclusive of 20 cases; margin 2.0 %".
std::string comparison_summary(const Comparison& comparison);

/// "quickstart · BASE: 10 runs of 0.1.0 (065fc74) · NEW: … · margin: the least that counts"; with
/// the machine of each side where these differ.
std::string comparison_setting(const Comparison& comparison);

/// "form / fused (batch=8)", without control characters.
std::string case_text(const CaseName& name);
/// "fused (batch=8)".
std::string variant_text(const CaseName& name);

/// "REGRESSED", "IMPROVED", "SAME", each with a "?" when in doubt, "INCONCLUSIVE", "FAILED", "not
/// compared".
std::string verdict_text(const ComparedCase& one);

/// "+8.9 %": a ratio as a change of time; "+8.9 %*" if divided by the limits'; "" without one.
std::string change_text(const ComparedCase& one);
/// The interval of the change, "+7.1 to +9.9 %"; "" without one.
std::string interval_text(const ComparedCase& one);

/// The numbers of a case, "+8.9 % (95 %: +7.1 to +9.9 %), from 1.60 to 1.74 ms; could have seen 2.4
/// %; p = 0.00098", or why there are none. Divided by the limits: "+5.0 % over the limits of the
/// same rounds (…), from 1.60 to 1.74 ms (+8.9 %); …".
std::string case_sentence(const ComparedCase& one);

/// Why the times of a case give no verdict; "" where they do.
std::string why_text(const ComparedCase& one);

/// "torch 2.9: sub, div", "normalize fused".
std::string run_by_text(const RunBy& by);
/// "59.0 MB over the link, was 14.7 MB".
std::string finding_text(const CaseFinding& finding);

/// A difference ("GPU", "config /measure/precision"), and each side's values.
struct DifferenceText {
  std::string what, base, now;

  /// "kernel: Linux 6.1 in BASE, Linux 6.18 in NEW".
  std::string sentence() const;
};
DifferenceText difference_text(const SetupDifference& difference);

/// A value as messages quote it: text as it is, long values cut, null as "absent".
std::string value_text(const Json& value);

std::string margin_reason(const Margin& margin);
std::string caution_text(const Caution& caution);

/// Lines to read before the numbers: differences, first those that forbid a comparison, cautions,
/// and the meaning of "*".
std::vector<std::string> caution_lines(const Comparison& comparison);

}  // namespace normbench
