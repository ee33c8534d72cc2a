#include "trace_check/chrome_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/chrome/gzip.h"

namespace normbench::chrome_check_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::StartsWith;

/// A trace that follows all rules. It has events of every kind.
const std::string good = R"({
"schemaVersion": 1,
"deviceProperties": [{"id":0,"name":"GPU"}],
"normbench": {"losses":{"dropped":2,"lost_buffers":0,"without_times":0,"launches":2,"launched":1,"without_launch":1,"before_launch":0,"most_skew_ns":0,"clipped":0,"cut_off":0}},
"distributedInfo": {"rank": 0},
"displayTimeUnit": "ms",
"baseTimeNanoseconds": 1775078550000000000,
"traceEvents": [
{"ph":"M","name":"process_name","pid":70,"tid":0,"args":{"name":"normbench"}},
{"ph":"M","name":"process_sort_index","pid":70,"tid":0,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":70,"tid":71,"args":{"name":"main"}},
{"ph":"M","name":"thread_sort_index","pid":70,"tid":71,"args":{"sort_index":0}},
{"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"GPU"}},
{"ph":"M","name":"process_sort_index","pid":0,"tid":0,"args":{"sort_index":5000000}},
{"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}},
{"ph":"M","name":"thread_sort_index","pid":0,"tid":7,"args":{"sort_index":1}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":70,"tid":71,"ts":1.000,"dur":9.000},
{"ph":"X","cat":"cpu_op","name":"normalize \"ts\":","pid":70,"tid":71,"ts":2.000,"dur":3.000,"args":{"bytes":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":70,"tid":71,"ts":3.000,"dur":1.000,"args":{"correlation":5}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":3.500,"dur":4.250,"args":{"device":0,"stream":7,"correlation":5}},
{"ph":"X","cat":"gpu_memcpy","name":"lonely","pid":0,"tid":7,"ts":8.000,"dur":1.000,"args":{"device":0,"stream":7,"correlation":6,"bytes":9}},
{"ph":"s","id":1,"pid":70,"tid":71,"ts":3.000,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":1,"pid":0,"tid":7,"ts":3.500,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"C","cat":"counter","name":"faults","pid":70,"tid":0,"ts":9.000,"args":{"count":3}},
{"ph":"i","s":"g","cat":"loss","name":"no room","pid":70,"tid":71,"ts":9.000,"args":{"loss":"dropped"}},
{"ph":"i","s":"g","cat":"loss","name":"no call","pid":70,"tid":71,"ts":9.000,"args":{"loss":"without_launch"}},
{"ph":"i","s":"g","cat":"loss","name":"no work","pid":70,"tid":71,"ts":9.000,"args":{"loss":"launches"}},
{"ph":"M","name":"thread_name","pid":70,"tid":72,"args":{"name":"lane save"}},
{"ph":"M","name":"thread_sort_index","pid":70,"tid":72,"args":{"sort_index":2}},
{"ph":"M","name":"thread_name","pid":70,"tid":73,"args":{"name":"lane load"}},
{"ph":"M","name":"thread_sort_index","pid":70,"tid":73,"args":{"sort_index":3}},
{"ph":"X","cat":"cpu_op","name":"load","pid":70,"tid":73,"ts":2.000,"dur":3.000},
{"ph":"X","cat":"cpu_op","name":"save","pid":70,"tid":72,"ts":6.000,"dur":2.000},
{"ph":"b","id":4,"pid":70,"tid":71,"ts":2.000,"cat":"item","name":"#0"},
{"ph":"e","id":4,"pid":70,"tid":71,"ts":8.000,"cat":"item","name":"#0"},
{"ph":"s","id":2,"pid":70,"tid":73,"ts":4.999,"cat":"item","name":"item"},
{"ph":"f","id":2,"pid":70,"tid":72,"ts":6.000,"cat":"item","name":"item","bp":"e"}
]}
)";

/// Returns `good` with `from` replaced by `to`. `from` must be in it.
std::string changed(const std::string& from, const std::string& to) {
  const auto at = good.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return std::string(good).replace(at, from.size(), to);
}

TEST(CheckChrome, AGoodTraceHasNoMistakes) { EXPECT_THAT(check_chrome(good), ElementsAre()); }

/// A change that breaks one rule, and the mistakes that the checker then reports.
struct Break {
  const char* rule;
  std::string from, to;
  std::vector<std::string> mistakes;
};

std::string name_of_break(const testing::TestParamInfo<Break>& info) { return info.param.rule; }
void PrintTo(const Break& broken, std::ostream* out) { *out << broken.from << " -> " << broken.to; }

class BrokenRule : public testing::TestWithParam<Break> {};

TEST_P(BrokenRule, IsCaught) {
  const auto& [rule, from, to, mistakes] = GetParam();
  EXPECT_THAT(check_chrome(changed(from, to)), ElementsAreArray(mistakes));
}

const std::string kRank = "no \"rank\": 0 (with the space) before the events";
const std::string kTs = "line 17: ts must be microseconds with three decimals, got ";
const std::string kPid = "line 24: pid must be an integer from 0 to 2^32-1";
const std::string kCounter = "\"faults\",\"pid\":70";
const std::string kStart =
    "{\"ph\":\"s\",\"id\":1,\"pid\":70,\"tid\":71,\"ts\":3.000,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
    "\n";
const std::string kEnd =
    "{\"ph\":\"f\",\"id\":1,\"pid\":0,\"tid\":7,\"ts\":3.500,\"cat\":\"ac2g\",\"name\":\"ac2g\","
    "\"bp\":\"e\"},\n";
const std::string kLonelyKernel = "line 20: GPU work without its ac2g flow";
const std::string kLonelyCopy = "line 21: GPU work without its ac2g flow";

// --- Rules for times: they are whole nanoseconds, and the head has their base.
INSTANTIATE_TEST_SUITE_P(
    Times, BrokenRule,
    testing::Values(Break{"FourDecimals", "1.000,\"dur\":9", "1.0000,\"dur\":9", {kTs + "1.0000"}},
                    Break{"TwoDecimals", "1.000,\"dur\":9", "1.00,\"dur\":9", {kTs + "1.00"}},
                    Break{"NoDecimals", "1.000,\"dur\":9", "1,\"dur\":9", {kTs + "1"}},
                    Break{"Exponent", "1.000,\"dur\":9", "1.000e0,\"dur\":9", {kTs + "1.000e0"}},
                    Break{"Text", "1.000,\"dur\":9", "\"1.000\",\"dur\":9", {kTs + "\"1.000\""}},
                    Break{"NoStart", "\"ts\":1.000,", "", {kTs + "nothing"}},
                    Break{"NegativeStart",
                          "\"ts\":1.000",
                          "\"ts\":-1.000",
                          {"line 17: ts is negative: -1.000"}},
                    Break{"NegativeDuration",
                          "\"dur\":9.000",
                          "\"dur\":-9.000",
                          {"line 17: dur is negative: -9.000"}},
                    Break{"FractionalBase",
                          "1775078550000000000",
                          "1.5",
                          {"no baseTimeNanoseconds (an integer)"}},
                    Break{"NoBase",
                          "\"baseTimeNanoseconds\": 1775078550000000000,\n",
                          "",
                          {"no baseTimeNanoseconds (an integer)"}}),
    name_of_break);

// --- Rules for ids of processes and tracks: they are natural numbers, and each process and each
// track has a name and a sort index.
INSTANTIATE_TEST_SUITE_P(
    Places, BrokenRule,
    testing::Values(Break{"TextualPid", kCounter, "\"faults\",\"pid\":\"70\"", {kPid}},
                    Break{"NegativePid", kCounter, "\"faults\",\"pid\":-1", {kPid}},
                    Break{"LargePid", kCounter, "\"faults\",\"pid\":4294967296", {kPid}},
                    Break{"NoPid", kCounter, "\"faults\"", {kPid}},
                    Break{"NegativeTid",
                          "\"pid\":70,\"tid\":0,\"ts\":9",
                          "\"pid\":70,\"tid\":-9,\"ts\":9",
                          {"line 24: tid must be an integer from 0 to 2^32-1"}},
                    Break{"NamelessProcess",
                          "\"name\":\"process_name\",\"pid\":70",
                          "\"name\":\"process_name\",\"pid\":72",
                          {"line 17: its process_name is nowhere"}},
                    Break{"UnplacedProcess",
                          "\"process_sort_index\",\"pid\":70",
                          "\"process_sort_index\",\"pid\":72",
                          {"line 17: its process_sort_index is nowhere"}},
                    Break{"NamelessStream",
                          "\"thread_name\",\"pid\":0,\"tid\":7",
                          "\"thread_name\",\"pid\":0,\"tid\":8",
                          {"line 20: its thread_name is nowhere"}},
                    Break{"UnplacedThread",
                          "\"thread_sort_index\",\"pid\":70,\"tid\":71",
                          "\"thread_sort_index\",\"pid\":70,\"tid\":72",
                          {"line 17: its thread_sort_index is nowhere"}},
                    Break{"EmptyName",
                          "\"args\":{\"name\":\"main\"}",
                          "\"args\":{\"name\":\"\"}",
                          {"line 11: args.name must be a text",
                           "line 17: its thread_name is nowhere"}},
                    Break{"NegativePlace",
                          "\"sort_index\":1",
                          "\"sort_index\":-1",
                          {"line 16: sort_index must be an integer of at least 0",
                           "line 20: its thread_sort_index is nowhere"}},
                    Break{"WorkOnAnotherDevice",
                          "\"args\":{\"device\":0,\"stream\":7,\"correlation\":6",
                          "\"args\":{\"device\":1,\"stream\":7,\"correlation\":6",
                          {"line 21: GPU work must be on the process of its device"}},
                    Break{"UnknownDevice",
                          "[{\"id\":0,",
                          "[{\"id\":1,",
                          {"line 20: deviceProperties has no device 0"}}),
    name_of_break);

// --- Rules for slices: they are sorted and nested, and no length is negative.
INSTANTIATE_TEST_SUITE_P(
    Nesting, BrokenRule,
    testing::Values(
        Break{"StickingOut",
              "\"ts\":1.000,\"dur\":9.000",
              "\"ts\":1.000,\"dur\":3.000",
              {"line 18: sticks out of the slice it starts in (slices of a thread must nest)"}},
        Break{"Unsorted",
              "\"ts\":2.000,\"dur\":3.000",
              "\"ts\":3.001,\"dur\":2.000",
              {"line 19: not sorted by (ts, -dur) on its thread"}},
        Break{"ShorterFirst",
              "\"ts\":2.000,\"dur\":3.000",
              "\"ts\":3.000,\"dur\":0.500",
              {"line 19: not sorted by (ts, -dur) on its thread",
               "line 19: sticks out of the slice it starts in (slices of a thread must nest)"}},
        Break{"OverlappingWork",
              "\"ts\":8.000,\"dur\":1.000",
              "\"ts\":7.000,\"dur\":1.000",
              {"line 21: sticks out of the slice it starts in (slices of a thread must nest)"}}),
    name_of_break);

// --- Rules for arrows (flow events) and for streams.
INSTANTIATE_TEST_SUITE_P(
    Flows, BrokenRule,
    testing::Values(
        Break{"NoEnd",
              kEnd,
              "",
              {"line 22: a flow's start has no end (\"f\")", kLonelyKernel, kLonelyCopy}},
        Break{"NoStart",
              kStart,
              "",
              {"line 22: a flow's end has no start (\"s\")", kLonelyKernel, kLonelyCopy}},
        Break{"NoFlow", kStart + kEnd, "", {kLonelyKernel, kLonelyCopy}},
        Break{
            "IdTwice", kStart, kStart + kStart, {"line 23: a flow's id is taken by another flow"}},
        Break{"NotBound",
              ",\"bp\":\"e\"",
              "",
              {"line 23: a flow's end needs \"bp\":\"e\"",
               "line 22: a flow's start has no end (\"f\")", kLonelyKernel, kLonelyCopy}},
        Break{"StartOutsideTheCall",
              "\"tid\":71,\"ts\":3.000,\"cat\"",
              "\"tid\":71,\"ts\":2.999,\"cat\"",
              {"line 22: a flow's start lies in no call with its work's correlation", kLonelyKernel,
               kLonelyCopy}},
        Break{"AnotherCall",
              "\"args\":{\"correlation\":5}",
              "\"args\":{\"correlation\":4}",
              {"line 22: a flow's start lies in no call with its work's correlation", kLonelyKernel,
               kLonelyCopy}},
        Break{"EndAtNoWork",
              "\"tid\":7,\"ts\":3.500,\"cat\"",
              "\"tid\":7,\"ts\":3.600,\"cat\"",
              {"line 23: a flow's end is at the start of no GPU work", kLonelyKernel, kLonelyCopy}},
        Break{"WorkMovedFromItsFlow",
              "\"ts\":3.500,\"dur\":4.250,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}},",
              "\"ts\":2.500,\"dur\":4.250,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}},",
              {"line 23: a flow's end is at the start of no GPU work", kLonelyKernel, kLonelyCopy}},
        Break{"ACallWithoutCorrelation",
              "\"args\":{\"correlation\":5}",
              "\"args\":{}",
              {"line 19: correlation must be an integer of at least 0",
               "line 22: a flow's start lies in no call with its work's correlation", kLonelyKernel,
               kLonelyCopy}},
        Break{"StreamZero",
              "\"stream\":7,\"correlation\":6",
              "\"stream\":0,\"correlation\":6",
              {"line 21: stream must be an integer of at least 1"}},
        Break{"NoArgs",
              "\"args\":{\"device\":0,\"stream\":7,\"correlation\":6,\"bytes\":9}",
              "\"args\":3",
              {"line 21: args must be an object"}},
        Break{"NoBytes", ",\"bytes\":9", "", {"line 21: bytes must be an integer of at least 0"}}),
    name_of_break);

TEST(CheckChrome, WorkStartsAfterItsLaunch) {
  std::string text = changed("\"ts\":3.500,\"dur\"", "\"ts\":2.500,\"dur\"");
  const std::string end = "\"tid\":7,\"ts\":3.500,\"cat\"";
  text.replace(text.find(end), end.size(), "\"tid\":7,\"ts\":2.500,\"cat\"");
  EXPECT_THAT(check_chrome(text),
              ElementsAre("line 23: a flow ends before it starts (GPU work before its launch)"));
}

// --- Rules for the head of the trace and for its counts.
INSTANTIATE_TEST_SUITE_P(
    Head, BrokenRule,
    testing::Values(
        Break{"RankWithoutSpace", "\"rank\": 0", "\"rank\":0", {kRank}},
        Break{"AnotherRank", "\"rank\": 0", "\"rank\": 1", {kRank}},
        Break{"RankInAnotherKey", "\"name\":\"GPU\"}]", "\"name\":\"GPU\",\"rank\": 3}]", {kRank}},
        Break{"RankElsewhere",
              "\"distributedInfo\": {\"rank\": 0}",
              "\"distributedInfos\": {\"rank\": 0}",
              {kRank}},
        Break{"NoSchema", "\"schemaVersion\": 1", "\"schema\": 1", {"no schemaVersion"}},
        Break{"NoUnit",
              "\"displayTimeUnit\": \"ms\"",
              "\"displayTimeUnit\": \"s\"",
              {"displayTimeUnit must be \"ms\" or \"ns\""}},
        Break{"NoDevices",
              "[{\"id\":0,\"name\":\"GPU\"}]",
              "7",
              {"deviceProperties must be an array", "line 20: deviceProperties has no device 0"}},
        Break{"LossNotCounted",
              "\"clipped\":0,",
              "",
              {"no normbench.losses.clipped (an integer of at least 0)"}},
        Break{"LossOfText",
              "\"clipped\":0,",
              "\"clipped\":\"none\",",
              {"no normbench.losses.clipped (an integer of at least 0)"}},
        Break{"LossNotMarked",
              "\"cut_off\":0",
              "\"cut_off\":8",
              {"the loss \"cut_off\" is counted and not marked (no instant)"}},
        Break{"MissingWorkNotMarked",
              "\"loss\":\"launches\"",
              "\"loss\":\"\"",
              {"the loss \"launches\" is counted and not marked (no instant)"}},
        Break{"MoreWithoutLaunchThanCounted",
              "\"without_launch\":1",
              "\"without_launch\":0",
              {kLonelyCopy}},
        Break{"HiddenInstant",
              "\"s\":\"g\",\"cat\":\"loss\",\"name\":\"no room\"",
              "\"s\":\"t\",\"cat\":\"loss\",\"name\":\"no room\"",
              {"line 25: an instant needs \"s\":\"g\" to be seen on all tracks",
               "the loss \"dropped\" is counted and not marked (no instant)"}}),
    name_of_break);

INSTANTIATE_TEST_SUITE_P(
    Items, BrokenRule,
    testing::Values(Break{"ItemWithoutEnd",
                          "{\"ph\":\"e\",\"id\":4",
                          "{\"ph\":\"e\",\"id\":5",
                          {"line 34: an item, or an arrow of one, lacks its other end",
                           "line 35: an item, or an arrow of one, lacks its other end"}},
                    Break{"ItemEndsBeforeItsStart",
                          "\"ts\":8.000,\"cat\":\"item\"",
                          "\"ts\":1.000,\"cat\":\"item\"",
                          {"line 35: an item, or an arrow of one, ends before it starts"}},
                    Break{"ItemWithTwoNames",
                          "\"ts\":8.000,\"cat\":\"item\",\"name\":\"#0\"",
                          "\"ts\":8.000,\"cat\":\"item\",\"name\":\"#1\"",
                          {"line 35: an item ends under another name"}},
                    Break{"ArrowFromNoStage",
                          "\"ts\":4.999,",
                          "\"ts\":5.500,",
                          {"line 36: an item's arrow leads from no stage to no start of one"}},
                    Break{"ArrowIntoAStage",
                          "\"ts\":6.000,\"cat\":\"item\"",
                          "\"ts\":6.500,\"cat\":\"item\"",
                          {"line 36: an item's arrow leads from no stage to no start of one"}}),
    name_of_break);

// --- Rules for events: one event per line, with all fields that it needs.
INSTANTIATE_TEST_SUITE_P(
    Events, BrokenRule,
    testing::Values(
        Break{"TwoOnALine",
              "}},\n{\"ph\":\"i\",\"s\":\"g\",\"cat\":\"loss\",\"name\":\"no call\"",
              "}}, {\"ph\":\"i\",\"s\":\"g\",\"cat\":\"loss\",\"name\":\"no call\"",
              {"line 25: must hold exactly one event",
               "the loss \"dropped\" is counted and not marked (no instant)",
               "the loss \"without_launch\" is counted and not marked (no instant)"}},
        Break{"OnTwoLines",
              "\"bytes\":1",
              "\n\"bytes\":1",
              {"line 18: must hold exactly one event", "line 19: must hold exactly one event"}},
        Break{"UnknownPhase",
              "\"ph\":\"C\"",
              "\"ph\":\"B\"",
              {"line 24: ph must be one of X, M, s, f, i, C, b, e"}},
        Break{"NumericPhase",
              "\"ph\":\"C\"",
              "\"ph\":1",
              {"line 24: ph must be one of X, M, s, f, i, C, b, e"}},
        Break{"NamelessSlice",
              "\"name\":\"ProfilerStep#0\",",
              "",
              {"line 17: name must be a string"}},
        Break{"SliceWithoutCategory",
              "\"cat\":\"user_annotation\",",
              "",
              {"line 17: cat must be a string"}},
        Break{"TextualCounter",
              "\"count\":3",
              "\"count\":\"3\"",
              {"line 24: a counter's args must be numbers"}},
        Break{
            "EmptyCounter", "{\"count\":3}", "{}", {"line 24: a counter's args must be numbers"}}),
    name_of_break);

// --- The file is strict JSON.

TEST(CheckChrome, StrictJson) {
  const auto not_strict = ElementsAre(StartsWith("not strict JSON: "));
  EXPECT_THAT(check_chrome(changed("\"bytes\":1", "\"bytes\":NaN")), not_strict);
  EXPECT_THAT(check_chrome(changed("\"bytes\":1", "\"bytes\":Infinity")), not_strict);
  EXPECT_THAT(check_chrome(changed("\"bytes\":1", "\"bytes\":1 /* one */")), not_strict);
  EXPECT_THAT(check_chrome(changed("\"bytes\":1", "\"bytes\":1,")), not_strict);
  EXPECT_THAT(check_chrome(changed("normalize", "nor\tmalize")), not_strict);
  EXPECT_THAT(check_chrome(changed("normalize", "nor\\malize")), not_strict);
  EXPECT_THAT(check_chrome(changed("normalize", "nor\xffmalize")), not_strict);
  EXPECT_THAT(check_chrome(changed("normalize", "nor\\ud800malize")), not_strict);
}

// --- The file is complete.

TEST(CheckChrome, ATruncatedFileIsCaught) {
  for (const std::size_t missing : {3u, 4u, 40u, 600u})
    EXPECT_THAT(check_chrome(good.substr(0, good.size() - missing)),
                ElementsAre(StartsWith("not strict JSON: ")));
  EXPECT_THAT(check_chrome(good.substr(0, good.size() - 1)),
              ElementsAre("the last line is not ]}"));
  EXPECT_THAT(check_chrome("[]"), ElementsAre("no line \"traceEvents\": ["));
  EXPECT_THAT(check_chrome(""), ElementsAre(StartsWith("not strict JSON: ")));
}

// --- A compressed file has one gzip member.

std::string packed(const std::string& text) {
  std::ostringstream out;
  gzip_to(out, [&](std::ostream& in) { in << text; });
  return out.str();
}

TEST(CheckChrome, GzipDataIsOneWholeMember) {
  EXPECT_THAT(check_chrome_file(good), ElementsAre());
  const std::string gz = packed(good);
  EXPECT_THAT(check_chrome_file(gz), ElementsAre());
  EXPECT_THAT(check_chrome_file(packed(changed("\"rank\": 0", "\"rank\":0"))), ElementsAre(kRank));
  EXPECT_THAT(check_chrome_file(packed(good.substr(0, 900)) + packed(good.substr(900))),
              ElementsAre("2 gzip members (Chrome reads the first alone)"));
  EXPECT_THAT(check_chrome_file(gz.substr(0, gz.size() - 1)),
              ElementsAre("damaged or cut off gzip data"));
}

}  // namespace
}  // namespace normbench::chrome_check_test
