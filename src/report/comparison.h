/// The reports of a comparison of two versions of the same measurements, BASE and NEW.
#pragma once

#include <span>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/text.h"

namespace normbench {

struct ComparisonReport {
  std::string_view name, about;
  std::string (*render)(const Comparison&, const Screen&);  // use Screen{} for a file
};

/// Returns the reports: text (for a terminal), markdown (for a comment on a pull request), html,
/// json and junit.
std::span<const ComparisonReport> comparison_reports();
/// Returns the report called `name`. If there is none, throws Invalid with the known names.
const ComparisonReport& comparison_report_named(std::string_view name);

/// Returns the comparison as text, in this order:
/// - the summary
/// - a table that fits the screen, with the worst case first
/// - a sentence for each case that failed, regressed, or is inconclusive for a known reason
/// - the cases that were not compared
/// - what else changed between BASE and NEW, like page faults or kernels
/// - the cases that are only in BASE or only in NEW
std::string comparison_text(const Comparison& comparison, const Screen& screen = {});

/// Returns the comparison as Markdown for GitHub and GitLab. Two tables are folded: the cases with
/// the verdict "same", and the cases that BASE did not measure. The table of all other cases is
/// visible.
std::string comparison_markdown(const Comparison& comparison);

/// Returns the comparison as an HTML page: the outcome, then a table of all cases with the times of
/// BASE and NEW, the worst case first. In each row, a bar shows the change relative to the margin.
std::string comparison_html(const Comparison& comparison);

/// Returns the comparison as JSON:
/// {"schema": 1, "kind": "comparison", "name", "clock", "gate": "passed|regressed|undecided",
///  "base": {"runs", "tool", "environment"}, "new": {...}, "pairs", "pairs_needed",
///  "replicates": "runs|rounds", "margin", "margin_reason",
///  "summary": {"cases", "failed", "regressed", ..., "fails_gate"},
///  "differences": [{"what", "base", "new", "forbids"}], "warnings": ["..."],
///  "cases": [{"experiment", "point", "variant", "verdict": "failed|regressed|inconclusive|
///    not_compared|improved|same", "certain", "base_ns", "new_ns", "ratio": {"value", "low",
///    "high"}, "ratio_over_limits": {...}, "visible", "drift", "p_value", "replicates", "why",
///    "findings": [{"kind", "base", "new", "text"}]}],
///  "base_only": [{"experiment", "point", "variant"}], "new_only": [...]}.
/// - The worst case is first. A case with "failed" or "regressed" fails the gate if it is
///   "certain".
/// - Times are medians per iteration, in ns. "ratio" is the new time over the base time.
/// - "ratio_over_limits" is "ratio" divided by the ratio of the times of the machine's limits (like
///   memory streams), which were measured in the same rounds. If it is not null, it decides the
///   verdict.
/// - "margin" is the largest change that counts as no change, "visible" is the smallest change that
///   would have been found, and "drift" is the largest change of the case's limits. They are
///   fractions: 0.02 is 2 %. Unknown values are null.
std::string comparison_json(const Comparison& comparison);

/// Returns JUnit XML that is valid by the schemas of Jenkins' xUnit plugin and Maven Surefire.
/// - Each experiment is a test suite, and each case is a test case with its numbers in system-out.
/// - A case that certainly failed or regressed is a failure.
/// - A case is reported as skipped if its verdict is not certain, if it was not compared, or if
///   only one side has it.
std::string comparison_junit(const Comparison& comparison);

/// Returns `text` escaped for an attribute in double quotes, or for text between tags. Markup
/// characters, tabs and line ends become character references. Other control characters and bytes
/// that are not UTF-8 become escape sequences like "\u001b". All other characters that XML 1.0
/// forbids become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
