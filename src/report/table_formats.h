/// The two tables of a profile and the lines below them, as text, Markdown, CSV and JSON. One table
/// is torch.profiler's. The other one, the stats table, has percentiles, rates and shares of limits
/// of the calls.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "report/torch_table.h"

namespace normbench {

enum class TableKind { Torch, Stats };
constexpr auto words(TableKind) {
  return std::to_array<Word<TableKind>>({{TableKind::Torch, "torch"}, {TableKind::Stats, "stats"}});
}
enum class TableFormat { Text, Csv, Json, Markdown };
constexpr auto words(TableFormat) {
  return std::to_array<Word<TableFormat>>({{TableFormat::Text, "text"},
                                           {TableFormat::Csv, "csv"},
                                           {TableFormat::Json, "json"},
                                           {TableFormat::Markdown, "markdown"}});
}

/// Maps the name of a row of a profiler table to a share: the least time that the machine needs for
/// the row's work, divided by the time that the row took. 1 means that the row is as fast as the
/// machine allows. Rows with an unknown share are not in the map.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Returns the bytes of all calls per nanosecond of their device time, or of their host time if the
/// row has no device time. Returns nothing if bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// Returns true if the row has the minimum, percentiles and maximum of its calls' times. Rows of
/// older documents have none.
bool has_percentiles(const ProfileRow& row);

/// Returns the cells of the stats table, headers first: name, place, shapes, count, min, p50, p95,
/// max, GB/s, % of limit, faults. A column is left out if it is empty in all shown rows. The column
/// "place" is also left out if all rows are of the host.
std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options);

/// Returns true if the column with this title has text in its cells, which is aligned left.
bool is_text_column(std::string_view title);

/// Returns the stats table, with the cells of stats_cells(), as aligned lines. Returns "" if there
/// are no rows.
std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options);

/// Returns the share of the time of the profiled steps in which any stream worked, like "GPU busy
/// 97 %". Returns "" if the profile has no device work.
std::string busy_text(const CaseProfile& profile);

/// Returns where the device times come from, like "kernel times: CUPTI" or "device times: CUDA
/// events, to within 1.2 us". Returns "" if the profile has no device times.
std::string device_times_text(const CaseProfile& profile);

/// Returns what the recording of a profile lost, like "2 of 40 launches have no work in the
/// profile; ...", or "" if nothing was lost.
std::string losses_text(const ProfileLosses& losses);

/// Returns the lines below a profiler table: wall time, GPU busy, overlap, exposed transfers, gaps,
/// discarded steps, overhead, source of device times, losses. A missing fact has no line.
std::vector<std::string> profile_footers(const CaseProfile& profile);

/// Returns the table of a profile:
/// - Text: torch's table as PyTorch prints it, or the aligned stats table. Below it are the number
///   of rows that `row_limit` hides, and profile_footers().
/// - Markdown: the same content. The lines below the table are a list.
/// - Csv: profile_values()
/// - Json: profile_json()
std::string profile_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                          TableFormat format, const TableOptions& options);

/// Returns the rows that the table shows, each as a JSON object, with times in ns and memory in
/// bytes. All objects have the same members, which are named as in the results document. Unknown
/// values are null.
std::vector<Json> profile_values(const CaseProfile& profile, const LimitShares& limits,
                                 TableKind kind, const TableOptions& options);

/// Returns {"rows": profile_values(), "totals", "steps", "discarded", "overhead", "device_times",
/// "clock_error_ns", "times", "losses"}. Times and losses are as in the results document.
Json profile_json(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                  const TableOptions& options);

/// Returns the value as indented JSON. Bytes in names that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json);

/// Returns the objects as CSV (RFC 4180). All objects must have the same members. The first line
/// has the names of the members. Returns "" if there are no objects.
std::string csv_text(std::span<const Json> rows);

}  // namespace normbench
