/// A file of lines that grows by one process at a time, and loses none to a kill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace normbench {

/// When the call that adds a line returns or throws, the file has the whole line or no part of it.
/// The file is locked while this lives. Links are never followed; pipes and devices are refused.
class LineFile {
 public:
  /// When a line has to be on the disk, where it survives a power failure: before the call returns,
  /// or when the system writes it, seconds later.
  enum class OnDisk { Now, Later };

  /// The first line of `path`, its first 64 KB at most; nothing where it has no end.
  static std::optional<std::string> first_line(const std::string& path);
  /// Starts a file with its first line. A file with nothing but such a first line, cut off, is
  /// started anew; lines are alike that agree up to the first colon. Throws CannotWrite for all
  /// other content.
  static LineFile create(const std::string& path, std::string_view first);
  /// Opens a file to go on with it. Throws Invalid where there is none or another process has it
  /// open, CannotWrite where it cannot be written.
  static LineFile resume(const std::string& path);

  /// Calls `take` with every whole line and its number, from 1, before any line is added. A last
  /// line that a kill cut off is overwritten by the next one. Throws Invalid where there is no
  /// whole line; an Invalid of `take` becomes "PATH: entry 3: …".
  void read(const std::function<void(std::string_view line, int number)>& take);

  /// Appends a line (without its end). Throws CannotWrite, also if the file was replaced.
  void append(std::string_view line, OnDisk when = OnDisk::Now);

 private:
  LineFile(std::string path, Descriptor file);
  bool lock() const;
  std::optional<std::string> lost() const;

  std::string path_;
  Descriptor file_;
  std::int64_t end_ = 0;  // bytes of its whole lines
};

}  // namespace normbench
