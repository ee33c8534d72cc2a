/// The reports of a comparison.
#pragma once

#include <span>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/text.h"

namespace normbench {

struct ComparisonReport {
  std::string_view name, about;
  std::string (*render)(const Comparison&, const Screen&);  // Screen{} for a file
};

/// Returns the reports: text (for a terminal), markdown (for a comment on a pull request), html,
/// json, junit.
std::span<const ComparisonReport> comparison_reports();
/// Returns the report called `name`. If there is none, throws Invalid, which lists the known names.
const ComparisonReport& comparison_report_named(std::string_view name);

/// Returns the comparison as text: the summary, a table as wide as the screen with the worst case
/// first, a sentence for each case that failed, regressed or has no verdict, findings other than
/// times, and cases that only one side has.
std::string comparison_text(const Comparison& comparison, const Screen& screen = {});

/// Returns the comparison as Markdown for GitHub and GitLab. Cases that are the same, or that BASE
/// did not measure, are in folded tables. All other cases are in a table in sight.
std::string comparison_markdown(const Comparison& comparison);

/// Returns the comparison as an HTML page: the outcome, then a table of all cases with the times of
/// BASE and NEW, the worst case first. Each row has a drawing of the change beside the margin.
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
/// - The worst case is first. A case with "failed" or "regressed" fails the gate if it is
///   "certain".
/// - Times are medians per iteration, in ns. "ratio" is the new time over the base time.
/// - "ratio_over_limits" is "ratio" over the ratio of the times of the machine's limits in the same
///   rounds. It decides the verdict if it is not null.
/// - "margin", "visible" and "drift" are fractions: 0.02 is 2 %. Unknown values are null.
std::string comparison_json(const Comparison& comparison);

/// Returns JUnit XML that is valid by the schemas of Jenkins' xUnit plugin and Maven Surefire. A
/// test suite is an experiment, and a test case is a case, with its numbers in system-out. A case
/// that fails the gate is a failure. A case is skipped if its verdict is in doubt, if it was not
/// compared, or if only one side has it.
std::string comparison_junit(const Comparison& comparison);

/// Returns `text` escaped for an attribute in double quotes, or for text between tags. Markup, tabs
/// and line ends become references. Other control characters, and bytes that are not UTF-8, become
/// escape sequences like "\u001b". Other characters that XML 1.0 forbids become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
