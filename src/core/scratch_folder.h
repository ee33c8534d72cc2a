/// A folder for files of one process, which are of no use once it has ended.
#pragma once

#include <string>

namespace normbench {

/// "normbench-scratch-…": made anew, removed with all that is in it at the end. It is locked
/// (flock) while it lives, so that the next one made in the same place knows those whose processes
/// were killed, and removes them.
class ScratchFolder {
 public:
  /// In the folder `parent`; "": the system's for temporary files. Throws Invalid.
  explicit ScratchFolder(const std::string& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace normbench
