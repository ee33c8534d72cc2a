#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <limits>
#include <optional>

#include "measure/peer/contender.h"

namespace normbench::peer_folder_test {
namespace {

namespace fs = std::filesystem;

TEST(PeerFolder, IsPrivateAndGoneAtTheEnd) {
  std::optional<PeerFolder> folder(std::in_place, 100);
  const fs::path path = fs::path(folder->file("0.npy")).parent_path();
  EXPECT_TRUE(path.filename().string().starts_with("normbench-peer-"));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  fs::create_directories(path / "deep" / "er");
  std::ofstream(path / "deep" / "file") << "left";
  const PeerFolder other(100);
  EXPECT_NE(other.file("0.npy"), folder->file("0.npy"));
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(PeerFolder, GoesWhereTheBytesFit) {
  const PeerFolder folder(std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(folder.file("x").starts_with(fs::temp_directory_path().string() + "/normbench-peer-"))
      << folder.file("x");
}

}  // namespace
}  // namespace normbench::peer_folder_test
