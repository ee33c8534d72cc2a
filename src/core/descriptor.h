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
  /// Closes the descriptor. If the system reports an error, such as an earlier write that failed,
  /// returns false and errno has the reason.
  bool close();

 private:
  int number_;
};

/// Writes all `bytes`. Continues after a short write and after an interruption by a signal. Returns
/// the number of bytes written. If that is less than all, errno has the reason. Safe in signal
/// handlers.
std::size_t write_bytes(int descriptor, std::string_view bytes);
/// Writes `bytes` at `offset` of the file, like write_bytes(). Does not use the file position.
std::size_t write_bytes_at(int descriptor, std::int64_t offset, std::string_view bytes);

}  // namespace normbench
