/// A profile's tables, torch's and the stats beside it, what stands below them, and the formats
/// that people and scripts read.
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

/// A row's share of its machine limit, 1 is all of it, by the row's name; none where unknown.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Bytes per nanosecond over all calls: of the device's time where the row has any, else of the
/// host's. Nothing where bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// True when the row has times of single calls; those of older documents have not.
bool has_percentiles(const ProfileRow& row);

/// The cells of the stats, headers first: name, place, shapes, count, min, p50, p95, max, GB/s, %
/// of limit, faults. Columns that no shown row has anything for are left out, and the place where
/// all are the host's.
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

/// The lines below a table of either kind: wall, GPU busy, overlap, exposed transfers, gaps,
/// discarded steps, overhead, where device times come from, what was lost. None for what there is
/// not.
std::vector<std::string> profile_footers(const CaseProfile& profile);

/// Text is for people: torch's table to the byte, or the aligned stats; below either how many rows
/// the limit left out, and the footers. Markdown is the same as a table and a list. CSV and JSON
/// hold profile_values() and profile_json(). Ends with a line's end.
std::string profile_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                          TableFormat format, const TableOptions& options);

/// The shown rows in nanoseconds and bytes, as objects that all have the same members, named as in
/// the results document; null where a row says nothing.
std::vector<Json> profile_values(const CaseProfile& profile, const LimitShares& limits,
                                 TableKind kind, const TableOptions& options);

/// {"rows": profile_values(), "totals", "steps", "discarded", "overhead", "device_times",
/// "clock_error_ns", "times", "losses"}; times and losses are those of the results document.
Json profile_json(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                  const TableOptions& options);

/// The value on lines of its own; what is not UTF-8 in names becomes U+FFFD.
std::string json_text(const Json& json);

/// Objects with the same members as CSV (RFC 4180), their names first; "" without any.
std::string csv_text(std::span<const Json> rows);

}  // namespace normbench
