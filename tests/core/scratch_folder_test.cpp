#include "core/scratch_folder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "core/issue.h"

namespace normbench::scratch_folder_test {
namespace {

namespace fs = std::filesystem;

class ScratchFolderTest : public testing::Test {
 protected:
  ScratchFolderTest()
      : parent_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(parent_);
    fs::create_directories(parent_);
  }
  ~ScratchFolderTest() override { fs::remove_all(parent_); }

  const fs::path parent_;
};

TEST_F(ScratchFolderTest, IsRemovedWithAllThatIsInIt) {
  std::string path;
  {
    const ScratchFolder scratch(parent_);
    path = scratch.path();
    EXPECT_TRUE(fs::path(path).filename().string().starts_with("normbench-scratch-"));
    EXPECT_EQ(fs::path(path).parent_path(), parent_);
    std::ofstream(path + "/0-0-0.png") << "x";
    EXPECT_TRUE(fs::exists(path + "/0-0-0.png"));
  }
  EXPECT_TRUE(fs::is_empty(parent_));
}

TEST_F(ScratchFolderTest, TheNextOneRemovesWhatNobodyHolds) {
  const fs::path left = parent_ / "normbench-scratch-left00", other = parent_ / "something-else";
  for (const fs::path& folder : {left, other}) {
    fs::create_directories(folder);
    std::ofstream(folder / "0-0-0.png") << "x";
  }
  const ScratchFolder held(parent_);
  std::ofstream(held.path() + "/0-0-0.png") << "x";
  EXPECT_FALSE(fs::exists(left));
  const ScratchFolder next(parent_);
  EXPECT_TRUE(fs::exists(held.path() + "/0-0-0.png"));
  EXPECT_TRUE(fs::exists(other / "0-0-0.png"));
  EXPECT_NE(held.path(), next.path());
}

TEST_F(ScratchFolderTest, LinksAreNotFollowed) {
  const fs::path kept = parent_ / "kept";
  fs::create_directories(kept);
  std::ofstream(kept / "file") << "x";
  fs::create_directory_symlink(kept, parent_ / "normbench-scratch-link00");
  const ScratchFolder scratch(parent_);
  EXPECT_TRUE(fs::exists(kept / "file"));
}

TEST_F(ScratchFolderTest, SaysWhyThereCanBeNone) {
  const std::string nowhere = parent_ / "nowhere";
  EXPECT_THAT([&] { ScratchFolder scratch(nowhere); },
              testing::ThrowsMessage<Invalid>("cannot make a scratch folder in " + nowhere +
                                              ": No such file or directory"));
}

/// Prevents this process from opening files during the lifetime of the object. Sanitizers open
/// files for some checks, so a test should do little during this time.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ScratchFolderTest, LeavesNothingIfNoFileCanBeOpened) {
  const auto make = [&] {
    const NoMoreFiles none;
    ScratchFolder scratch(parent_);
  };
  EXPECT_THAT(make, testing::ThrowsMessage<Invalid>(
                        testing::EndsWith("Too many open files (the limit is 0: ulimit -n)")));
  EXPECT_TRUE(fs::is_empty(parent_));
}

}  // namespace
}  // namespace normbench::scratch_folder_test
