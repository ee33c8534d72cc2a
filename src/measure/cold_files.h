/// Files whose pages are not to be in memory when a turn begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// The files that a case loads with `page_cache: cold`. A case without such loads has none.
class ColdFiles {
 public:
  explicit ColdFiles(const Case& planned);

  bool any() const { return !files_.empty(); }
  /// The most items of a turn of which no two read the same image; no limit without cold files.
  std::int64_t most_items() const { return most_items_; }
  /// Has the system forget their pages, and asks it whether it did. Throws CannotRunHere when more
  /// than a hundredth of them stays, or a tenth of an item.
  void drop() const;

 private:
  std::vector<std::string> files_;
  std::int64_t most_items_;
};

}  // namespace normbench
