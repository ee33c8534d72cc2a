/// A file of lines to which one process at a time appends. Appended lines survive a kill of the
/// process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace normbench {

/// A locked file of lines. When append() returns or throws, the file has the whole line or no part
/// of it. Symbolic links, pipes and devices are refused.
class LineFile {
 public:
  /// When an appended line is written to the disk, so that it survives a power failure. Now: before
  /// append() returns. Later: when the operating system writes it, some seconds later.
  enum class OnDisk { Now, Later };

  /// Returns the first line of `path`, at most 64 KB of it. Returns std::nullopt if the file has no
  /// line end or is not a regular file.
  static std::optional<std::string> first_line(const std::string& path);
  /// Creates the file with the line `first`. An existing file is overwritten only if it can be the
  /// beginning of a line that an earlier process did not finish: the file has no line end, and it
  /// starts with the part of `first` before the first colon, or is itself a prefix of that part.
  /// Throws CannotWrite for any other existing file.
  static LineFile create(const std::string& path, std::string_view first);
  /// Opens a file to append to it. Throws Invalid if it does not exist or another process has it
  /// open. Throws CannotWrite if it cannot be written.
  static LineFile resume(const std::string& path);

  /// Calls `take` with every whole line and its number, from 1. Call read() before append(). A last
  /// line without its end is ignored, and the next append() overwrites it. Throws Invalid if there
  /// is no whole line. Adds "PATH: entry 3: " to an Invalid that `take` throws.
  void read(const std::function<void(std::string_view line, int number)>& take);

  /// Appends `line` and a line end. Throws CannotWrite if that fails, or if the path no longer
  /// names the open file.
  void append(std::string_view line, OnDisk when = OnDisk::Now);

 private:
  LineFile(std::string path, Descriptor file);
  bool lock() const;
  std::optional<std::string> lost() const;

  std::string path_;
  Descriptor file_;
  std::int64_t end_ = 0;  // size of the file's whole lines in bytes
};

}  // namespace normbench
