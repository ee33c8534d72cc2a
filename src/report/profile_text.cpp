#include "report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/words.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/text.h"
#include "trace/profile_table.h"

namespace normbench {

namespace {

constexpr std::int64_t kFewestRows = 3, kMostRows = 8;

/// Left out where device columns need the room.
const std::set<std::string> kSecondary{"Self CPU %", "CPU total %", "CPU time avg", "Self CUDA %",
                                       "CUDA time avg"};

const CaseProfile* profile_of(const GroupResult& group, const std::string& variant) {
  const auto at = std::ranges::find(group.profile, variant, &CaseProfile::variant);
  if (at != group.profile.end() && !at->rows.empty()) return &*at;
  for (const CaseProfile& profile : group.profile)
    if (!profile.rows.empty()) return &profile;
  return nullptr;
}

std::vector<Column> narrow_columns(const CaseProfile& profile, const Results& results,
                                   std::ptrdiff_t most_rows) {
  std::int64_t limit = std::clamp<std::int64_t>(most_rows, kFewestRows, kMostRows);
  if (row_limit(results) >= 0) limit = std::min(limit, row_limit(results));
  const auto cells = profile_cells(profile.rows, sort_by(results), limit);
  const bool device = std::ranges::find(cells[0], "Self CUDA") != cells[0].end();
  std::vector<Column> columns;
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    if (cells[0][c] == "Input Shapes" || (device && kSecondary.contains(cells[0][c]))) continue;
    Column& column = columns.emplace_back(Column{cells[0][c], {}});
    for (std::size_t row = 1; row < cells.size(); ++row) column.cells.push_back(cells[row][c]);
  }
  return columns;
}

}  // namespace

std::string shown_profile(const Experiment& experiment, const Results& results,
                          std::ptrdiff_t most_rows) {
  const bool swept = experiment.groups.size() > 1;
  const GroupResult& group = *experiment.groups.back();
  const std::string& winner = experiment.analyses.back().verdict.winner;
  const CaseProfile* profile =
      profile_of(group, swept && !winner.empty() ? winner : group.baseline);
  if (profile == nullptr) return "";
  std::string title = "Profile of " + spoken(profile->variant);
  if (swept) title += ", " + point_text(group.point);
  title += fmt::format(" ({} steps", profile->steps);
  if (profile->overhead > 0)
    title += fmt::format(", {} the measured time", factor(profile->overhead));
  title += "; all profiles are in table.txt)";
  const std::string below = profile_totals(profile->rows) + clock_error_text(*profile);
  most_rows -= std::ranges::count(below, '\n') - 1;
  return wrapped(title, 0) + columns_text(narrow_columns(*profile, results, most_rows), 2) + below;
}

}  // namespace normbench
