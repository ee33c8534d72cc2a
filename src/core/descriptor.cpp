#include "core/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace normbench {
namespace {

/// Calls `write_rest(rest, done)` until all bytes are written or a call fails. `rest` are the bytes
/// that are still to be written, `done` is the number of bytes already written. Returns the number
/// of bytes written.
template <class WriteRest>
std::size_t written_by(std::string_view bytes, WriteRest write_rest) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write_rest(bytes.substr(done), done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  number_ = std::exchange(other.number_, -1);
  return *this;
}

Descriptor::~Descriptor() { close(); }

bool Descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

std::size_t write_bytes(int descriptor, std::string_view bytes) {
  return written_by(bytes, [descriptor](std::string_view rest, std::size_t) {
    return ::write(descriptor, rest.data(), rest.size());
  });
}

std::size_t write_bytes_at(int descriptor, std::int64_t offset, std::string_view bytes) {
  return written_by(bytes, [=](std::string_view rest, std::size_t done) {
    return ::pwrite(descriptor, rest.data(), rest.size(), offset + static_cast<off_t>(done));
  });
}

}  // namespace normbench
