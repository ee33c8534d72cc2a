/// File descriptors, and functions that write bytes to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normbench {

/// A file descriptor, closed by the destructor. A negative number means no descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes the descriptor. Returns false and sets errno if close() reports an error, such as an
  /// earlier write that failed.
  bool close();

 private:
  int number_;
};

/// Writes all `bytes`, and goes on after an interrupt by a signal or a short write. Returns the
/// number of bytes written. If not all were written, errno tells why. Safe in signal handlers.
std::size_t write_bytes(int descriptor, std::string_view bytes);
/// Writes `bytes` at `offset` of the file, like write_bytes(). Does not use the file position.
std::size_t write_bytes_at(int descriptor, std::int64_t offset, std::string_view bytes);

}  // namespace normbench
