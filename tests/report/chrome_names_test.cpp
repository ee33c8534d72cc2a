/// Tests that write names of arbitrary bytes to a trace and read them back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "trace/models.h"
#include "trace_check/chrome_check.h"

namespace normbench::chrome_names_test {
namespace {

using Random = std::mt19937;

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

std::size_t below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      add(0xE0 | point >> 12);
    } else {
      add(0xF0 | point >> 18);
      add(0x80 | (point >> 12 & 0x3F));
    }
    add(0x80 | (point >> 6 & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

/// Returns valid UTF-8. Its characters have one to four bytes, and may be control characters,
/// quotes or backslashes.
std::string valid_text(Random& random, std::size_t characters) {
  constexpr std::string_view special = "\"\\/\b\f\n\r\t\x01\x1f\x7f{}[],:'<>&";
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) {
    const std::size_t kind = below(random, 6);
    if (kind == 0) {
      text += special[below(random, special.size())];
      continue;
    }
    constexpr std::array<std::uint32_t, 5> ends{0x80, 0x80, 0x800, 0xD800, 0x110000};
    constexpr std::array<std::uint32_t, 5> starts{0x00, 0x20, 0x80, 0x800, 0x10000};
    append_utf8(text, starts[kind - 1] + static_cast<std::uint32_t>(
                                             below(random, ends[kind - 1] - starts[kind - 1])));
  }
  return text;
}

std::string any_bytes(Random& random, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(below(random, 256));
  return text;
}

/// Writes a trace whose slices have these names. Returns the names that a strict parser reads from
/// it.
std::vector<std::string> read_back(const std::vector<std::string>& names) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto ns = 1000 + 10 * static_cast<std::int64_t>(i);
    slices.push_back(slice(ns, ns + 5, names[i]));
  }
  const std::string text = written(finished(slices));
  EXPECT_THAT(check_chrome(text), testing::ElementsAre());
  std::vector<std::string> read;
  for (const Json document = Json::parse(text); const Json& event : document["traceEvents"])
    if (event["ph"] == "X") read.push_back(event["name"].get<std::string>());
  return read;
}

TEST(TraceNames, OfValidTextComeBackEqual) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<std::string> names;
    for (int i = 0; i < 50; ++i) names.push_back(valid_text(random, below(random, 40)));
    EXPECT_EQ(read_back(names), names) << "seed " << seed;
  }
}

TEST(TraceNames, OfAnyBytesComeBackAsValidText) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<std::string> names;
    for (int i = 0; i < 50; ++i) names.push_back(any_bytes(random, below(random, 40)));
    const std::vector<std::string> read = read_back(names);
    ASSERT_EQ(read.size(), names.size()) << "seed " << seed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      // A valid name is unchanged. In other names, invalid bytes are replaced by U+FFFD, and ASCII
      // characters stay.
      const bool replaced = read[i].find(replacement) != std::string::npos;
      EXPECT_TRUE(read[i] == names[i] || replaced) << "seed " << seed;
      for (const char c : names[i])
        if (static_cast<unsigned char>(c) < 0x80) {
          EXPECT_EQ(std::ranges::count(read[i], c), std::ranges::count(names[i], c))
              << "seed " << seed;
        }
    }
  }
}

TEST(TraceNames, BrokenTextIsReplacedWhereItIsBroken) {
  const std::string fffd(replacement);
  EXPECT_EQ(read_back({"a\xff"
                       "b",
                       "\xc3", "ok \xe2\x82", "\xed\xa0\x80!", "\xc0\x80"}),
            (std::vector<std::string>{"a" + fffd + "b", fffd, "ok " + fffd,
                                      fffd + fffd + fffd + "!", fffd + fffd}));
}

TEST(TraceNames, OfTenThousandCharactersComeBackEqual) {
  Random random(7);
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back(valid_text(random, 10'000));
  EXPECT_EQ(read_back(names), names);
}

TEST(TraceNames, LongerThanTheWritersBufferComeBackEqual) {
  const std::vector<std::string> names{std::string(3 << 20, 'x'), std::string(1 << 20, '"')};
  EXPECT_EQ(read_back(names), names);
}

TEST(TraceNames, ManyDifferentOnesComeBackEqual) {
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back(std::to_string(i) + std::string(100'000, 'n'));
  EXPECT_EQ(read_back(names), names);
}

}  // namespace
}  // namespace normbench::chrome_names_test
