/// Files to read. Every failure throws std::runtime_error with the reason, without the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A regular file. It is open as long as this object lives.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  int descriptor() const { return descriptor_.number(); }
  /// Return the file's size in bytes when it was opened, and its present size.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t bytes_now() const;
  /// Fills `to` with the bytes from `offset` on. Throws if the file ends before `to` is full.
  void read(std::int64_t offset, std::span<std::byte> to) const;

 private:
  Descriptor descriptor_;
  std::int64_t bytes_ = 0;
};

/// A regular file that is not empty, mapped for reading as long as this object lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  /// Returns the present size of the file in bytes. A read of bytes() beyond it would crash.
  std::int64_t bytes_now() const { return file_.bytes_now(); }

 private:
  InputFile file_;
  std::span<std::byte> bytes_;  // private mapping: never written back
};

/// Throws the error that a file ends before all of its content.
[[noreturn]] void throw_cut();

}  // namespace normbench
