/// A folder for temporary files of one process.
#pragma once

#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A new folder "normbench-scratch-…". The destructor removes it with its content. The folder is
/// locked (flock) as long as this object lives. If a process is killed, its folder remains, but is
/// no longer locked. The next ScratchFolder in the same parent then removes it.
class ScratchFolder {
 public:
  /// Makes the folder in `parent`; if `parent` is "", in the system's folder for temporary files.
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
