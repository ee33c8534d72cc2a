#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// The mistake that parse_json finds in `text`.
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

TEST(ParseJson, SaysWhereTheTextIsNotJson) {
  EXPECT_EQ(mistake("{\n  \"é\": flase}"), "line 2, column 9: unexpected flase");
  EXPECT_EQ(mistake("{\"a\": 1,}"),
            "line 1, column 9: unexpected '}' (expected a key in double quotes)");
  EXPECT_EQ(mistake("{\"a\": 1 \"b\": 2}"),
            "line 1, column 11: unexpected string literal (expected '}')");
  EXPECT_EQ(mistake("{} {}"), "line 1, column 4: unexpected '{' (expected nothing more)");
  EXPECT_EQ(mistake("{\"a\": x}"), "line 1, column 7: unexpected x");
  EXPECT_EQ(mistake("["), "line 1, column 2: the text ends in the middle of a value");
  EXPECT_EQ(mistake("[1 2]"), "line 1, column 4: unexpected number literal (expected ']')");
  EXPECT_EQ(mistake("-"), "line 1, column 2: invalid number (expected digit after '-')");
  EXPECT_EQ(mistake("[1,]"), "line 1, column 4: unexpected ']' (expected '[', '{', or a literal)");
  EXPECT_EQ(mistake("{\"a\": [1, 2"), "line 1, column 12: the text ends in the middle of a value");
  EXPECT_EQ(mistake(""), "line 1, column 1: the text ends in the middle of a value");
  EXPECT_EQ(mistake("{\"a\": \"x\ny\"}"),
            "line 1, column 9: invalid string: control character U+000A (LF) must be escaped to "
            "\\u000A or \\n");
  EXPECT_EQ(mistake("{'a': 1}"), "line 1, column 2: unexpected '");
  EXPECT_EQ(mistake("{\"a\": NaN}"), "line 1, column 7: unexpected NaN");
  EXPECT_EQ(mistake("{\"a\": 01}"), "line 1, column 8: unexpected number literal (expected '}')");
  EXPECT_EQ(mistake("{\"a\": 1.}"), "line 1, column 9: invalid number (expected digit after '.')");
  EXPECT_EQ(mistake("{\"a\": \"\\x\"}"),
            "line 1, column 9: invalid string: forbidden character after backslash");
  EXPECT_EQ(mistake("{\"a\": \"\\ud800\"}"),
            "line 1, column 14: invalid string: surrogate U+D800..U+DBFF must be followed by "
            "U+DC00..U+DFFF");
  EXPECT_EQ(mistake("{\"a\": 1e999}"), "line 1, column 11: a number too large for a double");
  EXPECT_EQ(mistake("{\"a\": \"\xff\"}"), "line 1, column 8: invalid UTF-8 in a string");
  EXPECT_EQ(mistake("\xff\xfe{}"), "line 1, column 1: a character outside of any string");
  EXPECT_EQ(mistake("/* never closed"), "line 1, column 16: invalid comment; missing closing '*/'");
  EXPECT_EQ(mistake(std::string_view("{}\0x", 4)), "line 1, column 3: a NUL byte (expected text)");
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
