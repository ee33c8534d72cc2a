/// A profile's tables (torch's and the stats) and the lines below them, in formats for people and
/// programs.
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

/// Shares of machine limits by the names of rows; 1 is all of a limit. Unknown shares are missing.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Returns bytes per nanosecond over all calls, of device time if the row has any, else of host
/// time. Returns nothing if bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// Returns true if the row has times of single calls. Rows of older documents have none.
bool has_percentiles(const ProfileRow& row);

/// Returns the cells of the stats, headers first: name, place, shapes, count, min, p50, p95, max,
/// GB/s, % of limit, faults. A column is left out if it is empty in all shown rows. The place is
/// left out if all rows are the host's.
std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options);

/// Returns true for a column of words, which is aligned left.
bool is_text_column(std::string_view title);

/// Returns the stats as aligned lines; "" without rows.
std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options);

/// Returns the share of the steps' time in which any stream worked, like "GPU busy 97 %". Returns
/// "" without device work.
std::string busy_text(const CaseProfile& profile);

/// Returns a text like "kernel times: CUPTI" or "device times: CUDA events, to within 1.2 us"; ""
/// without any.
std::string device_times_text(const CaseProfile& profile);

/// Returns a text like "2 of 40 launches have no work in the profile; …"; "" if nothing was lost.
std::string losses_text(const ProfileLosses& losses);

/// Returns the lines below a table of either kind: wall, GPU busy, overlap, exposed transfers,
/// gaps, discarded steps, overhead, source of device times, losses. A missing fact has no line.
std::vector<std::string> profile_footers(const CaseProfile& profile);

/// Returns a profile's table, which ends with a line end. Text is for people: torch's table to the
/// byte, or the aligned stats. Below it are the number of rows that the limit left out, and the
/// footers. Markdown has the same as a table and a list. CSV and JSON hold profile_values() and
/// profile_json().
std::string profile_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                          TableFormat format, const TableOptions& options);

/// Returns the shown rows in nanoseconds and bytes, as objects that all have the same members. The
/// members are named as in the results document. A value that a row lacks is null.
std::vector<Json> profile_values(const CaseProfile& profile, const LimitShares& limits,
                                 TableKind kind, const TableOptions& options);

/// Returns {"rows": profile_values(), "totals", "steps", "discarded", "overhead", "device_times",
/// "clock_error_ns", "times", "losses"}. Times and losses are as in the results document.
Json profile_json(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                  const TableOptions& options);

/// Returns the value as indented JSON. Bytes in names that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json);

/// Returns objects with the same members as CSV (RFC 4180), with the members' names in the first
/// line. Returns "" without objects.
std::string csv_text(std::span<const Json> rows);

}  // namespace normbench
