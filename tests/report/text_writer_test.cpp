#include "report/chrome/text_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>

namespace normbench::text_writer_test {
namespace {

template <class Put>
std::string text_of(Put put) {
  std::ostringstream out;
  TextWriter writer(out);
  put(writer);
  writer.flush();
  return out.str();
}

TEST(TextWriter, TimesAreMicrosecondsWithThreeDecimals) {
  const auto time = [](std::int64_t ns) {
    return text_of([&](TextWriter& writer) { writer.put_time(ns); });
  };
  EXPECT_EQ(time(0), "0.000");
  EXPECT_EQ(time(7), "0.007");
  EXPECT_EQ(time(1'000), "1.000");
  EXPECT_EQ(time(12'345'678), "12345.678");
  EXPECT_EQ(time(std::numeric_limits<std::int64_t>::max()), "9223372036854775.807");
}

TEST(TextWriter, NumbersAreWhole) {
  EXPECT_EQ(text_of([](TextWriter& w) { w << std::int64_t{-5} << " " << std::int64_t{70}; }),
            "-5 70");
  EXPECT_EQ(text_of([](TextWriter& w) { w << 1.0 / 3 << " " << -0.0005 << " " << 2e9; }),
            "0.333 -0.001 2000000000.000");
}

TEST(TextWriter, TextOfAnySizeArrivesInOrder) {
  std::string expected;
  const std::string text = text_of([&](TextWriter& writer) {
    for (std::size_t size = 1; size < 3'000'000; size = size * 3 + 1) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      writer << piece << static_cast<std::int64_t>(size);
      writer.put_time(static_cast<std::int64_t>(size));
      expected += piece + std::to_string(size) + std::to_string(size / 1000) + "." +
                  std::to_string(1000 + size % 1000).substr(1);
    }
  });
  EXPECT_EQ(text, expected);
}

TEST(TextWriter, HandsOverWhatIsFullBeforeTheEnd) {
  std::ostringstream out;
  TextWriter writer(out);
  for (int i = 0; i < 300'000; ++i) writer << "ten bytes ";
  EXPECT_GT(out.str().size(), 1u << 20);
  EXPECT_LT(out.str().size(), 3'000'000u);
  writer.flush();
  EXPECT_EQ(out.str().size(), 3'000'000u);
}

}  // namespace
}  // namespace normbench::text_writer_test
