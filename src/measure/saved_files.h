/// The files that a stage saves for the items that use one set of buffers.
#pragma once

#include <string>
#include <utility>

#include "ops/op.h"

namespace normbench {

/// Holds a file for each image of the latest item, until this ends; the next item replaces them.
/// So a case has files of no more items than are in flight.
class SavedFiles {
 public:
  /// `start`: what all their names start with.
  SavedFiles(Op op, std::string start, std::int64_t images)
      : op_(std::move(op)), start_(std::move(start)), images_(images) {}
  ~SavedFiles() { remove(); }
  SavedFiles(const SavedFiles&) = delete;
  SavedFiles& operator=(const SavedFiles&) = delete;

  const std::string& start() const { return start_; }
  /// Removes them, so that none passes for a newer one.
  void remove() const;
  /// Why a file does not hold its image of `images` (dense, in memory that the host caches), or "".
  std::string why_wrong(const View& images) const;

 private:
  Op op_;
  std::string start_;
  std::int64_t images_;
};

}  // namespace normbench
