#include "report/rows.h"

namespace normbench {

Rows::Rows(const std::vector<std::string>& titles) {
  for (const std::string& title : titles) columns_.push_back({title, {}});
}

void Rows::add(const std::vector<std::string>& cells) {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns_[c].cells.push_back(c < cells.size() ? cells[c] : "");
}

std::string Rows::text(const std::set<std::size_t>& text_columns, std::size_t width) const {
  std::vector<Column> columns = columns_;
  for (const std::size_t c : text_columns) columns[c].is_text = true;
  return columns_text(columns, 2, width);
}

}  // namespace normbench
