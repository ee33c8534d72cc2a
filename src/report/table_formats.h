/// A profile's tables, torch's and the stats, with the lines below them, in formats for people and
/// scripts.
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

/// Shares of machine limits, 1 is all of one, by the names of rows; unknown ones are missing.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Bytes per nanosecond over all calls: of device time where the row has any, else of host time.
/// Nothing where bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// True when the row has times of single calls; rows of older documents have none.
bool has_percentiles(const ProfileRow& row);

/// The cells of the stats, headers first: name, place, shapes, count, min, p50, p95, max, GB/s, %
/// of limit, faults. Columns that are empty in all shown rows are left out, and so is the place
/// where all rows are the host's.
std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options);

/// True for a column of words, which is left-aligned.
bool is_text_column(std::string_view title);

/// The cells as aligned lines; "" without rows.
std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options);

/// "GPU busy 97 %" of the steps' time, however many streams were; "" without device work.
std::string busy_text(const CaseProfile& profile);

/// "kernel times: CUPTI", "device times: CUDA events, to within 1.2 us"; "" without any.
std::string device_times_text(const CaseProfile& profile);

/// "2 of 40 launches have no work in the profile; …"; "" when nothing was lost.
std::string losses_text(const ProfileLosses& losses);

/// The lines below a table of either kind: wall, GPU busy, overlap, exposed transfers,
/// gaps, discarded steps, overhead, source of device times, losses. Missing facts have no
/// line.
std::vector<std::string> profile_footers(const CaseProfile& profile);

/// A profile's table. Text is for people: torch's table to the byte, or the aligned stats; below it
/// how many rows the limit left out, and the footers. Markdown has these as a table and a list. CSV
/// and JSON hold profile_values() and profile_json(). It ends with a line's end.
std::string profile_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                          TableFormat format, const TableOptions& options);

/// The shown rows in nanoseconds and bytes, as objects with the same members each, named as in the
/// results document; null where a row has no value.
std::vector<Json> profile_values(const CaseProfile& profile, const LimitShares& limits,
                                 TableKind kind, const TableOptions& options);

/// {"rows": profile_values(), "totals", "steps", "discarded", "overhead", "device_times",
/// "clock_error_ns", "times", "losses"}; times and losses are those of the results document.
Json profile_json(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                  const TableOptions& options);

/// The value on lines of its own. Bytes in names that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json);

/// Objects with the same members as CSV (RFC 4180), the members' names first; "" without any.
std::string csv_text(std::span<const Json> rows);

}  // namespace normbench
