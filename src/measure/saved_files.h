/// The files that a stage saves of the items that have one set of buffers.
#pragma once

#include <string>

#include "ops/op.h"

namespace normbench {

/// The files are there until this ends: one for each image of the latest item, whose next one
/// replaces them. So a case has no more of them than items in flight.
class SavedFiles {
 public:
  /// `start`: what all their names start with.
  SavedFiles(const Save& op, std::string start, std::int64_t images)
      : op_(op), start_(std::move(start)), images_(images) {}
  ~SavedFiles() { remove(); }
  SavedFiles(const SavedFiles&) = delete;
  SavedFiles& operator=(const SavedFiles&) = delete;

  const std::string& start() const { return start_; }
  /// Removes them, so that none passes for a newer one.
  void remove() const;
  /// Why one is not of these images, dense in memory that the host caches; "" when all are.
  std::string why_wrong(const View& images) const;

 private:
  Save op_;
  std::string start_;
  std::int64_t images_;
};

}  // namespace normbench
