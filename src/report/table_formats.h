/// A profile's tables, torch's and the stats beside it, in the formats that people and scripts
/// read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/json.h"
#include "document/results.h"
#include "report/stats_table.h"
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
