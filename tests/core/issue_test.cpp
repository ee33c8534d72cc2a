#include "core/issue.h"

#include <gtest/gtest.h>

namespace normbench::issue_test {
namespace {

TEST(Nearest, FindsTypingMistakes) {
  const std::vector<std::string> known{"dtype", "batch", "size", "layout", "memory"};
  EXPECT_EQ(nearest("bacth", known), "batch");
  EXPECT_EQ(nearest("batches", known), "batch");
  EXPECT_EQ(nearest("siez", known), "size");
  EXPECT_EQ(nearest("memroy", known), "memory");
  EXPECT_EQ(nearest("layout", known), "layout");
  EXPECT_EQ(nearest("gpu", {"cpu", "cuda"}), "cuda");
  EXPECT_EQ(nearest("gpu", {"cpu", "x"}), "cpu");
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
  const std::vector<std::string> known{"to", "in", "float16"};
  EXPECT_EQ(nearest("op", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("fp61", known), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'x'), known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, AllowsAThirdOfALongWord) {
  EXPECT_EQ(nearest("max_secs_per_group", {"max_seconds_per_group"}), "max_seconds_per_group");
  EXPECT_EQ(nearest("mx_secs_pr_grp", {"max_seconds_per_group"}), "");
}

TEST(ShellWord, IsQuotedWhereAShellWouldSplitOrReadIt) {
  EXPECT_EQ(shell_word("results/mine-1.0_a"), "results/mine-1.0_a");
  EXPECT_EQ(shell_word("2 µs"), "'2 µs'");
  EXPECT_EQ(shell_word("fast [m=x]"), "'fast [m=x]'");
  EXPECT_EQ(shell_word("it's $HOME"), R"('it'\''s $HOME')");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(BadInput, NamesEveryIssueWithItsPlace) {
  const BadInput error("a.json",
                       {{"", "is empty (expected JSON)"}, {"/name", "expected a string"}});
  EXPECT_STREQ(error.what(), "a.json: is empty (expected JSON)\na.json:/name: expected a string");
  EXPECT_EQ(error.file, "a.json");
  EXPECT_EQ(error.issues.size(), 2u);
}

TEST(BadInput, IsALineForEachIssueWhateverNamesHold) {
  const BadInput error("a.json", {{std::string("/a\0b", 4), "is \"\x1b[2J\""}, {"/c\nd", "is e"}});
  EXPECT_STREQ(error.what(),
               "a.json:/a\\u0000b: is \"\\u001b[2J\"\n"
               "a.json:/c\\nd: is e");
}

TEST(Unknown, SaysWhatIsKnownOrWhatIsNear) {
  EXPECT_EQ(unknown_of("format", "jsno", {"text", "json"}),
            "unknown format \"jsno\" (known: text, json)");
  EXPECT_EQ(unknown("format", "jsno", {"text", "json"}),
            "unknown format \"jsno\" (did you mean \"json\"?)");
  EXPECT_EQ(unknown_of("variant", "x", {"eager: cast, sub", "fused"}),
            "unknown variant \"x\" (known: \"eager: cast, sub\", \"fused\")");
  EXPECT_EQ(unknown("peer", "torch", {}), "unknown peer \"torch\" (there are none)");
}

}  // namespace
}  // namespace normbench::issue_test
