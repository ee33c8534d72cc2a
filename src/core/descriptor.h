/// File descriptors, and how bytes are written to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normbench {

/// A file descriptor that is closed at the end; a negative number is none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes it. False, with errno, where the system says only now what could not be written.
  bool close();

 private:
  int number_;
};

/// Writes `bytes`, however often a signal or a short write stops that. Returns how many were
/// written; where these are fewer, errno says why. It may be called in a signal handler.
std::size_t write_bytes(int descriptor, std::string_view bytes);
/// The same from `offset` on, wherever the file stands.
std::size_t write_bytes_at(int descriptor, std::int64_t offset, std::string_view bytes);

}  // namespace normbench
