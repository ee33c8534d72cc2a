/// Renderings of a comparison: pure functions, a row each.
#pragma once

#include <span>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/text.h"

namespace normbench {

struct ComparisonReport {
  std::string_view name, about;
  std::string (*render)(const Comparison&, const Screen&);  // for a file: Screen{}
};

/// The rows text (for a terminal), markdown (for a comment on a pull request), html, json, junit.
std::span<const ComparisonReport> comparison_reports();
/// The row called `name`. Throws Invalid listing the known ones.
const ComparisonReport& comparison_report_named(std::string_view name);

/// The comparison as text: the summary, a table as wide as the screen with the worst case first,
/// then regressions in words, findings, and cases of one side only.
std::string comparison_text(const Comparison& comparison, const Screen& screen = {});

/// The comparison for GitHub and GitLab: cases that changed in a table, the others folded.
std::string comparison_markdown(const Comparison& comparison);

/// A file such as html_report() makes: the outcome first, then every case with BASE and NEW side by
/// side and its change drawn beside the margin, the worst first.
std::string comparison_html(const Comparison& comparison);

/// {"schema": 1, "kind": "comparison", "name", "clock", "gate": "passed|regressed|undecided",
///  "base": {"runs", "tool", "environment"}, "new": {…}, "pairs", "pairs_needed",
///  "replicates": "runs|rounds", "margin", "margin_reason",
///  "summary": {"cases", "failed", "regressed", …, "fails_gate"},
///  "differences": [{"what", "base", "new", "forbids"}], "warnings": ["…"],
///  "cases": [{"experiment", "point", "variant", "verdict": "failed|regressed|inconclusive|
///    not_compared|improved|same", "certain", "base_ns", "new_ns", "ratio": {"value", "low",
///    "high"}, "ratio_over_limits": {…}, "visible", "drift", "p_value", "replicates", "why",
///    "findings": [{"kind", "base", "new", "text"}]}],
///  "base_only": [{"experiment", "point", "variant"}], "new_only": […]}. The worst case is first;
/// failed and regressed ones that are "certain" fail the gate. "ratio" is new time over base time;
/// where there is "ratio_over_limits", the same over the ratio of the limits of the same rounds, it
/// decides. Times are medians per iteration, relative changes fractions; null is what is not known.
std::string comparison_json(const Comparison& comparison);

/// JUnit XML by the schemas of Jenkins' xUnit plugin and Maven Surefire (seconds with three
/// decimals; numbers are in system-out): a test suite for each experiment, a test case for each
/// case. Failures are cases that fail the gate. Skipped are cases whose verdict is in doubt, that
/// were not compared, or that are on one side only.
std::string comparison_junit(const Comparison& comparison);

/// `text` for an attribute in double quotes, or between tags: markup is escaped, tabs and line ends
/// are references, other control characters and broken UTF-8 become what on_one_line() makes of
/// them, and all else that XML 1.0 cannot hold becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
