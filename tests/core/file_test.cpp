#include "core/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace normbench::file_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string path(const char* name) const { return folder_ / name; }

  /// Returns "name=content" for all files in the folder.
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::ifstream in(entry.path(), std::ios::binary);
      all.push_back(entry.path().filename().string() + "=" +
                    std::string(std::istreambuf_iterator<char>(in), {}));
    }
    return all;
  }

  fs::path folder_;
};

TEST_F(File, IsWrittenWhole) {
  const std::string zeros("a\0b\n", 4);
  write_file(path("x"), zeros);
  EXPECT_THAT(files(), ElementsAre("x=" + zeros));
  write_file(path("x"), "");
  EXPECT_THAT(files(), ElementsAre("x="));
}

TEST_F(File, TakesAWritersStream) {
  std::string expected;
  write_file(path("x"), [&](std::ostream& out) {
    for (int i = 0; i < 100'000; ++i) {  // more than any buffer
      out << i << '\n';
      expected += std::to_string(i) + '\n';
    }
  });
  EXPECT_THAT(files(), ElementsAre("x=" + expected));
}

TEST_F(File, KeepsTheOldOneWhenTheWriterFails) {
  write_file(path("x"), "old");
  EXPECT_THROW(write_file(path("x"),
                          [](std::ostream& out) {
                            out << "new";
                            throw std::logic_error("no");
                          }),
               std::logic_error);
  EXPECT_THAT(files(), ElementsAre("x=old"));
}

TEST_F(File, KeepsTheOldOneWhenTheDiskIsFull) {
  write_file(path("x"), "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THAT([&] { write_file(path("x"), std::string(5000, 'y')); },
              ThrowsMessage<CannotWrite>("cannot write " + path("x") + ": File too large"));
  EXPECT_THAT(
      [&] {
        write_file(path("x"), [](std::ostream& out) {
          for (int i = 0; i < 100'000; ++i) out << "line\n";
        });
      },
      ThrowsMessage<CannotWrite>("cannot write " + path("x") + ": File too large"));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(files(), ElementsAre("x=old"));
}

TEST_F(File, SaysWhyItCannotBeWritten) {
  EXPECT_THAT(
      [&] { write_file(path("no/x"), ""); },
      ThrowsMessage<CannotWrite>("cannot write " + path("no/x") + ": No such file or directory"));
  EXPECT_THAT([&] { write_file(folder_, ""); },
              ThrowsMessage<CannotWrite>(HasSubstr("it exists and is not a regular file")));
  EXPECT_THAT([] { write_file("/dev/null", "x"); },
              ThrowsMessage<CannotWrite>(HasSubstr("it exists and is not a regular file")));
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(File, IsNotWrittenThroughALink) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("x"));
  fs::create_symlink("absent", path("y"));
  for (const char* link : {"x", "y"})
    EXPECT_THAT([&] { write_file(path(link), "new"); },
                ThrowsMessage<CannotWrite>("cannot write " + path(link) +
                                           ": it is a link (name the file itself)"));
  EXPECT_TRUE(fs::is_symlink(path("x")));
  EXPECT_FALSE(fs::exists(path("absent")));
  fs::remove(path("y"));
  EXPECT_THAT(files(), testing::UnorderedElementsAre("x=old", "target=old"));
}

/// Returns the path that write_file() tries for the temporary file of `x` after it found `number`
/// earlier paths taken.
std::string beside(const std::string& x, int number) {
  return x + "." + std::to_string(getpid() + number) + ".tmp";
}

TEST_F(File, DoesNotFollowALinkThatWasPutBesideIt) {
  fs::create_symlink("target", beside(path("x"), 0));
  write_file(beside(path("x"), 1), "of another process");
  write_file(path("x"), "new");
  EXPECT_FALSE(fs::exists(path("target")));
  EXPECT_TRUE(fs::is_symlink(beside(path("x"), 0)));
  fs::remove(beside(path("x"), 0));
  const std::string other = fs::path(beside(path("x"), 1)).filename();
  EXPECT_THAT(files(), testing::UnorderedElementsAre("x=new", other + "=of another process"));
  EXPECT_EQ(WholeFile::named_beside(other), "x");
}

TEST_F(File, FoldersOfOnesOwnAreNumbered) {
  const std::string name = path("deep/run");
  EXPECT_EQ(create_own_folder(name), name);
  fs::create_symlink("/", name + "-2");
  EXPECT_EQ(create_own_folder(name), name + "-3");
  EXPECT_EQ(create_own_folder(name), name + "-4");
  write_file(path("file"), "");
  EXPECT_THAT([&] { create_own_folder(path("file/run")); },
              ThrowsMessage<CannotWrite>("cannot create " + path("file") + ": " + path("file") +
                                         " is not a folder"));
}

TEST_F(File, HasTheModeOfAnyNewFile) {
  const mode_t mask = umask(0027);
  write_file(path("x"), "");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640);
}

}  // namespace
}  // namespace normbench::file_test
