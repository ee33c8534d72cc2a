#include "trace/read/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/issue.h"

namespace normbench::json_text_test {
namespace {

/// Returns the place and the text of each token, like "line 1, column 1 text 1".
std::vector<std::string> tokens(const std::string& text) {
  std::istringstream in(text);
  JsonText json(in);
  std::vector<std::string> all;
  while (json.next() != JsonToken::End)
    all.push_back(fmt::format("{} {}", json.place(), json.text()));
  return all;
}

TEST(JsonText, KnowsItsPlaceAcrossChunks) {
  std::string text;
  std::vector<std::string> expected;
  for (int line = 1; text.size() < 700'000; ++line) {
    text += fmt::format("\"text {}\" {}\n", line, line);
    expected.push_back(fmt::format("line {}, column 1 text {}", line, line));
    expected.push_back(
        fmt::format("line {}, column {} {}", line, 9 + std::to_string(line).size(), line));
  }
  EXPECT_EQ(tokens(text), expected);
}

TEST(JsonText, TokensAcrossChunks) {
  const std::string filler(262'100, ' ');
  for (std::size_t more = 0; more < 80; ++more) {
    const std::string text = filler + std::string(more, ' ') +
                             R"("a\u00e9\n\ud83d\ude00b\\" -12.5e-3 true [{"x":null}])";
    std::istringstream in(text);
    JsonText json(in);
    ASSERT_EQ(json.next(), JsonToken::String);
    ASSERT_EQ(json.text(), "aé\n😀b\\");
    ASSERT_EQ(json.next(), JsonToken::Number);
    ASSERT_EQ(json.text(), "-12.5e-3");
    ASSERT_EQ(json.next(), JsonToken::True);
    ASSERT_EQ(json.next(), JsonToken::BeginArray);
    ASSERT_EQ(json.next(), JsonToken::BeginObject);
    ASSERT_EQ(json.skip(), JsonToken::String);
    ASSERT_EQ(json.next(), JsonToken::Colon);
    ASSERT_EQ(json.next(), JsonToken::Null);
  }
}

TEST(JsonText, WhatIsNoUnicodeIsReplaced) {
  for (const char* text : {"\"a\xe9z\"", R"("a\ud83dz")", R"("a\ude00z")", "\"a\xc3z\""}) {
    std::istringstream in(text);
    JsonText json(in);
    json.next();
    EXPECT_EQ(json.text(), "a\uFFFDz") << text;
    EXPECT_TRUE(json.is_mended()) << text;
  }
}

TEST(JsonText, NumbersAreThoseOfJson) {
  const auto kind = [](const std::string& text) {
    std::istringstream in(text + " ");
    JsonText json(in);
    try {
      return json.next();
    } catch (const Invalid&) {
      return JsonToken::End;
    }
  };
  for (const char* good : {"0", "-0", "10", "1.5", "1e5", "1E-5", "0.1e+2"})
    EXPECT_EQ(kind(good), JsonToken::Number) << good;
  for (const char* none : {"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf"})
    EXPECT_EQ(kind(none), JsonToken::NotANumber) << none;
  for (const char* bad : {"01", "1.", ".5", "+1", "1e", "-", "0x10", "1.2.3", "nil", "truth"})
    EXPECT_EQ(kind(bad), JsonToken::End) << bad;
}

TEST(JsonText, AStringWithoutEndIsRefusedInTime) {
  std::string text = "[\"" + std::string(JsonText::most_string_bytes + 1'000'000, 'x');
  std::istringstream in(text);
  JsonText json(in);
  json.next();
  EXPECT_THROW(json.next(), Invalid);
  std::istringstream little_more("\"" + std::string(JsonText::most_string_bytes + 1, 'x') + "\"");
  JsonText barely(little_more);
  EXPECT_THROW(barely.next(), Invalid);
  std::istringstream again(text + "\"]");
  JsonText skipping(again);
  skipping.next();
  EXPECT_EQ(skipping.skip(), JsonToken::String);
  EXPECT_EQ(skipping.next(), JsonToken::EndArray);
}

}  // namespace
}  // namespace normbench::json_text_test
