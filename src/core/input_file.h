/// Files to read. Every failure throws std::runtime_error saying why, without the file's
/// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A regular file that is open as long as this lives.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  int descriptor() const { return descriptor_.number(); }
  /// The file's size when it was opened, and its size now.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t bytes_now() const;
  /// Fills `to` from `offset` on. Throws where the file ends before `to` is full.
  void read(std::int64_t offset, std::span<std::byte> to) const;

 private:
  Descriptor descriptor_;
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
  /// The bytes that the file still has. Reading bytes() beyond them would crash.
  std::int64_t bytes_now() const { return file_.bytes_now(); }

 private:
  InputFile file_;
  std::span<std::byte> bytes_;  // private pages: never written back
};

/// Throws the error that a file ends before all of its content.
[[noreturn]] void throw_cut();

}  // namespace normbench
