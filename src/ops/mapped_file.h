#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace normbench {

/// A regular file mapped for reading, as long as this lives. Throws Invalid when it cannot be.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;  // private pages: never written back
};

}  // namespace normbench
