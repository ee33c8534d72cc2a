#include "machine/page_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace normbench {
namespace {

[[noreturn]] void cannot(const char* what, const std::string& file) {
  throw std::runtime_error(fmt::format("cannot {} {}: {}", what, file, std::strerror(errno)));
}

/// An open file, closed at the end of its scope.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : number(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number < 0) cannot("open", path);
  }
  ~OpenFile() { close(number); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const int number;
};

}  // namespace

void drop_pages(const std::string& file) {
  const OpenFile open_file(file);
  fdatasync(open_file.number);  // dirty pages cannot be forgotten; where it fails, they stay
  posix_fadvise(open_file.number, 0, 0, POSIX_FADV_DONTNEED);
}

Residency residency(const std::string& file) {
  const OpenFile open_file(file);
  struct stat status {};
  if (fstat(open_file.number, &status) != 0) cannot("look at", file);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, open_file.number, 0);
  if (map == MAP_FAILED) cannot("map", file);
  const bool known = mincore(map, size, pages.data()) == 0;
  const int why = errno;
  munmap(map, size);
  errno = why;
  if (!known) cannot("ask for the pages of", file);
  const auto held = std::ranges::count_if(pages, [](unsigned char flags) { return flags & 1; });
  const auto bytes = static_cast<std::int64_t>(size);
  return {.resident_bytes = std::min(bytes, held * static_cast<std::int64_t>(page)),
          .bytes = bytes};
}

}  // namespace normbench
