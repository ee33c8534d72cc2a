#include "document/read_document.h"

#include <gmock/gmock.h>

#include "compared.h"

namespace normbench::read_document_test {
namespace {

using examples::timed_run;
using testing::HasSubstr;

/// Returns the mistake that read_document() finds in `text`, or "".
std::string mistake(const std::string& text) {
  try {
    read_document("new.json", text);
    return "";
  } catch (const BadInput& bad) {
    return bad.what();
  }
}

TEST(ReadDocument, OursIsReadBack) {
  const Results results = timed_run({{"fused", {1000}}});
  EXPECT_EQ(read_document("new.json", to_json(results).dump()), results);
}

TEST(ReadDocument, MistakesSayWhatTheFileIs) {
  const std::string whole = to_json(timed_run({{"fused", {1000}}})).dump();
  EXPECT_THAT(mistake(whole.substr(0, whole.size() / 2)), HasSubstr("(it seems to be cut off)"));
  EXPECT_TRUE(
      is_results("{\n \"schema\": 1,\n \"tool\": {\n  \"name\": \"normbench\",\n  \"version"));
  EXPECT_FALSE(is_results(R"({"schema": 1, "name": "a config", )"));
  EXPECT_FALSE(is_results(R"({"schemaVersion": 1, "tool": {"name": "normbench"})"));
  EXPECT_THAT(mistake("results"), HasSubstr("new.json: line 1, column 1"));
  EXPECT_EQ(mistake("[]"),
            "new.json: is not a results document of normbench (expected a results.json)");
  EXPECT_EQ(mistake(R"({"context": {}, "benchmarks": []})"),
            "new.json: is not a results document; it seems to be Google Benchmark's output");
  EXPECT_EQ(mistake(R"({"meta": {}, "devices": [], "benchmarks": []})"),
            "new.json: is not a results document; it seems to be nvbench's output");
  EXPECT_THAT(mistake("{\"journal\":1}\n{\"measure\":{}}\n"),
              HasSubstr("new.json: is the journal of a run, not its results (name its folder"));
  EXPECT_EQ(mistake(R"({"results": [{"command": "ls", "mean": 1}]})"),
            "new.json: is not a results document; it seems to be hyperfine's output");
  EXPECT_EQ(
      mistake(R"({"schema": 2, "tool": {"name": "normbench"}, "groups": []})"),
      "new.json: this version reads schema 1; the document has 2: a newer normbench wrote it");
  EXPECT_EQ(mistake(R"({"schema": 1, "tool": {"name": "other"}, "groups": []})"),
            "new.json: /tool/name: not a document of normbench (expected \"normbench\")");
  EXPECT_THAT(mistake(R"({"schema": 1, "experiments": []})"), HasSubstr("a config of normbench"));
}

TEST(ReadDocument, ResultsBeginAsTheyAreWritten) {
  const std::string text = to_json(timed_run({{"fused", {1000}}})).dump(8);
  EXPECT_TRUE(begins_as_results(text.substr(0, 4096)));
  EXPECT_TRUE(is_results(text));
  EXPECT_TRUE(is_results(R"({"groups": [], "schema": 1})"));
  EXPECT_FALSE(is_results("[" + text + "," + text + "]"));
  EXPECT_FALSE(begins_as_results(R"({"schema": 1, "a": {"b": 1, "tool": {"name": "normbench"}}})"));
}

TEST(ReadDocument, EveryCaseThatIsThereTwiceIsNamed) {
  Results results = timed_run({{"a", {1000}}, {"b", {1000}}, {"a", {1000}}, {"b", {1000}}});
  EXPECT_EQ(mistake(to_json(results).dump()),
            "new.json:/groups/0/cases/2: form, a stands twice, first at /groups/0/cases/0 "
            "(expected every case once)\n"
            "new.json:/groups/0/cases/3: form, b stands twice, first at /groups/0/cases/1 "
            "(expected every case once)");
}

}  // namespace
}  // namespace normbench::read_document_test
