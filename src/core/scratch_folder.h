/// A folder for temporary files of one process.
#pragma once

#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A new folder "normbench-scratch-…" that is removed with its content by the destructor. It is
/// locked (flock) as long as this object lives. A killed process leaves its folder without a lock.
/// The next process that makes a folder in the same place removes it.
class ScratchFolder {
 public:
  /// Makes the folder in `parent`, or in the system's folder for temporary files if that is "".
  /// Throws Invalid.
  explicit ScratchFolder(const std::string& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor lock_;
};

}  // namespace normbench
