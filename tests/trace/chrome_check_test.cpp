#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/chrome.h"

namespace normbench {
namespace {

using testing::ElementsAre;

/// A trace of every kind of event that keeps all rules.
const std::string good = R"({
"schemaVersion": 1,
"baseTimeNanoseconds": 1775078550000000000,
"distributedInfo": {"rank": 0},
"traceEvents": [
{"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"normbench"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":7,"tid":9,"ts":1.000,"dur":9.000},
{"ph":"X","cat":"cpu_op","name":"normalize \"ts\":","pid":7,"tid":9,"ts":2.000,"dur":3.000,"args":{"bytes":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":9,"ts":3.000,"dur":1.000,"args":{"correlation":5}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":3.500,"dur":4.250,"args":{"stream":7,"correlation":5}},
{"ph":"s","id":5,"pid":7,"tid":9,"ts":3.000,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":5,"pid":0,"tid":7,"ts":3.500,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"i","s":"g","cat":"loss","name":"records lost","pid":7,"tid":9,"ts":9.000},
{"ph":"C","name":"faults","pid":7,"tid":9,"ts":9.000,"args":{"count":3}}
]}
)";

/// What is wrong with the good trace once `from` is replaced by `to`.
std::vector<std::string> after(const std::string& from, const std::string& to) {
  const auto at = good.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return check_chrome(std::string(good).replace(at, from.size(), to));
}

TEST(CheckChrome, AGoodTraceHasNoMistakes) { EXPECT_THAT(check_chrome(good), ElementsAre()); }

TEST(CheckChrome, StrictJson) {
  EXPECT_THAT(after("\"bytes\":1", "\"bytes\":NaN"),
              ElementsAre(testing::StartsWith("not strict JSON: ")));
  EXPECT_THAT(after("\"bytes\":1", "\"bytes\":1 /* one */"),
              ElementsAre(testing::StartsWith("not strict JSON: ")));
  EXPECT_THAT(after("normalize", "nor\tmalize"),
              ElementsAre(testing::StartsWith("not strict JSON: ")));
}

TEST(CheckChrome, ATruncatedFileIsCaught) {
  for (const std::size_t missing : {3u, 4u, 40u, 600u})
    EXPECT_THAT(check_chrome(good.substr(0, good.size() - missing)),
                ElementsAre(testing::StartsWith("not strict JSON: ")));
  EXPECT_THAT(check_chrome(good.substr(0, good.size() - 1)),
              ElementsAre("the last line is not ]}"));
  EXPECT_THAT(check_chrome("[]"), ElementsAre("no line \"traceEvents\": ["));
  EXPECT_THAT(check_chrome(""), ElementsAre(testing::StartsWith("not strict JSON: ")));
}

TEST(CheckChrome, TheHeadIsComplete) {
  const std::string no_rank = "no \"rank\": 0 (with the space) before the events";
  EXPECT_THAT(after("\"rank\": 0", "\"rank\":0"), ElementsAre(no_rank));
  EXPECT_THAT(after("\"distributedInfo\": {\"rank\": 0},\n", ""), ElementsAre(no_rank));
  std::string late = good;
  late.erase(late.find("\"distributedInfo\""), 32);
  late.replace(late.find("\"count\":3"), 9, "\"rank\": 0");
  EXPECT_THAT(check_chrome(late), ElementsAre(no_rank));
  EXPECT_THAT(after("1775078550000000000", "1.5"),
              ElementsAre("no baseTimeNanoseconds (an integer)"));
}

TEST(CheckChrome, OneEventPerLine) {
  EXPECT_THAT(after("}},\n{\"ph\":\"X\",\"cat\":\"cuda", "}}, {\"ph\":\"X\",\"cat\":\"cuda"),
              ElementsAre("line 8: must hold exactly one event"));
  EXPECT_THAT(
      after("\"bytes\":1", "\n\"bytes\":1"),
      ElementsAre("line 8: must hold exactly one event", "line 9: must hold exactly one event"));
  EXPECT_THAT(after("\"ph\":\"i\"", "\"ph\":\"B\""),
              ElementsAre("line 13: ph must be one of X, M, s, f, i, C"));
  EXPECT_THAT(after("\"ph\":\"i\"", "\"ph\":1"),
              ElementsAre("line 13: ph must be one of X, M, s, f, i, C"));
}

TEST(CheckChrome, TimesAreMicrosecondsWithThreeDecimals) {
  const std::string wrong = "line 7: ts must be microseconds with three decimals, got ";
  EXPECT_THAT(after("1.000,\"dur\":9", "1.0000,\"dur\":9"), ElementsAre(wrong + "1.0000"));
  EXPECT_THAT(after("1.000,\"dur\":9", "1.00,\"dur\":9"), ElementsAre(wrong + "1.00"));
  EXPECT_THAT(after("1.000,\"dur\":9", "1,\"dur\":9"), ElementsAre(wrong + "1"));
  EXPECT_THAT(after("1.000,\"dur\":9", "1.000e0,\"dur\":9"), ElementsAre(wrong + "1.000e0"));
  EXPECT_THAT(after("1.000,\"dur\":9", "1e3,\"dur\":9"), ElementsAre(wrong + "1e3"));
  EXPECT_THAT(after("1.000,\"dur\":9", "\"1.000\",\"dur\":9"), ElementsAre(wrong + "\"1.000\""));
  EXPECT_THAT(after("\"ts\":1.000,", ""), ElementsAre(wrong + "nothing"));
  EXPECT_THAT(after("\"ts\":1.000", "\"ts\":-1.000"),
              ElementsAre("line 7: ts is negative: -1.000"));
  EXPECT_THAT(after("\"dur\":9.000", "\"dur\":-9.000"),
              ElementsAre("line 7: dur is negative: -9.000"));
}

TEST(CheckChrome, ProcessAndThreadAreNaturalNumbers) {
  const std::string wrong = "line 14: pid must be an integer from 0 to 2^32-1";
  const std::string place = "\"faults\",\"pid\":7";
  EXPECT_THAT(after(place, "\"faults\",\"pid\":\"7\""), ElementsAre(wrong));
  EXPECT_THAT(after(place, "\"faults\",\"pid\":-1"), ElementsAre(wrong));
  EXPECT_THAT(after(place, "\"faults\",\"pid\":4294967296"), ElementsAre(wrong));
  EXPECT_THAT(after(place, "\"faults\""), ElementsAre(wrong));
  EXPECT_THAT(after(place + ",\"tid\":9", place + ",\"tid\":-9"),
              ElementsAre("line 14: tid must be an integer from 0 to 2^32-1"));
}

TEST(CheckChrome, SlicesOfAThreadAreSortedAndNest) {
  EXPECT_THAT(after("\"ts\":1.000,\"dur\":9.000", "\"ts\":1.000,\"dur\":3.000"),
              ElementsAre("line 8: sticks out of the slice it starts in (slices of a thread must "
                          "nest)"));
  EXPECT_THAT(after("\"ts\":2.000,\"dur\":3.000", "\"ts\":3.001,\"dur\":2.000"),
              ElementsAre("line 9: not sorted by (ts, -dur) on its thread"));
  EXPECT_THAT(after("\"ts\":3.000,\"dur\":1.000", "\"ts\":2.000,\"dur\":3.001"),
              ElementsAre("line 9: not sorted by (ts, -dur) on its thread",
                          "line 9: sticks out of the slice it starts in (slices of a thread must "
                          "nest)"));
}

TEST(CheckChrome, GpuWorkNamesItsStream) {
  // The kernel is not drawn then, so its arrow ends nowhere.
  const std::string arrow = "line 12: a flow's step lies in no slice of its thread";
  EXPECT_THAT(after("\"stream\":7", "\"stream\":0"),
              ElementsAre("line 10: stream must be an integer of at least 1", arrow));
  EXPECT_THAT(after("\"args\":{\"stream\":7,\"correlation\":5}", "\"args\":3"),
              ElementsAre("line 10: stream must be an integer of at least 1",
                          "line 10: correlation must be an integer of at least 0", arrow));
}

TEST(CheckChrome, FlowsHaveBothEndsInsideSlices) {
  const std::string start =
      "{\"ph\":\"s\",\"id\":5,\"pid\":7,\"tid\":9,\"ts\":3.000,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
      "\n";
  const std::string end =
      "{\"ph\":\"f\",\"id\":5,\"pid\":0,\"tid\":7,\"ts\":3.500,\"cat\":\"ac2g\",\"name\":\"ac2g\","
      "\"bp\":\"e\"},\n";
  EXPECT_THAT(after(end, ""), ElementsAre("line 11: a flow's start has no end (\"f\")",
                                          "line 10: GPU work without its ac2g flow"));
  EXPECT_THAT(after(start, ""), ElementsAre("line 11: a flow's end has no start (\"s\")"));
  EXPECT_THAT(after(start + end, ""), ElementsAre("line 10: GPU work without its ac2g flow"));
  EXPECT_THAT(after(",\"bp\":\"e\"", ""),
              testing::Contains("line 12: a flow's end needs \"bp\":\"e\""));
  EXPECT_THAT(after("\"ts\":3.000,\"cat\"", "\"ts\":20.000,\"cat\""),
              ElementsAre("line 11: a flow's step lies in no slice of its thread",
                          "line 12: a flow ends before it starts (GPU work before its launch)"));
  EXPECT_THAT(after("\"tid\":7,\"ts\":3.500,\"cat\"", "\"tid\":8,\"ts\":3.500,\"cat\""),
              ElementsAre("line 12: a flow's step lies in no slice of its thread"));
}

TEST(CheckChrome, SlicesHaveNameAndCategory) {
  EXPECT_THAT(after("\"name\":\"ProfilerStep#0\",", ""),
              ElementsAre("line 7: name must be a string"));
  EXPECT_THAT(after("\"cat\":\"user_annotation\",", ""),
              ElementsAre("line 7: cat must be a string"));
}

}  // namespace
}  // namespace normbench
