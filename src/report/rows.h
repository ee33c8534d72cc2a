/// A table filled row by row.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "report/text.h"

namespace normbench {

class Rows {
 public:
  explicit Rows(const std::vector<std::string>& titles);

  /// Cells of one row; those missing at the end are blank.
  void add(const std::vector<std::string>& cells);

  /// The table, as wide as it is; the columns in `text_columns` are left-aligned. "" without rows.
  std::string text(const std::set<std::size_t>& text_columns, std::size_t width = 100'000) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace normbench
