/// The reports of a comparison. Each is a pure function, and a row of a table.
#pragma once

#include <span>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/text.h"

namespace normbench {

struct ComparisonReport {
  std::string_view name, about;
  std::string (*render)(const Comparison&, const Screen&);  // a file gets Screen{}
};

/// Returns the reports: text (for a terminal), markdown (for a comment on a pull request), html,
/// json, junit.
std::span<const ComparisonReport> comparison_reports();
/// Returns the report called `name`. Throws Invalid listing the known ones.
const ComparisonReport& comparison_report_named(std::string_view name);

/// Returns the comparison as text: the summary, a table, regressions in words, findings, and cases
/// that only one side has. The table is as wide as the screen, with the worst case first.
std::string comparison_text(const Comparison& comparison, const Screen& screen = {});

/// Returns the comparison for GitHub and GitLab. Cases that changed are in a table, other cases are
/// folded.
std::string comparison_markdown(const Comparison& comparison);

/// Returns a page such as html_report() makes: the outcome, then every case with BASE and NEW side
/// by side, the worst first. The change of each case is drawn beside the margin.
std::string comparison_html(const Comparison& comparison);

/// Returns the comparison as JSON:
/// {"schema": 1, "kind": "comparison", "name", "clock", "gate": "passed|regressed|undecided",
///  "base": {"runs", "tool", "environment"}, "new": {…}, "pairs", "pairs_needed",
///  "replicates": "runs|rounds", "margin", "margin_reason",
///  "summary": {"cases", "failed", "regressed", …, "fails_gate"},
///  "differences": [{"what", "base", "new", "forbids"}], "warnings": ["…"],
///  "cases": [{"experiment", "point", "variant", "verdict": "failed|regressed|inconclusive|
///    not_compared|improved|same", "certain", "base_ns", "new_ns", "ratio": {"value", "low",
///    "high"}, "ratio_over_limits": {…}, "visible", "drift", "p_value", "replicates", "why",
///    "findings": [{"kind", "base", "new", "text"}]}],
///  "base_only": [{"experiment", "point", "variant"}], "new_only": […]}.
/// The worst case is first. A case that failed or regressed and is "certain" fails the gate.
/// "ratio" is the new time over the base time. "ratio_over_limits" is "ratio" over the ratio of the
/// limits of the same rounds; it decides if there is one. Times are medians per iteration, in ns.
/// Relative changes are fractions. A value that is not known is null.
std::string comparison_json(const Comparison& comparison);

/// Returns JUnit XML by the schemas of Jenkins' xUnit plugin and Maven Surefire. Seconds have three
/// decimals; the numbers are in system-out. There is a test suite for each experiment, and a test
/// case for each case. A case that fails the gate is a failure. A case is skipped if its verdict is
/// in doubt, if it was not compared, or if it is on one side only.
std::string comparison_junit(const Comparison& comparison);

/// Returns `text` for an attribute in double quotes, or between tags. Markup is escaped, tabs and
/// line ends become references. Other control characters and broken UTF-8 become what on_one_line()
/// makes of them. Other characters that XML 1.0 does not allow become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
