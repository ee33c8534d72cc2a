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
  /// Closes the descriptor. Returns false and sets errno if the system now reports that an earlier
  /// write failed.
  bool close();

 private:
  int number_;
};

/// Writes all `bytes`, and continues after signals and short writes. Returns how many bytes were
/// written. If not all were written, errno tells why. The function may be called in a signal
/// handler.
std::size_t write_bytes(int descriptor, std::string_view bytes);
/// Writes all `bytes` from `offset` on, like write_bytes(), whatever the file position is.
std::size_t write_bytes_at(int descriptor, std::int64_t offset, std::string_view bytes);

}  // namespace normbench
