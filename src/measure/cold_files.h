/// Files that must not be in the page cache when a turn begins.
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
  /// The most items that a turn can have without reading an image twice; without cold files, the
  /// largest int64.
  std::int64_t most_items() const { return most_items_; }
  /// Asks the system to drop the pages of the files, and checks that it did. Throws CannotRunHere
  /// if more than a hundredth of the bytes of all files, or more than a tenth of the bytes that one
  /// item loads, stays in memory.
  void drop() const;

 private:
  std::vector<std::string> files_;
  std::int64_t most_items_;
};

}  // namespace normbench
