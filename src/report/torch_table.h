/// The table of torch.profiler, byte for byte as PyTorch prints it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Sums and facts over all rows of a table, including the rows that are not shown.
struct AllRows {
  std::int64_t count = 0, self_cpu_ns = 0;
  bool has_device = false;         // some row has `self_device_ns` above 0
  bool has_memory = false;         // some row has allocated or freed memory
  bool has_device_memory = false;  // some row has `self_device_memory` above 0
  bool has_shapes = false;
  std::size_t name_width = 0, shapes_width = 0;  // in characters

  void add(const ProfileRow& row);
  /// Returns the sum of `self_device_ns` over the rows of device work, without annotations. If
  /// there are no such rows, returns the sum over the rows of the host.
  std::int64_t device_ns() const { return has_device_rows ? work_ns : submitted_ns; }

  std::int64_t work_ns = 0, submitted_ns = 0;
  bool has_device_rows = false;
};

struct TableOptions {
  std::string sort_by = "cpu_time_total";  // "": in the given order
  std::int64_t row_limit = 100;            // -1: all
  std::size_t max_name_width = 55;         // 0: no limit
  AllRows rest = {};                       // sums over the rows that TopRows dropped
};

/// Collects any number of rows. Keeps only the rows that a table shows, and sums over the others.
class TopRows {
 public:
  /// Throws Invalid for an unknown `sort_by`.
  explicit TopRows(const TableOptions& options);

  void add(ProfileRow row);
  /// Returns the kept rows, and sets `rest` to the sums over all other rows. The rows are sorted
  /// only if there are both a limit and a `sort_by`. Call take() once.
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

/// Returns the name as torch shows it. If it has `most` - 3 code points or more, it is cut to
/// `most` - 3 code points, and "..." is added. If `most` is 3 or less, returns the whole name.
std::string shown_name(const std::string& name, std::size_t most);

/// Returns the keys that `sort_by` may name. As in torch, "cuda" may replace "device" in them.
std::vector<std::string> sort_key_names();
/// Returns all words that `sort_by` accepts, including those with "cuda".
std::vector<std::string> sort_key_spellings();

/// Returns the rows as a table shows them: sorted by `sort_by`, and only the first `row_limit`.
/// Throws Invalid for an unknown `sort_by`.
std::vector<ProfileRow> shown_rows(std::span<const ProfileRow> rows, const TableOptions& options);

/// Returns the sums over these rows and `options.rest`.
AllRows all_rows(std::span<const ProfileRow> rows, const TableOptions& options = {});
bool has_memory(const ProfileRow& row);

/// Returns the table that `key_averages().table(...)` prints for these rows, or "" if there are
/// none.
std::string torch_table(std::span<const ProfileRow> rows, const TableOptions& options);

/// Returns the cells of torch_table(), headers first, so that they can be laid out in another way.
std::vector<std::vector<std::string>> torch_cells(std::span<const ProfileRow> rows,
                                                  const TableOptions& options);

/// Returns the lines below torch_table(): "Self CPU time total: 3.912ms\n" and, if there is device
/// time, "Self CUDA time total: 1.200ms\n".
std::string torch_totals(const AllRows& all);

}  // namespace normbench
