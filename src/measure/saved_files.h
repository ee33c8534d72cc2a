/// The files that a stage saves for one of the items (batches) in flight.
#pragma once

#include <string>
#include <utility>

#include "ops/op.h"

namespace normbench {

/// The files of the latest item, one for each image. The files of the next item replace them, and
/// the destructor removes them.
class SavedFiles {
 public:
  /// `start`: the common start of the paths of all files.
  SavedFiles(Op op, std::string start, std::int64_t images)
      : op_(std::move(op)), start_(std::move(start)), images_(images) {}
  ~SavedFiles() { remove(); }
  SavedFiles(const SavedFiles&) = delete;
  SavedFiles& operator=(const SavedFiles&) = delete;

  const std::string& start() const { return start_; }
  /// Removes the files, so that a later check does not read files of an earlier item.
  void remove() const;
  /// Returns why one of the files does not contain its image of `images`, or "" if all files do.
  /// `images` must be dense and in memory for which host_caches() is true.
  std::string why_wrong(const View& images) const;

 private:
  Op op_;
  std::string start_;
  std::int64_t images_;
};

}  // namespace normbench
