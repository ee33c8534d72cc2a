/// Peers (programs that run cases for normbench) for tests, and functions that find the processes
/// and folders that peers leave behind.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "measure/run_fixture.h"
#include "source_dir.h"

namespace normbench {

/// Returns the command of a peer that casts uint8 to float32. `how` is "right", or the mistake that
/// the peer makes, like "hang run".
inline PeerCommand tiny(const std::string& how) {
  return {.argv = {"python3", source_dir() + "/tests/tiny_peer.py", how},
          .directory = testing::TempDir()};
}

/// Returns the command of a peer that is a shell script.
inline PeerCommand shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .directory = ""};
}

/// Returns the ids of the child processes that this process has not waited for.
inline std::vector<int> children() {
  std::vector<int> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(thread.path() / "children");
    for (int child; list >> child;) found.push_back(child);
  }
  return found;
}

/// Returns the folders that this process made for peers and that still exist.
inline std::vector<std::string> peer_folders() {
  std::vector<std::string> found;
  for (const std::filesystem::path& parent :
       {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()})
    for (const auto& entry : std::filesystem::directory_iterator(parent))
      if (entry.path().filename().string().starts_with(fmt::format("normbench-peer-{}-", getpid())))
        found.push_back(entry.path().string());
  return found;
}

}  // namespace normbench
