/// A file of lines that grows by one process at a time, and loses none to a kill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

/// A line is in the file, or no part of it is, when the call that adds it returns or throws. The
/// file is locked while this lives. Links are never followed, pipes and devices refused.
class LineFile {
 public:
  /// When a line is on the disk itself, where it survives a power failure: as the call returns, or
  /// when the system writes it, seconds later.
  enum class OnDisk { Now, Later };

  /// How the first line of `path` begins, its first 64 KB at most; nothing where it has no end.
  static std::optional<std::string> first_line(const std::string& path);
  /// Starts one with its first line, also over one whose first line, begun alike up to its first
  /// colon, was cut off. Throws CannotWrite, also when one has begun there or something else is in
  /// the file, and leaves nothing behind that was not there.
  static LineFile create(const std::string& path, std::string_view first);
  /// Opens one to go on. Throws Invalid where there is none or another process has it open,
  /// CannotWrite where it cannot be written.
  static LineFile resume(const std::string& path);

  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  /// Calls `take` with every whole line and its number, from 1, before any is added; a last one
  /// that a kill cut off makes room for the next. Throws Invalid without a whole line, and what
  /// `take` throws as Invalid as "PATH: entry 3: …".
  void read(const std::function<void(std::string_view line, int number)>& take);

  /// Appends a line (without its end). Throws CannotWrite, also if the file was replaced.
  void append(std::string_view line, OnDisk when = OnDisk::Now);

 private:
  LineFile(std::string path, int file);
  bool lock() const;
  std::optional<std::string> lost() const;

  std::string path_;
  int file_;
  std::int64_t end_ = 0;  // bytes of its whole lines
};

}  // namespace normbench
