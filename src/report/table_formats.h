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

/// The share of its limit that each row reaches, by the name of the row; 1 is the whole limit. Rows
/// with an unknown share are missing.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Returns the bytes of all calls per nanosecond of their device time, or of their host time if the
/// row has no device time. Returns nothing if bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// Returns true if the row has the minimum, percentiles and maximum of its calls' times. Rows of
/// older documents have none.
bool has_percentiles(const ProfileRow& row);

/// Returns the cells of the stats table, headers first: name, place, shapes, count, min, p50, p95,
/// max, GB/s, % of limit, faults. A column is left out if it is empty in all shown rows, and the
/// place also if all rows are the host's.
std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options);

/// Returns true if the column with this title holds words, which are aligned left.
bool is_text_column(std::string_view title);

/// Returns the stats table as aligned lines; "" without rows.
std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options);

/// Returns the share of the steps' time in which any stream worked, like "GPU busy 97 %". Returns
/// "" without device work.
std::string busy_text(const CaseProfile& profile);

/// Returns where the device times come from, like "kernel times: CUPTI" or "device times: CUDA
/// events, to within 1.2 us"; "" without device times.
std::string device_times_text(const CaseProfile& profile);

/// Returns a text like "2 of 40 launches have no work in the profile; …"; "" if nothing was lost.
std::string losses_text(const ProfileLosses& losses);

/// Returns the lines below a table of either kind: wall, GPU busy, overlap, exposed transfers,
/// gaps, discarded steps, overhead, source of device times, losses. A missing fact has no line.
std::vector<std::string> profile_footers(const CaseProfile& profile);

/// Returns a profile's table:
/// - Text: torch's table, the same in every byte, or the aligned stats table; then the number of
///   rows that the limit left out, and profile_footers()
/// - Markdown: the same, as a table and a list
/// - Csv: profile_values()
/// - Json: profile_json()
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

/// Returns the objects as CSV (RFC 4180). All must have the same members, whose names are in the
/// first line. Returns "" without objects.
std::string csv_text(std::span<const Json> rows);

}  // namespace normbench
