#include "core/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace normbench::units_test {
namespace {

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(27'648'000), "27.6 MB");
  EXPECT_EQ(format_bytes(999'600), "1.00 MB");
  EXPECT_EQ(format_bytes(110'592'000), "111 MB");
  EXPECT_EQ(format_bytes(9e18), "9000 PB");
}

TEST(Units, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
  EXPECT_EQ(format_count(-123), "-123");
  EXPECT_EQ(format_count(-123'456), "-123,456");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Units, Milliseconds) {
  EXPECT_EQ(format_ms(135'600'000), "135.6");
  EXPECT_EQ(format_ms(1'234'560'000), "1234.6");
  EXPECT_EQ(format_ms(99'960'000), "100.0");
  EXPECT_EQ(format_ms(10'800'000), "10.8");
  EXPECT_EQ(format_ms(10'000'000), "10.0");
  EXPECT_EQ(format_ms(5'600'000), "5.60");
  EXPECT_EQ(format_ms(2'951'000), "2.95");
  EXPECT_EQ(format_ms(310'000), "0.310");
  EXPECT_EQ(format_ms(6'600), "0.00660");
  EXPECT_EQ(format_ms(0), "0");
}

TEST(Units, SignificantDigits) {
  EXPECT_EQ(format_significant(8.99, 3), "8.99");
  EXPECT_EQ(format_significant(34, 3), "34.0");
  EXPECT_EQ(format_significant(0.72, 2), "0.72");
  EXPECT_EQ(format_significant(9.996, 3), "10.0");
  EXPECT_EQ(format_significant(12345, 3), "12345");
  EXPECT_EQ(format_significant(-0.00123456, 3), "-0.00123");
  EXPECT_EQ(format_significant(0, 3), "0");
}

TEST(Units, BinaryBytes) {
  EXPECT_EQ(format_binary_bytes(4096), "4 KiB");
  EXPECT_EQ(format_binary_bytes(48 << 10), "48 KiB");
  EXPECT_EQ(format_binary_bytes((1 << 20) - 1024), "1023 KiB");
  EXPECT_EQ(format_binary_bytes(5 << 18), "1.25 MiB");
  EXPECT_EQ(format_binary_bytes(32 << 20), "32 MiB");
}

TEST(Units, Percent) {
  EXPECT_EQ(format_percent(0.009), "0.9 %");
  EXPECT_EQ(format_percent(0.12), "12 %");
  EXPECT_EQ(format_percent(0.0996), "10 %");
  EXPECT_EQ(format_percent(0.0003), "0.03 %");
  EXPECT_EQ(format_percent(1.016), "102 %");
  EXPECT_EQ(format_percent(0), "0.0 %");
}

TEST(Units, TextIsCutBetweenCharacters) {
  EXPECT_EQ(cut_utf8("µs", 3), "µs");
  EXPECT_EQ(cut_utf8("µs", 2), "µ…");
  EXPECT_EQ(cut_utf8("µs", 1), "…");
  EXPECT_EQ(next_character("µs", 0), 0u);
  EXPECT_EQ(next_character("µs", 1), 2u);
  EXPECT_EQ(next_character("µs", 9), 3u);
}

TEST(Units, NamesAreOnOneLineAndDoNothingToATerminal) {
  EXPECT_EQ(on_one_line("µs · 画像 ±"), "µs · 画像 ±");
  EXPECT_EQ(on_one_line("a\n\tb\r\f\b"), R"(a\n\tb\r\f\b)");
  EXPECT_EQ(on_one_line(std::string_view("\0\033[31m\a\x7f", 8)),
            R"(\u0000\u001b[31m\u0007\u007f)");
  EXPECT_EQ(on_one_line("\u0080\u009b\u00a0"), "\\u0080\\u009b\u00a0");    // C1 controls
  EXPECT_EQ(on_one_line("\u2028\u2029|\u2027"), "\\u2028\\u2029|\u2027");  // separators
  EXPECT_EQ(on_one_line("\u202a\u202e|\u2066\u2069"), "\\u202a\\u202e|\\u2066\\u2069");
  EXPECT_EQ(on_one_line("\ufeff\u200b\u00ad|\u200c\u200d"),
            "\\ufeff\\u200b\\u00ad|\u200c\u200d");  // joiners stay
  EXPECT_EQ(on_one_line("\u200e\u061c\U000e0041"), "\\u200e\\u061c\\U000e0041");
  EXPECT_EQ(on_one_line("\x9b|\xff|\xc3"), R"(\x9b|\xff|\xc3)");  // not UTF-8
  EXPECT_EQ(on_one_line("\xc0\x9b|\xed\xa0\x80|\xf4\x90\x80\x80"),
            R"(\xc0\x9b|\xed\xa0\x80|\xf4\x90\x80\x80)");  // overlong, surrogate, too large
}

TEST(Units, MarkdownKeepsEscapesAsText) {
  EXPECT_EQ(escaped_markdown("a\n*b*\033"), R"(a\\n\*b\*\\u001b)");
}

TEST(Units, RatesHaveTwoDigits) {
  EXPECT_EQ(format_rate(123'456), "120,000");
  EXPECT_EQ(format_rate(1'786), "1,800");
  EXPECT_EQ(format_rate(996), "1,000");
  EXPECT_EQ(format_rate(99.6), "100");
  EXPECT_EQ(format_rate(74.4), "74");
  EXPECT_EQ(format_rate(9.96), "10");
  EXPECT_EQ(format_rate(3.44), "3.4");
  EXPECT_EQ(format_rate(0.0344), "0.034");
  EXPECT_EQ(format_rate(0), "0");
}

}  // namespace
}  // namespace normbench::units_test
