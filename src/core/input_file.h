/// Files to read. What cannot be read throws std::runtime_error saying why, without the file's
/// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace normbench {

/// A regular file that is open as long as this lives.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Its size when it was opened, and as it is.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t bytes_now() const;
  /// Fills `to` from `offset` on. Throws where the file ends before.
  void read(std::int64_t offset, std::span<std::byte> to) const;

 private:
  int descriptor_;
  std::int64_t bytes_ = 0;
};

/// A regular file that is not empty, mapped for reading as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  /// As many of them as the file still has: others must not be touched.
  std::int64_t bytes_now() const { return file_.bytes_now(); }

 private:
  InputFile file_;
  std::span<std::byte> bytes_;  // private pages: never written back
};

/// Says that a file ends before what it is to hold.
[[noreturn]] void throw_cut();

}  // namespace normbench
