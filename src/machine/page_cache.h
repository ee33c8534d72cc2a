/// Which parts of files the system holds in memory.
#pragma once

#include <cstdint>
#include <string>

namespace normbench {

/// Asks the system to write a file's dirty pages back and then to drop its pages (posix_fadvise).
/// Pages that a process has mapped stay. Throws std::runtime_error when the file cannot be
/// opened.
void drop_pages(const std::string& file);

/// How many bytes of a file are in memory, by whole pages, and how many the file has.
struct Residency {
  std::int64_t resident_bytes = 0, bytes = 0;
};

/// Returns how much of a file is in memory, by mincore. Linux reports the truth to the file's owner
/// and to users who may write to the file. To other users, Linux reports that the whole file is in
/// memory. Throws std::runtime_error if the file cannot be read.
Residency residency(const std::string& file);

}  // namespace normbench
