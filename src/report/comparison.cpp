#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/issue.h"

namespace normbench {
namespace {

constexpr std::array<ComparisonReport, 4> kReports{{
    {"text", "a table for people", &comparison_text},
    {"markdown", "a comment for a pull request", &comparison_markdown},
    {"json", "everything, for programs", &comparison_json},
    {"junit", "test results, as CI systems read them", &comparison_junit},
}};

}  // namespace

std::span<const ComparisonReport> comparison_reports() { return kReports; }

const ComparisonReport& comparison_report_named(std::string_view name) {
  const auto at = std::ranges::find(kReports, name, &ComparisonReport::name);
  if (at != kReports.end()) return *at;
  std::string known;
  for (const ComparisonReport& report : kReports)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", report.name);
  throw Invalid(fmt::format("unknown format \"{}\" (known: {})", name, known));
}

}  // namespace normbench
