#include "core/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/system_error.h"

namespace normbench {
namespace {

[[noreturn]] void throw_last_error() { throw std::runtime_error(system_error_text(errno)); }

}  // namespace

// O_NONBLOCK: opening a pipe would otherwise wait for a writer. Pipes are refused below.
InputFile::InputFile(const std::string& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (!descriptor_.is_open()) throw_last_error();
  if (fstat(descriptor(), &status) != 0) throw_last_error();
  if (S_ISDIR(status.st_mode)) throw std::runtime_error("is a directory (give a file)");
  if (!S_ISREG(status.st_mode)) throw std::runtime_error("is not a regular file");
  bytes_ = status.st_size;
}

std::int64_t InputFile::bytes_now() const {
  struct stat status {};
  if (fstat(descriptor(), &status) != 0) throw_last_error();
  return status.st_size;
}

void InputFile::read(std::int64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(descriptor(), to.data(), to.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_last_error();
    if (got == 0) throw_cut();
    to = to.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

MappedFile::MappedFile(const std::string& path) : file_(path) {
  if (file_.bytes() == 0) throw std::runtime_error("is empty");
  const auto size = static_cast<std::size_t>(file_.bytes());
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.descriptor(), 0);
  if (address == MAP_FAILED) throw_last_error();
  bytes_ = {static_cast<std::byte*>(address), size};
}

MappedFile::~MappedFile() { munmap(bytes_.data(), bytes_.size()); }

void throw_cut() { throw std::runtime_error("ends too early (was it cut off?)"); }

}  // namespace normbench
