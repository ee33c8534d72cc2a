#include "measure/selftest/findings.h"

#include <algorithm>

namespace normbench::selftest {

std::int64_t failed_rows(const PlaceFinding& place) {
  return std::ranges::count_if(place.rows, [](const RowFinding& row) { return row.wrong > 0; });
}

std::int64_t unfinished_rows(const PlaceFinding& place) {
  return std::ranges::count_if(
      place.rows, [](const RowFinding& row) { return row.wrong == 0 && !row.finished; });
}

}  // namespace normbench::selftest
