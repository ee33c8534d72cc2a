#include "core/text.h"

#include <gmock/gmock.h>

namespace normbench::text_test {
namespace {

TEST(Text, WidthIsWhatATerminalDraws) {
  EXPECT_EQ(display_width("ab"), 2u);
  EXPECT_EQ(display_width("±·…"), 3u);
  EXPECT_EQ(display_width("画像"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\xE7\x94"), 2u);   // an incomplete character
}

TEST(Text, WidthIsThatOfUnicodesTables) {
  EXPECT_EQ(display_width("⌚⏰☕⚽✅"), 10u);  // emoji outside of the emoji planes
  EXPECT_EQ(display_width("😀🚀🫠"), 6u);
  EXPECT_EQ(display_width("🌡🏔🖥"), 3u);  // pictures that are drawn as text
  EXPECT_EQ(display_width("\u2699\uFE0F"), 1u);
  EXPECT_EQ(display_width("한글ｱｲ（）"), 10u);      // half-width letters, wide brackets
  EXPECT_EQ(display_width("ש\u05B8ל\u05D5ם"), 4u);  // a point below a letter
  EXPECT_EQ(display_width("ก\u0E33น\u0E49ำ"), 4u);
  EXPECT_EQ(display_width("क\u093Fत\u093E"), 4u);  // marks beside a letter
  EXPECT_EQ(display_width("a\u200Bb\u200Dc"), 3u);
  EXPECT_EQ(display_width(std::string_view("\0\n\x7F\xC2\x85\xE2\x80\xA8", 8)), 5u);
}

TEST(Text, CutSaysThatSomethingIsMissing) {
  EXPECT_EQ(cut("normalize", 9), "normalize");
  EXPECT_EQ(cut("normalize", 5), "norm…");
  EXPECT_EQ(cut("画像画像", 4), "画…");
}

TEST(Text, WrapsAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 2, 10), "  one two\n    three\n");
  EXPECT_EQ(wrapped("unbreakable", 0, 4), "unbreakable\n");
  EXPECT_EQ(wrapped("", 4), "");
  EXPECT_EQ(wrapped("cast    cpu", 2, 8), "  cast\n    cpu\n");
  EXPECT_EQ(wrapped("a  b", 0, 4), "a  b\n");
  EXPECT_EQ(wrapped("abcd  ", 0, 4), "abcd\n");
  EXPECT_EQ(wrapped("  abcde", 2, 4), "  abcde\n");
  EXPECT_EQ(wrapped("ab cd", 1, 4, 0), " ab\n cd\n");
}

TEST(Text, ColumnsAlignByWidthAndLeaveOutTheEmpty) {
  EXPECT_EQ(
      columns_text({{"name", {"画像", "b"}, true}, {"x", {"", ""}}, {"±", {"1 %", "12 %"}}}, 2),
      "  name     ±\n"
      "  画像   1 %\n"
      "  b     12 %\n");
  EXPECT_EQ(columns_text({{"name", {}, true}}, 2), "");
}

TEST(Text, NumbersKeepTheirUnits) {
  EXPECT_EQ(wrapped("takes 12 ms, at 97 % of 60 GB/s.", 0, 8),
            "takes\n  12 ms,\n  at\n  97 %\n  of\n  60 GB/s.\n");
  EXPECT_EQ(wrapped("5 seconds", 0, 4), "5\n  seconds\n");
  EXPECT_EQ(wrapped("stream 1.00 MB:4.00 MB nt", 0, 12), "stream\n  1.00 MB:4.00 MB\n  nt\n");
}

TEST(Text, ATableThatIsTooWideCutsNames) {
  EXPECT_EQ(columns_text({{"n", {std::string(40, 'a')}, true}, {"ms", {"1.5"}}}, 0, 32),
            "n                             ms\n"
            "aaaaaaaaaaaaaaaaaaaaaaaaaa…  1.5\n");
}

TEST(Text, ThenLeavesOutColumnsThatCanBeSpared) {
  const std::vector<Column> columns{{"name", {"a short one"}, true},
                                    {"ms", {"1.5"}},
                                    {"±", {"0.5 %"}, false, 1},
                                    {"", {""}, false, 3},
                                    {"±", {"12,345"}, false, 2}};
  const Laid laid = laid_out(columns, 2, 26);
  EXPECT_EQ(laid.text,
            "  name          ms       ±\n"
            "  a short one  1.5  12,345\n"
            "  Left out for lack of\n    space: ±\n");
  EXPECT_THAT(laid.has, testing::ElementsAre(true, true, false, false, true));
  EXPECT_THAT(laid_out(columns, 2, 10).has, testing::ElementsAre(true, true, false, false, false));
}

TEST(Text, AndGivesLinesOfTheirOwnToNamesThatWouldBeAlike) {
  const std::string start(30, 'a');
  EXPECT_EQ(columns_text({{"n", {start + "b", start + "c", "d"}, true}, {"ms", {"1.5", "2", "3"}}},
                         0, 30),
            "n                           ms\n" + start + "b\n" + std::string(27, ' ') + "1.5\n" +
                start + "c\n" + std::string(29, ' ') + "2\n" + "d" + std::string(28, ' ') + "3\n");
}

TEST(Text, ColoursTakeNoRoom) {
  const Screen screen{.colour = true};
  EXPECT_EQ(painted("bad\n", Ink::Bad, screen), "\033[31mbad\033[0m\n");
  EXPECT_EQ(painted("two\n  lines\n", Ink::Good, screen),
            "\033[32mtwo\033[0m\n  \033[32mlines\033[0m\n");
  EXPECT_EQ(painted("", Ink::Bad, screen), "");
  EXPECT_EQ(display_width("\033[2Kxm"), 6u);  // no colour: its control character counts
  EXPECT_EQ(painted("bad", Ink::Bad, {}), "bad");
  EXPECT_EQ(display_width(painted("bad", Ink::Bad, screen)), 3u);
  EXPECT_EQ(
      columns_text({{"a", {painted("bad", Ink::Bad, screen), "x"}, true}, {"b", {"1", "2"}}}, 0),
      "a    b\n\033[31mbad\033[0m  1\nx    2\n");
}

TEST(Text, TheLastGuardLeavesLinesAndItsOwnColours) {
  const Screen plain{}, coloured{.width = 80, .colour = true};
  const std::string ours = painted("good\nnews", Ink::Good, coloured);
  EXPECT_EQ(made_harmless(ours, coloured), ours);
  EXPECT_EQ(made_harmless(ours, plain), R"(\u001b[32mgood\u001b[0m)"
                                        "\n"
                                        R"(\u001b[32mnews\u001b[0m)");
  for (const Ink ink : {Ink::Answer, Ink::Good, Ink::Bad, Ink::Doubt})
    EXPECT_EQ(made_harmless(painted("x", ink, coloured), coloured), painted("x", ink, coloured));
  EXPECT_EQ(made_harmless("a\033]0;title\ab\033[2J\033[7m\033[1", coloured),
            R"(a\u001b]0;title\u0007b\u001b[2J\u001b[7m\u001b[1)");
  EXPECT_EQ(made_harmless("one\r\ntwo\r\x9b\xc2\x9b", coloured), "one\r\ntwo\\r\\x9b\\u009b");
}

}  // namespace
}  // namespace normbench::text_test
