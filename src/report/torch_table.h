/// torch.profiler's table to the byte, with names and times as torch writes them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// The sums over all rows of a table, shown or not.
struct AllRows {
  std::int64_t count = 0, self_cpu_ns = 0;
  bool has_device = false;         // some row has device time of its own
  bool has_memory = false;         // some row allocated or freed
  bool has_device_memory = false;  // … on a device, by itself
  bool has_shapes = false;
  std::size_t name_width = 0, shapes_width = 0;  // characters

  void add(const ProfileRow& row);
  /// The time of devices' rows without annotations; if there are none, of the host's rows.
  std::int64_t device_ns() const { return has_device_rows ? work_ns : submitted_ns; }

  std::int64_t work_ns = 0, submitted_ns = 0;
  bool has_device_rows = false;
};

struct TableOptions {
  std::string sort_by = "cpu_time_total";  // "": as given
  std::int64_t row_limit = 100;            // -1: all
  std::size_t max_name_width = 55;         // 0: as wide as the longest name
  AllRows rest = {};                       // rows beyond the limit that are not given at all
};

/// Keeps the rows that a table shows, however many there are.
class TopRows {
 public:
  /// Throws Invalid for an unknown sort_by.
  explicit TopRows(const TableOptions& options);

  void add(ProfileRow row);
  /// The rows, sorted where there is a limit; `rest` gets the sums of the others. Call once.
  std::vector<ProfileRow> take(AllRows& rest);

 private:
  void cut();

  std::int64_t limit_;
  double (*key_)(const ProfileRow&) = nullptr;  // null: as given
  std::vector<ProfileRow> rows_;
  AllRows rest_;
};

/// "391.170us", "3.912ms", "1.200s".
std::string time_text(std::int64_t ns);

/// The name in a column of at most `most` characters, counted as len() does in Python; 0: whole.
std::string shown_name(const std::string& name, std::size_t most);

/// The names of keys for `sort_by`. "cuda" stands for "device" in them, as in torch.
std::vector<std::string> sort_key_names();
/// All words that `sort_by` takes, those with "cuda" too.
std::vector<std::string> sort_key_spellings();

/// The rows as a table shows them: sorted, cut at row_limit. Throws Invalid for an unknown sort_by.
std::vector<ProfileRow> shown_rows(std::span<const ProfileRow> rows, const TableOptions& options);

/// The sums over these rows and the rest.
AllRows all_rows(std::span<const ProfileRow> rows, const TableOptions& options = {});
bool has_memory(const ProfileRow& row);

/// The table that `key_averages().table(…)` prints for these rows.
std::string torch_table(std::span<const ProfileRow> rows, const TableOptions& options);

/// The cells of that table, headers first, for renderings of other widths.
std::vector<std::vector<std::string>> torch_cells(std::span<const ProfileRow> rows,
                                                  const TableOptions& options);

/// The lines below that table: "Self CPU time total: 3.912ms\n" and, with device time, its total.
std::string torch_totals(const AllRows& all);

}  // namespace normbench
