/// The table beside torch's: percentiles of single calls, rates and shares of limits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/results.h"
#include "report/torch_table.h"

namespace normbench {

/// A row's share of its machine limit, 1 is all of it, by the row's name; none where unknown.
using LimitShares = std::map<std::string, double, std::less<>>;

/// Bytes per nanosecond over all calls: of the device's time where the row has any, else of the
/// host's. Nothing where bytes or times are not known.
std::optional<double> bytes_per_ns(const ProfileRow& row);

/// True when the row has times of single calls; those of older documents have not.
bool has_percentiles(const ProfileRow& row);

/// The cells, headers first: name, place, shapes, count, min, p50, p95, max, GB/s, % of limit,
/// faults. Columns that no shown row has anything for are left out, and the place where all are the
/// host's.
std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options);

/// True for a column of words, which is left-aligned.
bool is_text_column(std::string_view title);

/// The cells as aligned lines; "" without rows.
std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options);

}  // namespace normbench
