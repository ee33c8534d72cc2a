#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace normbench::json_test {
namespace {

using testing::ElementsAre;

Json parse(std::string_view text) {
  std::vector<Issue> issues;
  Json value = parse_json(text, issues);
  EXPECT_THAT(issues, ElementsAre());
  return value;
}

/// Returns the mistake that parse_json() finds in `text`, or "no mistake".
std::string mistake(std::string_view text) {
  std::vector<Issue> issues;
  try {
    parse_json(text, issues);
  } catch (const Invalid& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(ParseJson, KeepsTheOrderAndAllowsComments) {
  const Json value = parse(R"(// what it is
    {"b": 1, /* inside */ "a": [true, null, "é", {"x": -1.5}], "c": {}} // end)");
  EXPECT_EQ(value.dump(), R"({"b":1,"a":[true,null,"é",{"x":-1.5}],"c":{}})");
}

TEST(ParseJson, KeepsNumbersAsWrittenWhereTheyFit) {
  const Json value =
      parse("[-9223372036854775808, 18446744073709551615, 99999999999999999999, 1e3]");
  EXPECT_EQ(value[0].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value[1].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value[2].get<double>(), 1e20);
  EXPECT_EQ(value[3].get<double>(), 1000);
}

TEST(ParseJson, ReportsEveryDuplicateKeyAndKeepsTheFirst) {
  std::vector<Issue> issues;
  const std::string text = "duplicate key (the first one counts; remove one)";
  const Json value = parse_json(
      R"({"a/b": 1, "list": [0, {"x": 1, "x": {"y": 1, "y": [2]}}], "a/b": {"x": 2}, "last": 3})",
      issues);
  EXPECT_EQ(value.dump(), R"({"a/b":1,"list":[0,{"x":1}],"last":3})");
  EXPECT_THAT(issues, ElementsAre(Issue{"/list/1/x", text}, Issue{"/list/1/x/y", text},
                                  Issue{"/a~1b", text}));
}

TEST(ParseJson, SaysWhatIsNoJsonWhereItBegins) {
  EXPECT_EQ(mistake("{\n  \"é\": flase}"), "line 2, column 8: unexpected flase");
  EXPECT_EQ(mistake("{\"a\": x}"), "line 1, column 7: unexpected x");
  EXPECT_EQ(mistake("{'a': 1}"), "line 1, column 2: unexpected '");
  EXPECT_EQ(mistake("{\"a\": NaN}"), "line 1, column 7: unexpected NaN");
  EXPECT_EQ(mistake("{\"a\": 01}"), "line 1, column 7: unexpected 01");
  EXPECT_EQ(mistake("[1, 2-3]"), "line 1, column 5: unexpected 2-3");
  EXPECT_EQ(mistake("-"), "line 1, column 1: unexpected - (expected a digit after '-')");
  EXPECT_EQ(mistake("{\"a\": 1.}"), "line 1, column 7: unexpected 1. (expected a digit after '.')");
  EXPECT_EQ(mistake("[2e+]"), "line 1, column 2: unexpected 2e+ (expected a digit after '+')");
  EXPECT_EQ(mistake("{\"a\": 1e999}"), "line 1, column 11: a number too large for a double");
  EXPECT_EQ(mistake("\xff\xfe{}"), "line 1, column 1: a character outside of any string");
  EXPECT_EQ(mistake("\xEF{}"), "line 1, column 1: a character outside of any string");
  EXPECT_EQ(mistake("[1] é"), "line 1, column 5: a character outside of any string");
  EXPECT_EQ(mistake("[1 / 2]"), "line 1, column 4: unexpected / (a comment begins with // or /*)");
  EXPECT_EQ(mistake(std::string_view("{}\0x", 4)), "line 1, column 3: a NUL byte (expected text)");
  EXPECT_EQ(mistake("[" + std::string(100, 'x') + "]"),
            "line 1, column 2: unexpected " + std::string(40, 'x') + "…");
}

TEST(ParseJson, SaysWhatIsExpectedInPlaceOfAToken) {
  EXPECT_EQ(mistake("{\"a\": 1,}"),
            "line 1, column 9: unexpected '}' (expected a key in double quotes)");
  EXPECT_EQ(mistake("{1: 2}"),
            "line 1, column 2: unexpected 1 (expected a key in double quotes or '}')");
  EXPECT_EQ(mistake("{\"a\": 1 \"b\": 2}"),
            "line 1, column 9: unexpected \"b\" (expected ',' or '}')");
  EXPECT_EQ(mistake("{\"a\" 1}"), "line 1, column 6: unexpected 1 (expected ':')");
  EXPECT_EQ(mistake("{\"a\"}"), "line 1, column 5: unexpected '}' (expected ':')");
  EXPECT_EQ(mistake("{\"a\": }"), "line 1, column 7: unexpected '}' (expected a value)");
  EXPECT_EQ(mistake("{\"a\": {} ]"), "line 1, column 10: unexpected ']' (expected ',' or '}')");
  EXPECT_EQ(mistake("{\"a\": 1, // \"\n 2}"),
            "line 2, column 2: unexpected 2 (expected a key in double quotes)");
  EXPECT_EQ(mistake("[1 2]"), "line 1, column 4: unexpected 2 (expected ',' or ']')");
  EXPECT_EQ(mistake("[1,]"), "line 1, column 4: unexpected ']' (expected a value)");
  EXPECT_EQ(mistake("[}"), "line 1, column 2: unexpected '}' (expected a value or ']')");
  EXPECT_EQ(mistake("[\"]\\\"\" /* , */ true]]"),
            "line 1, column 16: unexpected true (expected ',' or ']')");
  EXPECT_EQ(mistake("{} {}"), "line 1, column 4: unexpected '{' (expected nothing more)");
  EXPECT_EQ(mistake("]"), "line 1, column 1: unexpected ']' (expected a value)");
  EXPECT_EQ(mistake("\xEF\xBB\xBF,"), "line 1, column 2: unexpected ',' (expected a value)");
  EXPECT_EQ(mistake("[1 \"" + std::string(50, 'x') + "\"]"),
            "line 1, column 4: unexpected string (expected ',' or ']')");
}

TEST(ParseJson, SaysWhatAStringMayNotHold) {
  EXPECT_EQ(mistake("{\"a\": \"x\ny\"}"),
            "line 1, column 9: a control character in a string (write \\n)");
  EXPECT_EQ(mistake("[\"\x1b\"]"),
            "line 1, column 3: a control character in a string (write \\u001b)");
  EXPECT_EQ(mistake("{\"a\": \"\\x\"}"),
            "line 1, column 9: \\x in a string, which is no escape (write \\\\ for a backslash)");
  EXPECT_EQ(mistake("[\"\\\\\\n\\u00e9\\u12\"]"),
            "line 1, column 17: \\u in a string needs four hexadecimal digits");
  const std::string half =
      "half of a surrogate pair in a string (expected \\ud800 to \\udbff, then \\udc00 to \\udfff)";
  EXPECT_EQ(mistake("{\"a\": \"\\ud800\"}"), "line 1, column 14: " + half);
  EXPECT_EQ(mistake("[\"\\ud800\\n\"]"), "line 1, column 10: " + half);
  EXPECT_EQ(mistake("[\"\\ud800\\u0041\"]"), "line 1, column 14: " + half);
  EXPECT_EQ(mistake("[\"\\udc00\"]"), "line 1, column 8: " + half);
  EXPECT_EQ(mistake("{\"a\": \"\xff\"}"), "line 1, column 8: invalid UTF-8 in a string");
  EXPECT_EQ(mistake("[\"\xC3x\"]"), "line 1, column 4: invalid UTF-8 in a string");
}

TEST(ParseJson, SaysWhereTheTextEndsTooEarly) {
  EXPECT_EQ(mistake("["), "line 1, column 2: the text ends in the middle of a value");
  EXPECT_EQ(mistake("{\"a\": [1, 2"), "line 1, column 12: the text ends in the middle of a value");
  EXPECT_EQ(mistake(""), "line 1, column 1: the text ends in the middle of a value");
  EXPECT_EQ(mistake("[\"\\\""), "line 1, column 5: a string without its closing quote");
  EXPECT_EQ(mistake("/* never closed"), "line 1, column 16: a comment without its end, */");
}

/// Each text that is made of four pieces must parse, or give an error at a place within the text.
TEST(ParseJson, RefusesWhatIsMadeOfPiecesAtAPlaceInIt) {
  const auto pieces =
      std::to_array<std::string>({"{", "}", "[", "]", ":", ",", "\"a\"", "1", "-", "true", "x", " ",
                                  "/*c*/", "/", "\"\\", "\"", "\xc3", "\n"});
  std::size_t refused = 0;
  for (const std::string& one : pieces)
    for (const std::string& two : pieces)
      for (const std::string& three : pieces)
        for (const std::string& four : pieces) {
          const std::string text = one + two + three + four, said = mistake(text);
          EXPECT_EQ(said == "no mistake", Json::accept(text, /*ignore_comments=*/true)) << text;
          if (said == "no mistake") continue;
          ++refused;
          EXPECT_THAT(said, testing::StartsWith("line ")) << text;
        }
  EXPECT_GT(refused, 100'000u);
}

TEST(ParseJson, RefusesWhatIsTooDeep) {
  const std::string ok = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(mistake(ok), "no mistake");
  const std::string deep = "nested deeper than 64 levels (no value needs that)";
  EXPECT_EQ(mistake("[" + ok + "]"), deep);
  EXPECT_EQ(mistake(std::string(100'000, '[')), deep);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(mistake(objects), deep);
}

TEST(ParseJson, ManyKeysAreNotQuadratic) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text.append("\"k").append(std::to_string(i)).append("\":0,");
  text += "\"end\":0}";
  EXPECT_EQ(parse(text).size(), 300'001u);
}

TEST(Pretty, KeepsAnArrayOfNumbersOnOneLine) {
  const char* const text = R"({
 "ns": [1, -2, 3.5],
 "order": [
  [0, 1],
  [1, 0]
 ],
 "none": [],
 "mixed": [
  1,
  null
 ],
 "a \"name\"": {
  "empty": {}
 }
})";
  const Json json = parse(text);
  EXPECT_EQ(pretty(json, 1), text);
  EXPECT_EQ(pretty(Json(3), 1), "3");
  EXPECT_EQ(pretty(json["mixed"], 2), json["mixed"].dump(2));
}

TEST(ValueAt, IsNullWhereThereIsNothing) {
  const Json json = {{"a", {{"b", 1}}}};
  EXPECT_EQ(value_at(json, "/a/b"), 1);
  EXPECT_TRUE(value_at(json, "/a/c").is_null());
  EXPECT_TRUE(value_at(json, "/a/b/c").is_null());
}

TEST(PointerToken, EscapesWhatAPointerSplitsAt) {
  EXPECT_EQ(pointer_token("plain"), "plain");
  EXPECT_EQ(pointer_token("a/b~c"), "a~1b~0c");
}

class ReadText : public testing::Test {
 protected:
  ReadText() { std::filesystem::create_directories(folder_); }
  ~ReadText() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  static std::string mistake(const std::string& path) {
    try {
      read_text(path);
    } catch (const Invalid& error) {
      return error.what();
    }
    return "no mistake";
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("read_text_" + std::to_string(getpid()));
};

TEST_F(ReadText, ReadsWholeFiles) {
  EXPECT_EQ(read_text(file("a", "one\r\ntwo\n")), "one\r\ntwo\n");
  EXPECT_EQ(read_text(file("large", std::string(16'000'000, 'x'))).size(), 16'000'000u);
}

TEST_F(ReadText, TakesNoMoreMemoryThanTheFile) {
  EXPECT_LT(read_text(file("large", std::string(16'000'000, 'x'))).capacity(), 16'100'000u);
}

TEST_F(ReadText, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(mistake(folder_ / "none"), "no such file (check the path)");
  EXPECT_EQ(mistake(folder_), "is a directory (give a file)");
  EXPECT_EQ(mistake(file("empty", "")), "is empty (expected JSON)");
  EXPECT_EQ(mistake(file("larger", std::string(16'000'001, 'x'))), "is larger than 16.0 MB");
  EXPECT_EQ(mistake("/dev/zero"), "is larger than 16.0 MB");
  EXPECT_EQ(mistake(file("a", "x") + "/b"), "cannot be read: Not a directory");
}

}  // namespace
}  // namespace normbench::json_test
