#include "core/line_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/file.h"
#include "core/issue.h"

namespace normbench::line_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Lines : public testing::Test {
 protected:
  Lines()
      : path_(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() +
              ".jsonl") {
    std::filesystem::remove(path_);
  }
  ~Lines() override { std::filesystem::remove(path_); }

  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static std::vector<std::string> read(LineFile& file) {
    std::vector<std::string> lines;
    file.read([&](std::string_view line, int number) {
      EXPECT_EQ(number, std::ssize(lines) + 1);
      lines.emplace_back(line);
    });
    return lines;
  }

  const std::string path_;
};

TEST_F(Lines, AreKeptAndALineThatWasCutOffMakesRoom) {
  LineFile::create(path_, "first").append("second");
  std::ofstream(path_, std::ios::app) << "cut o";
  {
    LineFile file = LineFile::resume(path_);
    EXPECT_THAT(read(file), ElementsAre("first", "second"));
    EXPECT_EQ(text(), "first\nsecond\ncut o");  // nothing is changed before the next line
    file.append("third");
  }
  EXPECT_EQ(text(), "first\nsecond\nthird\n");
}

TEST_F(Lines, AreOpenInOneProcessAtATime) {
  const LineFile file = LineFile::create(path_, "first");
  EXPECT_THAT([&] { LineFile::resume(path_); },
              ThrowsMessage<Invalid>(path_ + ": another normbench is writing to it (wait for its "
                                             "end)"));
  EXPECT_THAT([&] { LineFile::create(path_, "other"); },
              ThrowsMessage<CannotWrite>(HasSubstr("Device or resource busy")));
}

TEST_F(Lines, HaveBegunWithAWholeLine) {
  EXPECT_FALSE(LineFile::begun(path_));
  std::ofstream(path_) << "fir";
  EXPECT_FALSE(LineFile::begun(path_));
  LineFile::create(path_, "first");
  EXPECT_TRUE(LineFile::begun(path_));
  EXPECT_EQ(text(), "first\n");
  EXPECT_THAT([&] { LineFile::create(path_, "other"); },
              ThrowsMessage<CannotWrite>(HasSubstr("File exists")));
}

TEST_F(Lines, SayWhichOneIsWrong) {
  LineFile::create(path_, "first").append("second");
  LineFile file = LineFile::resume(path_);
  EXPECT_THAT(
      [&] {
        file.read([](std::string_view line, int) {
          if (line == "second") throw Invalid("no number");
        });
      },
      ThrowsMessage<Invalid>(path_ + ": entry 2: no number"));
}

TEST_F(Lines, AreNotWrittenToAFileThatWasReplaced) {
  LineFile file = LineFile::create(path_, "first");
  std::filesystem::remove(path_);
  EXPECT_THAT([&] { file.append("x"); },
              ThrowsMessage<CannotWrite>(HasSubstr("No such file or directory")));
  std::ofstream(path_) << "mine\n";
  EXPECT_THAT([&] { file.append("x"); },
              ThrowsMessage<CannotWrite>(HasSubstr("another file has taken its place")));
  EXPECT_EQ(text(), "mine\n");
}

}  // namespace
}  // namespace normbench::line_file_test
