#include "report/text.h"

#include <gtest/gtest.h>

#include "report/report.h"

namespace normbench::text_test {
namespace {

TEST(Text, WidthIsWhatATerminalDraws) {
  EXPECT_EQ(display_width("ab"), 2u);
  EXPECT_EQ(display_width("±·…"), 3u);
  EXPECT_EQ(display_width("画像"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\xE7\x94"), 1u);   // cut off in the middle
}

TEST(Text, CutSaysThatSomethingIsMissing) {
  EXPECT_EQ(cut("normalize", 9), "normalize");
  EXPECT_EQ(cut("normalize", 5), "norm…");
  EXPECT_EQ(cut("画像画像", 4), "画…");
}

TEST(Text, WrapsAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 2, 10), "  one two\n    three\n");
  EXPECT_EQ(wrapped("unbreakable", 0, 4), "unbreakable\n");
  EXPECT_EQ(wrapped("", 0), "\n");
}

TEST(Text, ColumnsAlignByWidthAndLeaveOutTheEmpty) {
  EXPECT_EQ(
      columns_text({{"name", {"画像", "b"}, true}, {"x", {"", ""}}, {"±", {"1 %", "12 %"}}}, 2),
      "  name     ±\n"
      "  画像   1 %\n"
      "  b     12 %\n");
  EXPECT_EQ(columns_text({{"name", {}, true}}, 2), "");
}

TEST(Text, TheFirstColumnGivesWay) {
  EXPECT_EQ(columns_text({{"n", {std::string(30, 'a')}, true}, {"ms", {"1.5"}}}, 0, 20),
            "n                 ms\n"
            "aaaaaaaaaaaaaa…  1.5\n");
}

TEST(Reports, AreFoundByName) {
  EXPECT_EQ(report_named("table").file, "table.txt");
  EXPECT_EQ(report_named("json").file, "results.json");
  try {
    report_named("tex");
    FAIL();
  } catch (const Invalid& invalid) {
    EXPECT_STREQ(invalid.what(), "unknown format \"tex\" (known: text, table, html, json)");
  }
}

}  // namespace
}  // namespace normbench::text_test
