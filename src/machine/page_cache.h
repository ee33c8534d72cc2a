/// Which parts of files the system holds in memory.
#pragma once

#include <cstdint>
#include <string>

namespace normbench {

/// Asks the system to write a file's dirty pages back and then to drop its pages (posix_fadvise).
/// Pages that a process has mapped stay. Throws std::runtime_error when the file cannot be
/// opened.
void drop_pages(const std::string& file);

/// How much of a file is in memory, by whole pages.
struct Residency {
  std::int64_t resident_bytes = 0, bytes = 0;
};

/// Reads it by mincore. Linux tells the truth to the file's owner and to those who may write to it,
/// and "all" to others. Throws std::runtime_error.
Residency residency(const std::string& file);

}  // namespace normbench
