#include "machine/page_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/input_file.h"
#include "core/system_error.h"

namespace normbench {
namespace {

Residency residency_of(const std::string& path) {
  const std::int64_t bytes = InputFile(path).bytes();
  if (bytes == 0) return {};  // an empty file cannot be mapped
  const MappedFile file(path);
  const std::span<std::byte> map = file.bytes();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((map.size() + page - 1) / page);
  if (mincore(map.data(), map.size(), pages.data()) != 0)
    throw std::runtime_error(system_error_text(errno));
  const auto held = std::ranges::count_if(pages, [](unsigned char flags) { return flags & 1; });
  return {.resident_bytes = std::min(bytes, held * static_cast<std::int64_t>(page)),
          .bytes = bytes};
}

[[noreturn]] void throw_named(const std::string& file, const std::runtime_error& error) {
  throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
}

}  // namespace

void drop_pages(const std::string& file) try {
  const InputFile input(file);
  fdatasync(input.descriptor());  // dirty pages cannot be dropped
  posix_fadvise(input.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
} catch (const std::runtime_error& error) {
  throw_named(file, error);
}

void read_ahead(const std::string& file, std::int64_t offset, std::int64_t bytes) try {
  constexpr std::int64_t piece = 1 << 20;
  const InputFile input(file);
  const std::int64_t end = bytes == 0 ? input.bytes() : std::min(offset + bytes, input.bytes());
  std::vector<std::byte> read;
  for (; offset < end; offset += std::ssize(read)) {
    read.resize(static_cast<std::size_t>(std::min(piece, end - offset)));
    input.read(offset, read);
  }
} catch (const std::runtime_error& error) {
  throw_named(file, error);
}

Residency residency(const std::string& file) try {
  return residency_of(file);
} catch (const std::runtime_error& error) {
  throw_named(file, error);
}

}  // namespace normbench
