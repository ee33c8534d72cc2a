/// A file of lines to which one process at a time appends. A kill loses no line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace normbench {

/// A file of lines. After append() returns or throws, the file has the whole line or no part of it.
/// The file is locked while this object lives. Links are never followed; pipes and devices are
/// refused.
class LineFile {
 public:
  /// When a line has to be on the disk, where it survives a power failure. Now: before the call
  /// returns. Later: when the system writes it, seconds later.
  enum class OnDisk { Now, Later };

  /// Returns the first line of `path`, cut to its first 64 KB; nothing if the line has no end.
  static std::optional<std::string> first_line(const std::string& path);
  /// Starts a file with the line `first`. Overwrites an existing file if it has no whole line and
  /// agrees with `first` up to the first colon, as far as it goes. Throws CannotWrite for any other
  /// existing file.
  static LineFile create(const std::string& path, std::string_view first);
  /// Opens a file to append to it. Throws Invalid if it does not exist or another process has it
  /// open. Throws CannotWrite if it cannot be written.
  static LineFile resume(const std::string& path);

  /// Calls `take` with every whole line and its number, from 1. To be called before any line is
  /// added. If a kill cut off the last line, the next append() overwrites it. Throws Invalid if
  /// there is no whole line. An Invalid of `take` becomes "PATH: entry 3: …".
  void read(const std::function<void(std::string_view line, int number)>& take);

  /// Appends a line, given without its line end. Throws CannotWrite, also if the file was replaced.
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
