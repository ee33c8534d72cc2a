#include "core/input_file.h"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>

#include "core/file.h"

namespace normbench::input_file_test {
namespace {

namespace fs = std::filesystem;

class InputFileTest : public testing::Test {
 protected:
  InputFileTest()
      : path_(fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~InputFileTest() override { fs::remove(path_); }

  const fs::path path_;
};

template <class File>
std::string why_not(const std::string& path) try {
  const File file(path);
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

TEST_F(InputFileTest, IsReadFromAnywhere) {
  write_file(path_, "abcde");
  const InputFile file(path_);
  EXPECT_EQ(file.bytes(), 5);
  std::array<std::byte, 2> two{};
  file.read(3, two);
  EXPECT_EQ(two, (std::array{std::byte{'d'}, std::byte{'e'}}));
  EXPECT_THAT([&] { file.read(4, two); },
              testing::ThrowsMessage<std::runtime_error>("ends too early (was it cut off?)"));
}

TEST_F(InputFileTest, IsMapped) {
  write_file(path_, "abcde");
  const MappedFile file(path_);
  EXPECT_THAT(file.bytes(), testing::SizeIs(5));
  EXPECT_EQ(file.bytes()[4], std::byte{'e'});
}

TEST_F(InputFileTest, SaysWhyNot) {
  EXPECT_EQ(why_not<InputFile>("/no/such/file"), "No such file or directory");
  EXPECT_EQ(why_not<InputFile>("/dev/null"), "is not a regular file");
  EXPECT_EQ(why_not<MappedFile>("/dev"), "is a directory (give a file)");
  write_file(path_, "");
  EXPECT_EQ(why_not<InputFile>(path_), "");
  EXPECT_EQ(why_not<MappedFile>(path_), "is empty");
}

}  // namespace
}  // namespace normbench::input_file_test
