/// A folder for arrays that go between this process and a peer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace normbench {

/// Nobody else can read it, and it is gone with all it holds at the end of its life.
class PeerFolder {
 public:
  /// With room for `bytes`: in memory where that has it, else where temporary files go. Throws
  /// std::runtime_error saying why there is none.
  explicit PeerFolder(std::int64_t bytes);
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace normbench
