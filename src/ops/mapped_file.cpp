#include "ops/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/issue.h"

namespace normbench {
namespace {

struct Descriptor {
  explicit Descriptor(const std::string& path)
      // Not blocking, so that a pipe is refused below instead of waited for.
      : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const int fd;
};

[[noreturn]] void fail(const std::string& path) {
  throw Invalid(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  struct stat status {};
  if (file.fd < 0 || fstat(file.fd, &status) != 0) fail(path);
  if (S_ISDIR(status.st_mode)) throw Invalid(fmt::format("{} is a directory (give a file)", path));
  if (!S_ISREG(status.st_mode)) throw Invalid(fmt::format("{} is not a regular file", path));
  if (status.st_size == 0) throw Invalid(fmt::format("{} is empty", path));
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (address == MAP_FAILED) fail(path);
  bytes_ = {static_cast<std::byte*>(address), size};
}

MappedFile::~MappedFile() { munmap(bytes_.data(), bytes_.size()); }

}  // namespace normbench
