/// Renderings of a comparison: pure functions, one row each.
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

/// text (for a terminal), markdown (for a pull request's comment), html (a page), json, junit.
std::span<const ComparisonReport> comparison_reports();
/// The row called `name`. Throws Invalid listing the known ones.
const ComparisonReport& comparison_report_named(std::string_view name);

/// The summary, a table as wide as the screen with the worst case first, then what regressed in
/// words, findings, and cases of one side only.
std::string comparison_text(const Comparison& comparison, const Screen& screen = {});

/// The same as GitHub and GitLab show it: cases that are not the same in a table, the rest folded.
std::string comparison_markdown(const Comparison& comparison);

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

/// JUnit XML that Jenkins' xUnit plugin and Maven Surefire have schemas of (seconds with three
/// decimals; the numbers are in system-out): a test suite an experiment, a test case a case.
/// Failures are what fails the gate; skipped are cases that are not decided beyond doubt, were not
/// compared, or are on one side only.
std::string comparison_junit(const Comparison& comparison);

/// `text` as the value of an attribute in double quotes, or between tags: markup escaped, tabs and
/// line ends as references, other control characters and broken UTF-8 as on_one_line() has them, and
/// what else XML 1.0 cannot hold as U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
