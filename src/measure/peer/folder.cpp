#include "measure/peer/folder.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr const char* in_memory = "/dev/shm";

/// True where twice as much is free: others may want some of it, too.
bool has_room(const fs::path& folder, std::int64_t bytes) {
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  return !unknown && space.available / 2 >= static_cast<std::uintmax_t>(bytes);
}

/// An empty folder with a name of its own, or "" with errno.
std::string make_in(const fs::path& parent) {
  std::string name = (parent / fmt::format("normbench-peer-{}-XXXXXX", getpid())).string();
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

}  // namespace

PeerFolder::PeerFolder(std::int64_t bytes) {
  if (has_room(in_memory, bytes)) path_ = make_in(in_memory);
  if (!path_.empty()) return;
  std::error_code unknown;
  const fs::path parent = fs::temp_directory_path(unknown);
  path_ = make_in(parent);
  if (path_.empty())
    throw std::runtime_error(fmt::format("no folder for a peer's arrays in {} or {}: {}", in_memory,
                                         parent.string(), std::strerror(errno)));
}

PeerFolder::~PeerFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace normbench
