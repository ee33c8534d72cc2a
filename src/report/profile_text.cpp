#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "core/units.h"
#include "report/profile_report.h"
#include "report/words.h"

namespace normbench {
namespace {

constexpr std::int64_t kFewestRows = 3, kMostRows = 8;

/// Columns of torch's table that are left out if the table has columns about a device.
const std::set<std::string> kSecondary{"Self CPU %", "CPU total %", "CPU time avg", "Self CUDA %",
                                       "CUDA time avg"};

const CaseProfile* profile_of(const GroupResult& group, const std::string& variant) {
  const CaseProfile* const own = find_profile(group, variant);
  if (own != nullptr && !own->rows.empty()) return own;
  for (const CaseProfile& profile : group.profile)
    if (!profile.rows.empty()) return &profile;
  return nullptr;
}

struct Shown {
  const GroupResult& group;
  const GroupAnalysis& analysis;
  const CaseProfile& profile;
  bool has_device;
};

/// Returns the rows without annotations on devices. Such an annotation is a range around work, and
/// the work has rows of its own.
std::vector<ProfileRow> rows_of(const CaseProfile& profile) {
  std::vector<ProfileRow> rows = profile.rows;
  std::erase_if(rows,
                [](const ProfileRow& row) { return row.annotation && row.place != Place::Cpu; });
  return rows;
}

std::vector<std::vector<std::string>> cells_of(const Shown& shown, TableKind kind,
                                               const TableOptions& options) {
  const std::vector<ProfileRow> rows = rows_of(shown.profile);
  if (kind == TableKind::Torch) return torch_cells(rows, options);
  return stats_cells(rows, limit_shares(shown.group, shown.analysis, shown.profile.variant),
                     options);
}

/// Lays the cells out as columns. Columns for which the screen has no room are left out. Names of
/// kernels are long. They are aligned left, so that a name that is cut keeps its beginning.
std::string narrow_table(const std::vector<std::vector<std::string>>& cells, TableKind kind,
                         bool has_device, const Screen& screen) {
  static constexpr auto spare =
      std::to_array<std::string_view>({"CPU total %", "CPU time avg", "Self CPU %", "# of Calls",
                                       "max", "min", "p95", "faults", "Self CPU"});
  std::vector<Column> columns;
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    const std::string& title = cells[0][c];
    if (title == "Input Shapes" || title == "shapes") continue;
    if (has_device && kSecondary.contains(title)) continue;
    Column& column = columns.emplace_back(Column{title, {}});
    column.is_text = kind == TableKind::Stats ? is_text_column(title) : c == 0 && has_device;
    if (const auto at = std::ranges::find(spare, title); at != spare.end())
      column.spare = static_cast<int>(at - spare.begin()) + 1;
    for (std::size_t row = 1; row < cells.size(); ++row) column.cells.push_back(cells[row][c]);
  }
  return columns_text(std::move(columns), 2, screen.width);
}

std::string title_of(const Shown& shown, bool swept, std::size_t width) {
  std::string title = swept ? profile_title(shown.group, shown.profile)
                            : "Profile of " + spoken(shown.profile.variant);
  title += fmt::format(" ({}", counted(shown.profile.steps, "step"));
  if (shown.profile.overhead > 0)
    title += fmt::format(", {} the measured time", factor(shown.profile.overhead));
  return wrapped(title + ")", 0, width);
}

/// Returns a line with the total of the self times on the device, and a line about lost records if
/// there are any. Without device times, returns the total of the self times on the CPU.
std::string lines_below(const CaseProfile& profile, std::size_t width) {
  const AllRows all = all_rows(profile.rows);
  if (!all.has_device) return fmt::format("Self CPU time total: {}\n", time_text(all.self_cpu_ns));
  std::string line = "Self CUDA time total: " + time_text(all.device_ns());
  for (const std::string& more : {busy_text(profile), device_times_text(profile)})
    if (!more.empty()) line += " · " + more;
  const std::string lost = losses_text(profile.losses);
  return wrapped(line, 0, width) + (lost.empty() ? "" : wrapped("Lost: " + lost, 0, width));
}

}  // namespace

std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen) {
  const bool swept = experiment.groups.size() > 1;
  const GroupResult& group = *experiment.groups.back();
  const GroupAnalysis& analysis = experiment.analyses.back();
  const std::string& winner = analysis.verdict.winner;
  const CaseProfile* profile =
      profile_of(group, swept && !winner.empty() ? winner : group.baseline);
  if (profile == nullptr) return "";
  const Shown shown{group, analysis, *profile, all_rows(profile->rows).has_device};
  const std::size_t width = prose_width(screen);
  const std::string title = title_of(shown, swept, width), below = lines_below(*profile, width);

  TableOptions options = table_options(results);
  options.max_name_width = 0;
  // `around` counts 2 further lines: the headers, and the line about left-out rows.
  const auto around = std::ranges::count(title + below, '\n') + 2;
  const std::int64_t rows = std::clamp<std::int64_t>(most_lines - around, kFewestRows, kMostRows);
  options.row_limit = options.row_limit < 0 ? rows : std::min(rows, options.row_limit);
  const auto cells = cells_of(shown, kind, options);
  const std::int64_t left = std::ssize(rows_of(*profile)) - (std::ssize(cells) - 1);
  const std::string more =
      left > 0 ? wrapped(fmt::format("{} left out: --table torch of normbench report has all",
                                     counted(left, "row")),
                         2, width)
               : "";
  return title + narrow_table(cells, kind, shown.has_device, screen) + more + below;
}

}  // namespace normbench
