#include "measure/file_walk.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "image_files.h"
#include "machine/page_cache.h"

namespace normbench::file_walk_test {
namespace {

namespace fs = std::filesystem;

struct FileWalkTest : testing::Test {
  FileWalkTest() {
    fs::create_directories(folder);
    for (int i = 0; i < 5; ++i)
      write_file((folder / fmt::format("{}.raw", i)).string(), Bytes(12));
  }
  ~FileWalkTest() override { fs::remove_all(folder); }

  Load load(PageCache cache = PageCache::Warm) const {
    Load load{.path = folder, .batch = 2, .height = 2, .width = 2};
    load.storage = Storage::Raw;
    load.page_cache = cache;
    load.resolve({});
    return load;
  }

  const fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FileWalkTest, GoesOnByTheLongestTurn) {
  FileWalk walk;
  walk.add(load(), 2);
  walk.add(load(), 3);
  walk.begin();
  EXPECT_EQ(walk.first(), 0);
  EXPECT_EQ(walk.items(), 3);
  walk.go_on();
  walk.go_on();
  EXPECT_EQ(walk.first(), 6);
  EXPECT_EQ(walk.items(), 9);
}

TEST_F(FileWalkTest, StaysIfAContenderMust) {
  FileWalk walk;
  EXPECT_FALSE(walk.goes_on());  // no loader was added
  walk.add(load(), 2);
  EXPECT_TRUE(walk.goes_on());
  walk.stay();
  EXPECT_FALSE(walk.goes_on());
  walk.begin();
  walk.go_on();
  EXPECT_EQ(walk.first(), 0);
  EXPECT_EQ(walk.items(), 2);
}

/// In a turn with cold files, no image is read twice: the walk over the images starts over when
/// less than a whole item is left. An item has two images, so 5 images are 2 whole items.
TEST_F(FileWalkTest, WithColdFilesStartsOverInTime) {
  FileWalk walk;
  walk.add(load(PageCache::Cold), 1, 2);
  walk.begin();
  std::vector<std::int64_t> firsts;
  for (int round = 0; round < 5; ++round) {
    firsts.push_back(walk.first());
    walk.go_on();
  }
  EXPECT_THAT(firsts, testing::ElementsAre(0, 1, 0, 1, 0));
}

TEST_F(FileWalkTest, AMissingFileIsNoErrorHere) {
  FileWalk walk;
  walk.add(load(), 2);
  fs::remove(folder / "3.raw");
  walk.begin();
  EXPECT_NO_THROW(walk.go_on());
}

TEST_F(FileWalkTest, ReadsPartsOfFiles) {
  const std::string file = (folder / "0.raw").string();
  EXPECT_NO_THROW(read_ahead(file));
  EXPECT_NO_THROW(read_ahead(file, 4, 4));
  EXPECT_NO_THROW(read_ahead(file, 4, 400));  // reads to the end of the file
  EXPECT_THROW(read_ahead((folder / "none").string()), std::runtime_error);
}

}  // namespace
}  // namespace normbench::file_walk_test
