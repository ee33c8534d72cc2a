#include "document/journal.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/file.h"
#include "core/issue.h"
#include "document/random_results.h"

namespace normbench::journal_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() +
            ".jsonl";
    std::filesystem::remove(path_);
  }

  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string path_;
  const Json header_ = {{"seed", 7}, {"config", {{"name", "größer"}}}};
  const GroupResult first_ = RandomResults(1).group(), second_ = RandomResults(2).group();
};

TEST_F(JournalFile, HoldsPartsOfAGroupInTheirOrder) {
  const std::map<std::size_t, std::vector<GroupResult>> parts{{0, {first_, second_}}};
  {
    Journal journal = Journal::create(path_, header_);
    journal.add_part(0, first_);
    journal.add_part(0, second_);
    EXPECT_EQ(journal.content().parts, parts);
    journal.copy_to(path_ + ".copy");
  }
  EXPECT_EQ(Journal::resume(path_).content().parts, parts);
  EXPECT_EQ(Journal::resume(path_ + ".copy").content().parts, parts);
  std::filesystem::remove(path_ + ".copy");

  std::string lines = text();
  lines.erase(lines.find('\n') + 1, lines.find("{\"group\":0,\"part\":1") - lines.find('\n') - 1);
  std::ofstream(path_, std::ios::binary) << lines << "{}\n";
  EXPECT_THAT([&] { Journal::resume(path_); },
              ThrowsMessage<Invalid>(HasSubstr("/part: expected 0, the next one of group 0")));
}

TEST_F(JournalFile, HoldsTheLatestRoundsOfAGroupUntilItIsFinished) {
  {
    Journal journal = Journal::create(path_, header_);
    journal.add_begun(3, {.result = second_, .seconds = 0.5});
    journal.add_begun(3, {.result = first_, .seconds = 1.25});
    journal.add_begun(4, {.result = first_, .seconds = 2});
    journal.add_group(4, second_);
    journal.copy_to(path_ + ".copy");
  }
  for (const std::string& path : {path_, path_ + ".copy"}) {
    const Journal journal = Journal::resume(path);
    const std::map<std::size_t, BegunGroup> begun{{3, {.result = first_, .seconds = 1.25}}};
    EXPECT_EQ(journal.content().begun, begun);
    EXPECT_EQ(journal.content().groups, (std::map<std::size_t, GroupResult>{{4, second_}}));
  }
  std::filesystem::remove(path_ + ".copy");
}

TEST_F(JournalFile, HoldsWhatWasAdded) {
  {
    Journal journal = Journal::create(path_, header_);
    journal.add_group(0, first_);
    journal.add_hung(2, "CPU", "no end after 60 s");
    EXPECT_EQ(journal.content().header, header_);
    EXPECT_EQ(journal.content().groups.at(0), first_);
  }
  {
    Journal journal = Journal::resume(path_);
    journal.add_despite({"the CPU: was a, is b"});
    journal.add_despite({"the CPU: was a, is b"});
    journal.add_despite({"the CPU: was a, is b", "the kernel: was c, is d"});
    journal.add_group(2, second_);
  }
  const Journal journal = Journal::resume(path_);
  const JournalContent& content = journal.content();
  EXPECT_EQ(content.header, header_);
  EXPECT_EQ(content.groups, (std::map<std::size_t, GroupResult>{{0, first_}, {2, second_}}));
  EXPECT_EQ(content.hung, (decltype(content.hung){{2, {{"CPU", "no end after 60 s"}}}}));
  EXPECT_EQ(content.despite,
            (std::vector<std::string>{"the CPU: was a, is b", "the kernel: was c, is d"}));
  EXPECT_EQ(text(), R"({"journal":1,"header":{"seed":7,"config":{"name":"größer"}}})"
                    "\n{\"group\":0,\"result\":" +
                        to_json(first_).dump() +
                        "}\n"
                        R"({"hung":{"group":2,"contender":"CPU","why":"no end after 60 s"}})"
                        "\n{\"despite\":[\"the CPU: was a, is b\"]}"
                        "\n{\"despite\":[\"the kernel: was c, is d\"]}"
                        "\n{\"group\":2,\"result\":" +
                        to_json(second_).dump() + "}\n");
}

TEST_F(JournalFile, IsResumedWhereverItWasCut) {
  GroupResult small;
  small.experiment = "place";
  std::vector<std::size_t> ends;  // file sizes after the header, the first group and the hung case
  {
    Journal journal = Journal::create(path_, header_);
    ends.push_back(text().size());
    journal.add_group(0, small);
    ends.push_back(text().size());
    journal.add_hung(1, "GPU", "x");
    ends.push_back(text().size());
  }
  const std::string whole = text();
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, cut);
    if (cut < ends[0]) {
      EXPECT_THAT([&] { Journal::resume(path_); },
                  ThrowsMessage<Invalid>(HasSubstr("it has no complete line")));
      continue;
    }
    {
      Journal journal = Journal::resume(path_);
      EXPECT_EQ(journal.content().groups.size(), cut >= ends[1] ? 1 : 0) << cut;
      EXPECT_EQ(journal.content().hung.size(), cut >= ends[2] ? 1 : 0) << cut;
      journal.add_hung(3, "b", "y");
    }
    const std::size_t kept = cut >= ends[2] ? ends[2] : cut >= ends[1] ? ends[1] : ends[0];
    EXPECT_EQ(text(), whole.substr(0, kept) +
                          "{\"hung\":{\"group\":3,\"contender\":\"b\",\"why\":\"y\"}}\n");
  }
}

TEST_F(JournalFile, IsNotResumedWhenDamagedInTheMiddle) {
  const std::string good = R"({"journal":1,"header":{}})";
  const std::vector<std::pair<std::string, std::string>> all{
      {good + "\n{\"group\":0,\"res\n{\"group\":1}\n", "entry 2: "},
      {good + "\n\n", "entry 2: "},
      {good + "\n{\"group\":0}\n", "entry 2: "},
      {good + "\n{\"group\":-1,\"result\":{}}\n", "entry 2: "},
      {good + "\n{\"grop\":1}\n",
       "entry 2: expected \"group\", \"hung\" or \"despite\" (to go on from the entries before it, "
       "delete "
       "this line and all lines after it)"},
      {good + "\n{\"hung\":3}\n", "entry 2: "},
      {good + "\n[]\n", "entry 2: "},
      {good + "\n{\"despite\":[1]}\n", "entry 2: "},
      {good + "\n" + good + "\n", "entry 2: expected"},
      {"{\"journal\":2,\"header\":{}}\n",
       "entry 1: /journal: 2 is newer than this version of normbench reads (1)"},
      {"{\"journal\":0,\"header\":{}}\n", "entry 1: /journal: expected 1"},
      {"{\"journal\":1}\n", "entry 1: /header: expected an object"},
      {"hello\n", "entry 1: "},
      {"", "it has no complete line: the run had not begun (start a new run)"}};
  for (const auto& [content, message] : all) {
    std::ofstream(path_, std::ios::binary) << content;
    EXPECT_THAT([&] { Journal::resume(path_); },
                ThrowsMessage<Invalid>(HasSubstr(path_ + ": " + message)))
        << content;
    EXPECT_EQ(text(), content);
  }
}

TEST_F(JournalFile, IsNeverOverwritten) {
  { Journal::create(path_, header_).add_hung(0, "a", "b"); }
  const std::string before = text();
  EXPECT_THAT([&] { Journal::create(path_, {}); },
              ThrowsMessage<CannotWrite>("cannot write " + path_ + ": File exists"));
  EXPECT_EQ(text(), before);
}

TEST_F(JournalFile, IsBegunAnewWhereItHadNotBegun) {
  for (const std::string left : {"", "{\"journal\":1,\"hea"}) {
    std::ofstream(path_, std::ios::binary) << left;
    EXPECT_FALSE(Journal::begun(path_));
    Journal::create(path_, header_);
    EXPECT_TRUE(Journal::begun(path_));
    EXPECT_EQ(Journal::resume(path_).content().header, header_);
    std::filesystem::remove(path_);
  }
}

TEST_F(JournalFile, IsNoOtherFileOfItsName) {
  std::ofstream(path_, std::ios::binary) << "mine\n";
  EXPECT_FALSE(Journal::begun(path_));
  EXPECT_THROW(Journal::create(path_, header_), CannotWrite);
  EXPECT_EQ(text(), "mine\n");
}

TEST_F(JournalFile, IsNotChangedBeforeALineIsAdded) {
  { Journal::create(path_, header_).add_hung(0, "a", "b"); }
  const std::string cut = text() + "{\"group\":1,\"res";
  std::ofstream(path_, std::ios::binary) << cut;
  {
    Journal journal = Journal::resume(path_);
    journal.add_despite({});
  }
  EXPECT_EQ(text(), cut);
}

TEST_F(JournalFile, IsOpenInOneProcessAtATime) {
  const Journal journal = Journal::create(path_, header_);
  EXPECT_THAT(
      [&] { Journal::resume(path_); },
      ThrowsMessage<Invalid>(path_ + ": another normbench is writing to it (wait for its end)"));
  EXPECT_THAT(
      [&] { Journal::create(path_, header_); },
      ThrowsMessage<CannotWrite>("cannot write " + path_ + ": another normbench is writing to it"));
}

TEST_F(JournalFile, NoticesThatItIsGone) {
  Journal journal = Journal::create(path_, header_);
  std::filesystem::remove(path_);
  EXPECT_THAT([&] { journal.add_group(0, first_); },
              ThrowsMessage<CannotWrite>("cannot write " + path_ + ": No such file or directory"));
  std::ofstream(path_, std::ios::binary) << "mine";
  EXPECT_THAT(
      [&] { journal.add_group(0, first_); },
      ThrowsMessage<CannotWrite>("cannot write " + path_ + ": another file has taken its place"));
  EXPECT_EQ(text(), "mine");
}

TEST_F(JournalFile, NoticesThatItWasShortened) {
  Journal journal = Journal::create(path_, header_);
  std::filesystem::resize_file(path_, 3);
  EXPECT_THAT(
      [&] { journal.add_group(0, first_); },
      ThrowsMessage<CannotWrite>("cannot write " + path_ + ": something else has shortened it"));
  EXPECT_EQ(text(), "{\"j");
}

TEST_F(JournalFile, IsCopiedWithAllItHolds) {
  Journal journal = Journal::create(path_, header_);
  journal.add_group(1, first_);
  journal.add_hung(2, "GPU", "x");
  journal.add_despite({"the CPU: was a, is b"});
  journal.add_group(1, second_);
  const std::string copy = path_ + ".copy";
  std::filesystem::remove(copy);
  journal.copy_to(copy);
  EXPECT_EQ(Journal::resume(copy).content(), journal.content());
  EXPECT_THROW(journal.copy_to(copy), CannotWrite);
}

TEST_F(JournalFile, SaysWhereThereIsNone) {
  EXPECT_THAT([&] { Journal::resume(path_); },
              ThrowsMessage<Invalid>(path_ + ": cannot be read (nothing to resume there)"));
  EXPECT_THROW(Journal::create(path_ + "/x", {}), CannotWrite);
  EXPECT_THAT([&] { Journal::resume(testing::TempDir()); },
              ThrowsMessage<Invalid>(testing::TempDir() + ": is a directory, no journal"));
}

TEST_F(JournalFile, LeavesNothingWhereItDoesNotFit) {
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 10, .rlim_max = unlimited.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THAT([&] { Journal::create(path_, header_); },
              ThrowsMessage<CannotWrite>("cannot write " + path_ + ": File too large"));
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JournalFile, KeepsNoPartOfALineThatDoesNotFit) {
  Journal journal = Journal::create(path_, header_);
  const std::string before = text();
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = before.size() + 10, .rlim_max = unlimited.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(journal.add_group(0, first_), CannotWrite);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(text(), before);
  // The group is not lost: the journal still has it in memory, and copy_to() writes it to another
  // file.
  EXPECT_EQ(journal.content().groups.at(0), first_);
  const std::string copy = path_ + ".copy";
  std::filesystem::remove(copy);
  journal.copy_to(copy);
  EXPECT_EQ(Journal::resume(copy).content().groups.at(0), first_);
  journal.add_group(0, first_);
  EXPECT_EQ(journal.content().groups.at(0), first_);
  EXPECT_EQ(text().size(), before.size() + 22 + to_json(first_).dump().size());
}

TEST_F(JournalFile, SurvivesTextThatIsNotUtf8) {
  { Journal::create(path_, header_).add_hung(0, "caf\xe9", ""); }
  EXPECT_EQ(Journal::resume(path_).content().hung.at(0).begin()->first, "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace normbench::journal_test
