/// How much of a file is in the page cache.
#pragma once

#include <cstdint>
#include <string>

namespace normbench {

/// Writes dirty pages of a file back and asks the system to drop its pages from memory
/// (posix_fadvise). Pages that a process has mapped stay. Throws std::runtime_error if the file
/// cannot be opened.
void drop_pages(const std::string& file);

/// Reads bytes of a file, so that they are in the page cache afterwards. If `bytes` is 0, reads up
/// to the end of the file. Throws std::runtime_error if the file cannot be read.
void read_ahead(const std::string& file, std::int64_t offset = 0, std::int64_t bytes = 0);

/// The bytes of a file that are in memory, by whole pages, and the size of the file.
struct Residency {
  std::int64_t resident_bytes = 0, bytes = 0;
};

/// Returns how much of a file is in memory (mincore). If this process neither owns the file nor may
/// write to it, Linux reports that all of it is in memory. Throws std::runtime_error if the file
/// cannot be read.
Residency residency(const std::string& file);

}  // namespace normbench
