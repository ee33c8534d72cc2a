/// Files to read. Every failure throws std::runtime_error with the reason, without the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/descriptor.h"

namespace normbench {

/// A regular file, open as long as this object lives.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  int descriptor() const { return descriptor_.number(); }
  /// bytes() is the size in bytes when the file was opened; bytes_now() is the present size.
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
  /// Returns the present size of the file in bytes. If the file has shrunk, reading bytes() beyond
  /// this size can crash (SIGBUS).
  std::int64_t bytes_now() const { return file_.bytes_now(); }

 private:
  InputFile file_;
  std::span<std::byte> bytes_;  // a private mapping, so writes to it do not change the file
};

/// Throws std::runtime_error with the text "ends too early (was it cut off?)".
[[noreturn]] void throw_cut();

}  // namespace normbench
