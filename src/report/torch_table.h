/// The table of torch.profiler: the same in every byte as PyTorch prints it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// The sums over all rows of a table, shown or not.
struct AllRows {
  std::int64_t count = 0, self_cpu_ns = 0;
  bool has_device = false;         // some row has `self_device_ns` above 0
  bool has_memory = false;         // some row allocated or freed
  bool has_device_memory = false;  // some row has `self_device_memory` above 0
  bool has_shapes = false;
  std::size_t name_width = 0, shapes_width = 0;  // in characters

  void add(const ProfileRow& row);
  /// Returns the sum of `self_device_ns` over the devices' rows, without annotations. If no row is
  /// a device's, returns the sum over the host's rows.
  std::int64_t device_ns() const { return has_device_rows ? work_ns : submitted_ns; }

  std::int64_t work_ns = 0, submitted_ns = 0;
  bool has_device_rows = false;
};

struct TableOptions {
  std::string sort_by = "cpu_time_total";  // "": in the given order
  std::int64_t row_limit = 100;            // -1: all
  std::size_t max_name_width = 55;         // 0: no limit
  AllRows rest = {};                       // sums of rows that TopRows did not keep
};

/// Collects any number of rows, and keeps only those that a table shows.
class TopRows {
 public:
  /// Throws Invalid for an unknown `sort_by`.
  explicit TopRows(const TableOptions& options);

  void add(ProfileRow row);
  /// Returns the kept rows, and sets `rest` to the sums of all others. The rows are sorted only if
  /// there are both a limit and a `sort_by`. Call this once.
  std::vector<ProfileRow> take(AllRows& rest);

 private:
  void cut();

  std::int64_t limit_;
  double (*key_)(const ProfileRow&) = nullptr;  // null: in the given order
  std::vector<ProfileRow> rows_;
  AllRows rest_;
};

/// Returns a time like "391.170us", "3.912ms" or "1.200s".
std::string time_text(std::int64_t ns);

/// Returns the name as torch shows it: a name of `most` - 3 code points or more is cut to `most` -
/// 3, and "..." is added. If `most` is 3 or less, returns the whole name.
std::string shown_name(const std::string& name, std::size_t most);

/// Returns the names of keys for `sort_by`. As in torch, "cuda" may replace "device" in them.
std::vector<std::string> sort_key_names();
/// Returns all words that `sort_by` takes, also those with "cuda".
std::vector<std::string> sort_key_spellings();

/// Returns the rows as a table shows them: sorted, and cut at row_limit. Throws Invalid for an
/// unknown `sort_by`.
std::vector<ProfileRow> shown_rows(std::span<const ProfileRow> rows, const TableOptions& options);

/// Returns the sums over these rows and `options.rest`.
AllRows all_rows(std::span<const ProfileRow> rows, const TableOptions& options = {});
bool has_memory(const ProfileRow& row);

/// Returns the table that `key_averages().table(…)` prints for these rows; "" without rows.
std::string torch_table(std::span<const ProfileRow> rows, const TableOptions& options);

/// Returns the cells of torch_table(), headers first, for other layouts.
std::vector<std::vector<std::string>> torch_cells(std::span<const ProfileRow> rows,
                                                  const TableOptions& options);

/// Returns the lines below torch_table(): "Self CPU time total: 3.912ms\n" and, with device
/// time, its total.
std::string torch_totals(const AllRows& all);

}  // namespace normbench
