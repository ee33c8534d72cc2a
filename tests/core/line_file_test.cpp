#include "core/line_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

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
    EXPECT_EQ(text(), "first\nsecond\ncut o");  // unchanged until the next line is written
    file.append("third");
  }
  EXPECT_EQ(text(), "first\nsecond\nthird\n");
}

TEST_F(Lines, AreOpenInOneProcessAtATime) {
  const LineFile file = LineFile::create(path_, "first");
  EXPECT_THAT([&] { LineFile::resume(path_); },
              ThrowsMessage<Invalid>(path_ + ": another normbench is writing to it (wait for its "
                                             "end)"));
  EXPECT_THAT(
      [&] { LineFile::create(path_, "other"); },
      ThrowsMessage<CannotWrite>("cannot write " + path_ + ": another normbench is writing to it"));
}

TEST_F(Lines, HaveBegunWithAWholeLine) {
  EXPECT_EQ(LineFile::first_line(path_), std::nullopt);
  std::ofstream(path_) << "fir";
  EXPECT_EQ(LineFile::first_line(path_), std::nullopt);
  LineFile::create(path_, "first");
  EXPECT_EQ(LineFile::first_line(path_), "first");
  EXPECT_EQ(text(), "first\n");
  EXPECT_THAT([&] { LineFile::create(path_, "other"); },
              ThrowsMessage<CannotWrite>(HasSubstr("File exists")));
}

TEST_F(Lines, AreNotKeptWholeToSeeHowTheyBegin) {
  const std::string large(1'000'000, 'x');
  std::ofstream(path_, std::ios::binary) << "first" << large;
  EXPECT_EQ(LineFile::first_line(path_), std::nullopt);
  EXPECT_THAT([&] { LineFile::create(path_, "other: 1"); },
              ThrowsMessage<CannotWrite>("cannot write " + path_ + ": it has other content"));
  std::ofstream(path_, std::ios::binary | std::ios::app) << "\nsecond\n";
  EXPECT_EQ(LineFile::first_line(path_), ("first" + large).substr(0, 1 << 16));
  EXPECT_THAT([&] { LineFile::create(path_, "first" + large); },
              ThrowsMessage<CannotWrite>(HasSubstr("File exists")));
}

TEST_F(Lines, AreNotBegunOverSomethingElse) {
  for (const std::string mine : {"mine", "{\"first\""}) {
    std::ofstream(path_, std::ios::binary) << mine;
    EXPECT_THAT([&] { LineFile::create(path_, "first"); },
                ThrowsMessage<CannotWrite>("cannot write " + path_ + ": it has other content"));
    EXPECT_EQ(text(), mine);
  }
  std::ofstream(path_, std::ios::binary) << "{\"first\": 1, \"cut o";
  LineFile::create(path_, "{\"first\": 2}");
  EXPECT_EQ(text(), "{\"first\": 2}\n");
}

TEST_F(Lines, AreNotWrittenThroughALink) {
  const std::string target = path_ + ".target";
  LineFile::create(target, "first");
  for (const bool is_there : {true, false}) {
    if (!is_there) std::filesystem::remove(target);
    std::filesystem::create_symlink(target, path_);
    EXPECT_EQ(LineFile::first_line(path_), std::nullopt);
    EXPECT_THAT([&] { LineFile::create(path_, "first"); },
                ThrowsMessage<CannotWrite>(HasSubstr("it is a link")));
    EXPECT_THAT([&] { LineFile::resume(path_); },
                ThrowsMessage<Invalid>(HasSubstr("it is a link")));
    EXPECT_EQ(std::filesystem::exists(target), is_there);
    std::filesystem::remove(path_);
  }
  LineFile file = LineFile::create(path_, "first");
  std::filesystem::rename(path_, target);
  std::filesystem::create_symlink(target, path_);
  EXPECT_THAT([&] { file.append("x"); },
              ThrowsMessage<CannotWrite>(HasSubstr("another file has taken its place")));
  std::filesystem::remove(target);
}

TEST_F(Lines, DoNotWaitForAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(LineFile::first_line(path_), std::nullopt);
  EXPECT_THAT([&] { LineFile::create(path_, "first"); },
              ThrowsMessage<CannotWrite>(HasSubstr("it exists and is not a regular file")));
  EXPECT_THAT([&] { LineFile::resume(path_); },
              ThrowsMessage<Invalid>(HasSubstr("it exists and is not a regular file")));
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
      ThrowsMessage<Invalid>(path_ + ": entry 2: no number (to go on from the entries before it, "
                                     "delete this line and all lines after it)"));
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
