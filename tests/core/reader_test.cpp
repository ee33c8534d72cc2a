#include "core/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace normbench::reader_test {
namespace {

using testing::ElementsAre;

/// Calls `use` with a Reader of the JSON text `text`. Returns the issues that the Reader found, as
/// "pointer: text".
std::vector<std::string> issues_of(const std::string& text,
                                   const std::function<void(Reader&)>& use) {
  const Json value = Json::parse(text);
  std::vector<Issue> issues;
  Reader reader(value, "/at", issues);
  use(reader);
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(issue.pointer + ": " + issue.text);
  return lines;
}

TEST(Reader, ReadsEveryType) {
  const auto issues = issues_of(
      R"({"i": -7, "integral": 1e3, "n": 2, "b": true, "s": "x", "w": "float16", "one": 5,
          "ns": [1, 2.5], "is": [3, 4], "ts": ["a", "b"], "o": {"k": 1}})",
      [](Reader& reader) {
        EXPECT_EQ(reader.integer("i", 0), -7);
        EXPECT_EQ(reader.integer("integral", 0), 1000);
        EXPECT_EQ(reader.number("n", 0), 2.0);
        EXPECT_TRUE(reader.boolean("b", false));
        EXPECT_EQ(reader.text("s", ""), "x");
        EXPECT_EQ(reader.word("w", DType::UInt8), DType::Float16);
        EXPECT_THAT(reader.numbers("ns", {}), ElementsAre(1.0, 2.5));
        EXPECT_THAT(reader.numbers("one", {}), ElementsAre(5.0));
        EXPECT_THAT(reader.integers("is", {}), ElementsAre(3, 4));
        EXPECT_THAT(reader.texts("ts", {}), ElementsAre("a", "b"));
        EXPECT_EQ(reader.member("o").dump(), R"({"k":1})");
        Reader inner = reader.object("o");
        EXPECT_EQ(inner.pointer_to("p"), "/at/o/p");
        EXPECT_EQ(inner.integer("k", 0), 1);
        inner.finish();
        reader.finish();
      });
  EXPECT_THAT(issues, ElementsAre());
}

TEST(Reader, AbsentKeysGiveTheDefaultAndNoIssue) {
  const auto issues = issues_of("{}", [](Reader& reader) {
    EXPECT_FALSE(reader.has("i"));
    EXPECT_EQ(reader.integer("i", 5, 1, 9), 5);
    EXPECT_EQ(reader.number("n", 0.5), 0.5);
    EXPECT_TRUE(reader.boolean("b", true));
    EXPECT_EQ(reader.text("s", "d"), "d");
    EXPECT_EQ(reader.word("w", Layout::Nhwc), Layout::Nhwc);
    EXPECT_THAT(reader.numbers("ns", {1}), ElementsAre(1.0));
    EXPECT_THAT(reader.texts("ts", {"x"}), ElementsAre("x"));
    EXPECT_TRUE(reader.member("m").is_null());
    EXPECT_FALSE(reader.object("o").has("k"));
    reader.finish();
  });
  EXPECT_THAT(issues, ElementsAre());
}

TEST(Reader, WrongTypesSayWhatIsExpectedAndGiveTheDefault) {
  const auto issues = issues_of(
      R"({"i": "ten", "bool": true, "half": 1.5, "n": [1], "b": 1, "s": {}, "w": 3,
          "ns": [1, "x", null], "ts": "y", "is": [2.0, 2.5], "o": 4})",
      [](Reader& reader) {
        EXPECT_EQ(reader.integer("i", 1), 1);
        EXPECT_EQ(reader.integer("bool", 2), 2);
        EXPECT_EQ(reader.integer("half", 3), 3);
        EXPECT_EQ(reader.number("n", 4), 4);
        EXPECT_TRUE(reader.boolean("b", true));
        EXPECT_EQ(reader.text("s", "d"), "d");
        EXPECT_EQ(reader.word("w", Memory::Pinned), Memory::Pinned);
        EXPECT_THAT(reader.numbers("ns", {7}), ElementsAre(7.0));
        EXPECT_THAT(reader.integers("is", {8}), ElementsAre(8));
        EXPECT_FALSE(reader.object("o").has("x"));
      });
  EXPECT_THAT(
      issues,
      ElementsAre("/at/i: expected an integer, got \"ten\"",
                  "/at/bool: expected an integer, got true",
                  "/at/half: expected an integer, got 1.5", "/at/n: expected a number, got a list",
                  "/at/b: expected true or false, got 1", "/at/s: expected a string, got an object",
                  "/at/w: expected a string, got 3", "/at/ns/1: expected a number, got \"x\"",
                  "/at/ns/2: expected a number, got null", "/at/is/1: expected an integer, got 2.5",
                  "/at/o: expected an object, got 4"));
}

TEST(Reader, RangesAreInclusive) {
  const auto issues = issues_of(
      R"({"low": 1, "high": 9, "under": -4, "over": 10, "x": 1.5, "y": -0.5})", [](Reader& reader) {
        EXPECT_EQ(reader.integer("low", 5, 1, 9), 1);
        EXPECT_EQ(reader.integer("high", 5, 1, 9), 9);
        EXPECT_EQ(reader.integer("under", 5, 1, 9), 5);
        EXPECT_EQ(reader.integer("over", 5, 1, 9), 5);
        EXPECT_EQ(reader.number("x", 0.25, 0, 1), 0.25);
        EXPECT_EQ(reader.number("y", 0.25, 0, 1), 0.25);
      });
  EXPECT_THAT(
      issues,
      ElementsAre("/at/under: must be at least 1, got -4", "/at/over: must be at most 9, got 10",
                  "/at/x: must be at most 1, got 1.5", "/at/y: must be at least 0, got -0.5"));
}

TEST(Reader, IntegersThatDoNotFitAreOutOfRange) {
  const auto issues = issues_of(
      R"({"max": 9223372036854775807, "more": 9223372036854775808, "huge": 1e300, "low": -1e300})",
      [](Reader& reader) {
        EXPECT_EQ(reader.integer("max", 0), std::numeric_limits<std::int64_t>::max());
        EXPECT_EQ(reader.integer("more", 0), 0);
        EXPECT_EQ(reader.integer("huge", 0, 1, 9), 0);
        EXPECT_EQ(reader.integer("low", 0, 1, 9), 0);
      });
  EXPECT_THAT(issues, ElementsAre("/at/more: must be at most 9223372036854775807, got "
                                  "9223372036854775808",
                                  "/at/huge: must be at most 9, got 1e+300",
                                  "/at/low: must be at least 1, got -1e+300"));
}

TEST(Reader, UnknownKeysNameTheNearest) {
  const auto issues = issues_of(R"({"bacth": 1, "zzzzzz": 2, "a/b": 3})", [](Reader& reader) {
    reader.integer("batch", 0);
    reader.text("name", "");
    reader.finish();
  });
  EXPECT_THAT(issues, ElementsAre("/at/bacth: unknown key \"bacth\" (did you mean \"batch\"?)",
                                  "/at/zzzzzz: unknown key \"zzzzzz\" (known: batch, name)",
                                  "/at/a~1b: unknown key \"a/b\" (known: batch, name)"));
}

TEST(Reader, UnknownKeysWhereNoneIsKnown) {
  const auto issues = issues_of(R"({"x": 1})", [](Reader& reader) { reader.finish(); });
  EXPECT_THAT(issues, ElementsAre("/at/x: unknown key \"x\" (none is known here)"));
}

TEST(Reader, UnknownWordsNameTheNearestOrAll) {
  const auto issues = issues_of(R"({"a": "fp61", "b": "flaot16"})", [](Reader& reader) {
    EXPECT_EQ(reader.word("a", DType::UInt8), DType::UInt8);
    EXPECT_EQ(reader.word("b", DType::UInt8), DType::UInt8);
  });
  EXPECT_THAT(issues,
              ElementsAre("/at/a: unknown value \"fp61\" (known: " + known_words<DType>() + ")",
                          "/at/b: unknown value \"flaot16\" (did you mean \"float16\"?)"));
}

TEST(Reader, WhatIsNoObjectIsOneIssue) {
  const auto issues = issues_of("[1, 2]", [](Reader& reader) {
    EXPECT_EQ(reader.integer("i", 3), 3);
    reader.finish();
  });
  EXPECT_THAT(issues, ElementsAre("/at: expected an object, got a list"));
}

TEST(Reader, LongValuesAreNotQuotedWhole) {
  const auto issues = issues_of(R"({"i": ")" + std::string(1000, 'x') + "\"}",
                                [](Reader& reader) { reader.integer("i", 0); });
  EXPECT_THAT(issues, ElementsAre("/at/i: expected an integer, got a string of 1002 bytes"));
}

TEST(Reader, ComplaintsStandWhereTheyAreMade) {
  const auto issues = issues_of(R"({"size": [1, 2, 3]})", [](Reader& reader) {
    reader.complain("says nothing");
    reader.complain_at("size", "expected [height, width]");
  });
  EXPECT_THAT(issues, ElementsAre("/at: says nothing", "/at/size: expected [height, width]"));
}

}  // namespace
}  // namespace normbench::reader_test
