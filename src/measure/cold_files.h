/// Drops the files of a case from the page cache before a turn begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// The files that a case loads with `page_cache: cold`. The list is empty for any other case.
class ColdFiles {
 public:
  explicit ColdFiles(const Case& planned);

  bool any() const { return !files_.empty(); }
  /// Returns how many items (batches) a turn can load without reading an image twice. Returns the
  /// largest int64 if there are no cold files.
  std::int64_t most_items() const { return most_items_; }
  /// Asks the system to drop the pages of the files, and checks whether they were dropped. Throws
  /// CannotRunHere if more than a hundredth of the bytes of all files, or more than a tenth of the
  /// bytes that one item loads, stays in memory.
  void drop() const;

 private:
  std::vector<std::string> files_;
  std::int64_t most_items_;  // the result of most_items()
};

}  // namespace normbench
