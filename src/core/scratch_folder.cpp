#include "core/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/file.h"
#include "core/issue.h"
#include "core/system_error.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view scratch_prefix = "normbench-scratch-";

/// Opens and locks the folder. If it does not exist or another process has locked it, returns a
/// descriptor that is not open, and errno has the reason. Child processes do not inherit the
/// descriptor.
Descriptor lock_folder(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open() || flock(folder.number(), LOCK_EX | LOCK_NB) == 0) return folder;
  const int error = errno;
  folder.close();
  errno = error;
  return folder;
}

bool is_still_at(const std::string& path, const Descriptor& folder) {
  struct stat there {
  }, held{};
  return lstat(path.c_str(), &there) == 0 && fstat(folder.number(), &held) == 0 &&
         there.st_ino == held.st_ino && there.st_dev == held.st_dev;
}

/// Removes the scratch folders in `parent` that no process has locked.
void sweep(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!entry->path().filename().string().starts_with(scratch_prefix)) continue;
    const Descriptor lock = lock_folder(path);
    if (lock.is_open()) remove_folder(path);
  }
}

[[noreturn]] void cannot_make(const fs::path& parent, int error) {
  std::error_code unknown;
  const bool takes_none = error == ENOENT && fs::is_directory(parent, unknown);  // true for /proc
  throw Invalid(
      fmt::format("cannot make a scratch folder in {}: {}", parent.string(),
                  takes_none ? "folders cannot be made there" : system_error_text(error)));
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent) {
  std::error_code unknown;
  const fs::path in = parent.empty() ? fs::temp_directory_path(unknown) : fs::absolute(parent);
  if (unknown)
    throw Invalid(fmt::format("cannot make a scratch folder in $TMPDIR: {} (set it to a folder)",
                              system_error_text(unknown)));
  sweep(in);
  // Between mkdtemp() and the lock, the sweep() of another process may remove the folder. In that
  // case the loop makes another folder.
  while (!lock_.is_open()) {
    path_ = (in / scratch_prefix).string() + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) cannot_make(in, errno);
    lock_ = lock_folder(path_);
    if (const int error = errno; !lock_.is_open() && error != EWOULDBLOCK && error != ENOENT) {
      remove_folder(path_);
      cannot_make(in, error);
    }
    if (lock_.is_open() && !is_still_at(path_, lock_)) lock_.close();
  }
}

ScratchFolder::~ScratchFolder() { remove_folder(path_); }

}  // namespace normbench
