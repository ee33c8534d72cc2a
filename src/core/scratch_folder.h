/// A folder for files of one process, which are of no use once it has ended.
#pragma once

#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A folder "normbench-scratch-…", made anew and removed with all its content at the end. It is
/// locked (flock) while it lives. The next process that makes one in the same place sees by the
/// locks which folders were left by killed processes, and removes them.
class ScratchFolder {
 public:
  /// Makes it in the folder `parent`; "": the system's for temporary files. Throws Invalid.
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
