/// torch.profiler's table: rows from slices, and its format to the byte.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/results.h"
#include "record/recorder.h"

namespace normbench {

/// Groups steps, stages and parts by name: calls, total and self time by nesting. "ProfilerStep#3"
/// becomes "ProfilerStep*". A device's slices are no calls: their time goes to the row of their
/// name and to the total of the step that they are in.
std::vector<ProfileRow> profile_rows(std::span<const ThreadLog> threads);

/// What `sort_by` can name; "cuda" stands for "device" in them, as in torch.
std::vector<std::string> sort_key_names();

/// The table that `key_averages().table(sort_by, row_limit)` prints for these rows.
std::string torch_table(std::span<const ProfileRow> rows, const std::string& sort_by,
                        std::int64_t row_limit);

/// The cells of that table, headers first, for renderings of other widths.
std::vector<std::vector<std::string>> profile_cells(std::span<const ProfileRow> rows,
                                                    const std::string& sort_by,
                                                    std::int64_t row_limit);

/// The lines below that table: "Self CPU time total: 3.912ms\n" and, with device time, its total.
std::string profile_totals(std::span<const ProfileRow> rows);

}  // namespace normbench
