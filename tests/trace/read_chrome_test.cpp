#include "trace/read/read_chrome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "trace/profile_rows.h"
#include "trace/read/chrome_event.h"

namespace normbench::read_chrome_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ReadTrace read(const std::string& text) {
  std::istringstream in(text);
  return read_chrome(in, "t.json");
}

/// Returns the message of the Invalid that reading `text` throws, or "none".
std::string mistake(const std::string& text) {
  try {
    read(text);
  } catch (const Invalid& invalid) {
    return invalid.what();
  }
  return "none";
}

/// Returns a trace with these events.
std::string trace(const std::string& events) { return "{\"traceEvents\": [" + events + "]}"; }

/// Returns a text for each slice: "pid/tid kind name start-end".
std::vector<std::string> lines(const ReadTrace& model) {
  std::vector<std::string> result;
  for (const ReadLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices)
      result.push_back(fmt::format("{}/{} {} {} {}-{}", lane.pid, lane.tid, name_of(slice.kind),
                                   slice.name, slice.start_ns, slice.end_ns));
  return result;
}

std::vector<TraceSlice> slices_of(const ReadTrace& model, std::size_t lane) {
  const PackedSlices& slices = model.lanes.at(lane).slices;
  return {slices.begin(), slices.end()};
}

TraceSlice slice_at(const ReadTrace& model, std::size_t lane, std::size_t i) {
  return slices_of(model, lane).at(i);
}

std::vector<std::string> marks(const ReadTrace& model) {
  std::vector<std::string> names;
  for (const TraceMark& mark : model.marks) names.push_back(mark.name);
  return names;
}

constexpr const char* kOp =
    R"({"ph":"X","cat":"cpu_op","name":"sub","pid":1,"tid":2,"ts":10.5,"dur":2})";

TEST(ReadChrome, AnObjectWithEventsAmongOtherKeys) {
  const ReadTrace model = read(fmt::format(
      R"({{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "ts": 3}}], "x": {{"traceEvents": [1]}},
          "traceEvents": [{}], "traceName": "a", "after": [[[1]], null, true, 1.5]}})",
      kOp));
  EXPECT_THAT(lines(model), ElementsAre("1/2 cpu_op sub 10500-12500"));
  EXPECT_THAT(marks(model), IsEmpty());
}

TEST(ReadChrome, ABareArray) {
  EXPECT_THAT(lines(read(fmt::format("[{}, {{}}]", kOp))),
              ElementsAre("1/2 cpu_op sub 10500-12500"));
  EXPECT_THAT(lines(read("[]")), IsEmpty());
}

TEST(ReadChrome, EachOfTorchsCategories) {
  std::string events;
  for (const char* category :
       {"cpu_op",     "user_annotation", "cuda_runtime", "cuda_driver",
        "kernel",     "gpu_memcpy",      "gpu_memset",   "gpu_user_annotation",
        "overhead",   "python_function", "Trace",        "cuda_sync",
        "cpu_thread", "Operator",        "Runtime",      "Kernel",
        "Memcpy",     "Memset",          "ac2g",         "unknown"})
    events +=
        fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":1,"dur":1}})",
                    events.empty() ? "" : ",", category, category, events.size());
  std::vector<std::string> kinds;
  const ReadTrace model = read(trace(events));
  for (const ReadLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices)
      kinds.push_back(fmt::format("{} {}", slice.name, name_of(slice.kind)));
  EXPECT_THAT(kinds, ElementsAre("cpu_op cpu_op", "user_annotation user_annotation",
                                 "cuda_runtime cuda_runtime", "cuda_driver cuda_driver",
                                 "kernel kernel", "gpu_memcpy gpu_memcpy", "gpu_memset gpu_memset",
                                 "gpu_user_annotation gpu_user_annotation", "overhead overhead",
                                 "python_function python_function", "Operator cpu_op",
                                 "Runtime cuda_runtime", "Kernel kernel", "Memcpy gpu_memcpy",
                                 "Memset gpu_memset"));
}

TEST(ReadChrome, WithoutTorchsCategoriesEverySliceIsAnOp) {
  const std::string parse = R"({"ph":"X","name":"Parse","pid":1,"tid":1,"ts":0,"dur":9})";
  const std::string emit =
      R"({"ph":"X","cat":"backend","name":"Emit","pid":1,"tid":1,"ts":9,"dur":9})";
  EXPECT_THAT(lines(read(trace(parse + "," + emit))),
              ElementsAre("1/1 cpu_op Parse 0-9000", "1/1 cpu_op Emit 9000-18000"));
  EXPECT_THAT(lines(read(trace(parse + "," + kOp + "," + emit))),
              ElementsAre("1/2 cpu_op sub 10500-12500"));
}

TEST(ReadChrome, TimesInEveryWayOfWritingThem) {
  const auto times = [](const std::string& ts, const std::string& dur) {
    const ReadTrace model = read(trace(fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{},"dur":{}}})", ts, dur)));
    if (model.lanes.empty()) return std::string("none");
    const TraceSlice slice = slice_at(model, 0, 0);
    return fmt::format("{}+{}", slice.start_ns, slice.end_ns - slice.start_ns);
  };
  EXPECT_EQ(times("5", "2"), "5000+2000");
  EXPECT_EQ(times("5.125", "0.001"), "5125+1");
  EXPECT_EQ(times("1732233600000000.123", "1.5"), "1732233600000000123+1500");
  EXPECT_EQ(times("\"1732233600000000.123\"", "\"7\""), "1732233600000000123+7000");
  EXPECT_EQ(times("1.0005", "0.0004"), "1001+0");
  EXPECT_EQ(times("1e3", "2.5E-1"), "1000000+250");
  EXPECT_EQ(times("-3.5", "4"), "-3500+4000");
  EXPECT_EQ(times("-400000000000001", "4"), "none");
  for (const char* bad :
       {"null", "\"\"", "\"soon\"", "\"nan\"", "\"inf\"", "true", "1e300", "[1]"}) {
    EXPECT_EQ(times(bad, "1"), "none") << bad;
    EXPECT_EQ(times("1", bad), "none") << bad;
  }
  EXPECT_EQ(times("1", "-0.001"), "none");
}

TEST(Microseconds, AreExactToTheNanosecond) {
  EXPECT_EQ(ns_of_microseconds("3999999999999999.999"), 3'999'999'999'999'999'999);
  EXPECT_EQ(ns_of_microseconds("-0.001"), -1);
  EXPECT_EQ(ns_of_microseconds("12."), 12000);
  EXPECT_EQ(ns_of_microseconds("0.9996"), 1000);
  EXPECT_EQ(ns_of_microseconds("4000000000000001"), std::nullopt);
  EXPECT_EQ(ns_of_microseconds("-5"), -5000);
  for (const char* bad : {"", "-", ".", "1-", "+1", "1 ", " 1", "0x10", "nan", "-inf", "1.2.3"})
    EXPECT_EQ(ns_of_microseconds(bad), std::nullopt) << bad;
}

TEST(ReadChrome, PairsOfBeginAndEndNest) {
  const ReadTrace model = read(trace(
      R"({"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0,"args":{"External id":7}},
         {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":2},
         {"ph":"B","cat":"cpu_op","name":"other thread","pid":1,"tid":2,"ts":3},
         {"ph":"E","pid":1,"tid":1,"ts":5}, {"ph":"E","pid":1,"tid":2,"ts":6},
         {"ph":"E","name":"outer","pid":1,"tid":1,"ts":9})"));
  EXPECT_THAT(lines(model), ElementsAre("1/1 cpu_op outer 0-9000", "1/1 cpu_op inner 2000-5000",
                                        "1/2 cpu_op other thread 3000-6000"));
  EXPECT_EQ(slice_at(model, 0, 0).external_id, 7u);
  EXPECT_THAT(marks(model), IsEmpty());
}

TEST(ReadChrome, PairsWithTheSameTimesNestInTheirOrder) {
  const ReadTrace model = read(trace(R"(
    {"ph": "B", "name": "main", "ts": 0}, {"ph": "B", "name": "run", "ts": 0},
    {"ph": "B", "name": "leaf", "ts": 0}, {"ph": "E", "ts": 5}, {"ph": "E", "ts": 5},
    {"ph": "B", "name": "next", "ts": 5}, {"ph": "E", "ts": 5}, {"ph": "E", "ts": 5})"));
  EXPECT_THAT(lines(model), ElementsAre("0/0 cpu_op main 0-5000", "0/0 cpu_op run 0-5000",
                                        "0/0 cpu_op leaf 0-5000", "0/0 cpu_op next 5000-5000"));
}

TEST(ReadChrome, OfEqualSlicesWrittenAsTheyEndTheLaterIsTheParent) {
  const ReadTrace model = read(trace(R"(
    {"ph": "X", "name": "first", "ts": 0, "dur": 1}, {"ph": "X", "name": "leaf", "ts": 3, "dur": 2},
    {"ph": "X", "name": "inner", "ts": 1, "dur": 4}, {"ph": "X", "name": "outer", "ts": 1, "dur": 4})"));
  EXPECT_THAT(lines(model), ElementsAre("0/0 cpu_op first 0-1000", "0/0 cpu_op outer 1000-5000",
                                        "0/0 cpu_op inner 1000-5000", "0/0 cpu_op leaf 3000-5000"));
}

TEST(ReadChrome, OfEqualSlicesWrittenAsTheyBeginTheEarlierIsTheParent) {
  const ReadTrace model = read(trace(R"(
    {"ph": "X", "name": "outer", "ts": 1, "dur": 4}, {"ph": "X", "name": "inner", "ts": 1, "dur": 4},
    {"ph": "X", "name": "last", "ts": 9, "dur": 1}, {"ph": "X", "name": "next", "ts": 6, "dur": 1})"));
  EXPECT_THAT(lines(model), ElementsAre("0/0 cpu_op outer 1000-5000", "0/0 cpu_op inner 1000-5000",
                                        "0/0 cpu_op next 6000-7000", "0/0 cpu_op last 9000-10000"));
}

TEST(ReadChrome, WhatCannotBeUsedIsCountedWithItsFirstLine) {
  const ReadTrace model = read(
      "{\"traceEvents\": [\n"
      "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0},\n"
      "{\"ph\":\"E\",\"pid\":1,\"tid\":9,\"ts\":5},\n"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0},\n"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"dur\":1},\n"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}]}");
  EXPECT_THAT(lines(model), ElementsAre("1/1 cpu_op b 0-1000"));
  EXPECT_THAT(
      marks(model),
      ElementsAre(
          "2 slices left out: no ts or dur, or one that is no time in microseconds (line 4 is "
          "the first)",
          "1 \"B\" event left out: no \"E\" closes it (line 2)",
          "1 \"E\" event left out: no \"B\" opens it (line 3)"));
}

TEST(ReadChrome, LanesAreSortedParentsFirst) {
  std::string events;
  for (const auto& [name, ts, dur] :
       {std::tuple("c", 5, 1), {"b", 0, 3}, {"a", 0, 9}, {"a2", 0, 9}})
    events +=
        fmt::format(R"({}{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
                    events.empty() ? "" : ",", name, ts, dur);
  EXPECT_THAT(lines(read(trace(events))),
              ElementsAre("1/1 cpu_op a 0-9000", "1/1 cpu_op a2 0-9000", "1/1 cpu_op b 0-3000",
                          "1/1 cpu_op c 5000-6000"));
}

TEST(ReadChrome, ArgsThatTablesNeed) {
  const ReadTrace model = read(trace(
      R"json({"ph":"X","cat":"cpu_op","name":"conv","pid":1,"tid":1,"ts":0,"dur":1,
          "args":{"External id":18,"nested":{"bytes":5},"Input Dims":[[1, 3, 224],[],[[2,3],[4]],[7]],
                  "Input type":["float","",""],"list":[1,2]}},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","pid":0,"tid":7,"ts":1,
          "dur":1,"args":{"External id":"19","device":2,"stream":7,"correlation":135,"bytes":4096,
                          "memory bandwidth (GB/s)":0.2}},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":0,"tid":7,"ts":3,
          "dur":1,"args":{"external id":20,"Input dims":[]}})json"));
  const TraceSlice conv = slice_at(model, 0, 0);
  EXPECT_EQ(conv.external_id, 18u);
  EXPECT_EQ(conv.shapes, "[[1, 3, 224], [], [], [7]]");
  EXPECT_EQ(conv.bytes, 0);
  const TraceSlice copy = slice_at(model, 1, 0);
  EXPECT_EQ(copy.external_id, 19u);
  EXPECT_EQ(copy.correlation, 135);
  EXPECT_EQ(copy.bytes, 4096);
  EXPECT_EQ(copy.shapes, "");
  EXPECT_EQ(model.details_of(copy)->device, 2);
  EXPECT_EQ(model.details_of(copy)->stream, 7);
  EXPECT_TRUE(model.details_of(copy)->over_link);
  const TraceSlice on_device = slice_at(model, 1, 1);
  EXPECT_EQ(on_device.external_id, 20u);
  EXPECT_FALSE(model.details_of(on_device)->over_link);
  EXPECT_EQ(model.details_of(on_device)->device, 0);
}

TEST(ReadChrome, TimesFromMarks) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"gpu_user_annotation","name":"h2d","pid":0,"tid":7,"ts":0,"dur":1,
          "args":{"External id":1,"source":"cuda_event","over_link":true,"bytes":9}},
         {"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":7,"ts":0,"dur":1})"));
  EXPECT_TRUE(model.is_device_time(slice_at(model, 0, 0)));
  EXPECT_TRUE(model.details_of(slice_at(model, 0, 0))->over_link);
  EXPECT_FALSE(model.is_device_time(slice_at(model, 0, 1)));
}

TEST(ReadChrome, PlacesThatAreTexts) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":"CPU functions","tid":"main","ts":0,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"b","pid":"CPU functions","tid":" node_id:0, thread_id:1 ","ts":0,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"c","pid":"CPU functions","tid":"main","ts":2,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"d","pid":"12","tid":18446744073709551615,"ts":2,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"e","pid":12,"tid":-1,"ts":3,"dur":1})"));
  ASSERT_THAT(model.lanes, SizeIs(3));
  EXPECT_THAT(slices_of(model, 0), SizeIs(2));
  EXPECT_EQ(model.lanes[0].pid, model.lanes[1].pid);
  EXPECT_EQ(model.lanes[2].pid, 12);
  EXPECT_THAT(slices_of(model, 2), SizeIs(2));
}

TEST(ReadChrome, NamesOfAnyKind) {
  const std::string name =
      "quote \" backslash \\ tab \t null-free \x01 é 漢 😀 " + std::string(10'000, 'x');
  const Json event{{"ph", "X"}, {"cat", "cpu_op"}, {"name", name}, {"pid", 1},
                   {"tid", 1},  {"ts", 0},         {"dur", 1}};
  EXPECT_EQ(slice_at(read(trace(event.dump())), 0, 0).name, name);
  EXPECT_EQ(slice_at(read(trace(event.dump(-1, ' ', true))), 0, 0).name, name);
}

/// PyTorch 2.2 writes line breaks in names, which is not valid JSON.
TEST(ReadChrome, LineBreaksInNamesAreBlanks) {
  const ReadTrace model =
      read(trace("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"import torch\n\tas "
                 "t\",\"pid\":1,\"tid\":1,\"ts\":0,"
                 "\r\n\t\"dur\":1}"));
  EXPECT_THAT(lines(model), ElementsAre("1/1 cpu_op import torch  as t 0-1000"));
}

// --- what is left out, depending on the program that wrote the trace

TEST(ReadChrome, WordsOfOldPyTorchAreItsOwnOnlyInItsFiles) {
  const auto kinds = [](const std::string& text) {
    std::vector<std::string> all;
    const ReadTrace model = read(text);
    for (const ReadLane& lane : model.lanes)
      for (const TraceSlice& slice : lane.slices)
        all.push_back(fmt::format("{} {}", slice.name, name_of(slice.kind)));
    return all;
  };
  const std::string op = R"({"ph":"X","cat":"Operator","name":"op","ts":0,"dur":9})";
  const std::string kernel = R"(,{"ph":"X","cat":"Kernel","name":"k","ts":1,"dur":5})";
  const std::string other = R"(,{"ph":"X","cat":"Forward","name":"f","ts":2,"dur":1})";
  EXPECT_THAT(kinds(trace(op + kernel + other)), ElementsAre("op cpu_op", "k cpu_op", "f cpu_op"));
  EXPECT_THAT(kinds("{\"schemaVersion\": \"1.0.2\", \"traceEvents\": [" + op + other + "]}"),
              ElementsAre("op cpu_op", "f cpu_op"));
  for (const std::string& of_pytorch :
       {"{\"schemaVersion\": 1, \"traceEvents\": [" + op + kernel + other + "]}",
        "{\"traceEvents\": [" + op + kernel + other + "], \"schemaVersion\": 1}",
        trace(op + kernel + other + R"(,{"ph":"i","args":{}})" +
              R"j(,{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","ts":0,"dur":9})j"),
        trace(
            op + kernel + other +
            R"(,{"ph":"X","cat":"Operator","name":"p","ts":20,"dur":9,"args":{"External id":4}})")})
    EXPECT_THAT(kinds(of_pytorch), testing::Contains("k kernel")) << of_pytorch;
  EXPECT_THAT(kinds(trace(kernel.substr(1) + other)), ElementsAre("k cpu_op", "f cpu_op"));
  EXPECT_THAT(kinds(trace(R"({"ph":"X","cat":"Memcpy","name":"Memcpy HtoD","ts":0,"dur":1,
                              "args":{"device":0,"stream":7,"correlation":2}})")),
              ElementsAre("Memcpy HtoD gpu_memcpy"));
}

TEST(ReadChrome, WhatIsLeftOutOfAFileOfPyTorchIsCounted) {
  const std::string odd = R"({"ph":"X","cat":"mine","name":"m","ts":0,"dur":1},)";
  const std::string none = R"({"ph":"X","name":"n","ts":0,"dur":1},)";
  const std::string span =
      R"j({"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","ts":0,"dur":9})j";
  const ReadTrace model =
      read("{\"traceEvents\": [\n" + odd + "\n" + kOp + ",\n" + odd + none + span + "]}");
  EXPECT_THAT(lines(model), ElementsAre("1/2 cpu_op sub 10500-12500"));
  EXPECT_THAT(
      marks(model),
      ElementsAre("3 slices left out: no rows for categories mine, \"\" (line 2 is the first)"));
}

TEST(ReadChrome, AnEndClosesTheLatestOfItsName) {
  const ReadTrace model = read(trace(
      R"({"ph":"B","name":"outer","ts":0},{"ph":"B","name":"lost","ts":5},
         {"ph":"B","name":"inner","ts":6},{"ph":"E","name":"inner","ts":7},{"ph":"E","name":"outer","ts":20},
         {"ph":"B","tid":1,"name":"a","ts":0},{"ph":"B","tid":1,"name":"b","ts":10},
         {"ph":"E","tid":1,"name":"a","ts":20},{"ph":"E","tid":1,"name":"b","ts":30},
         {"ph":"B","tid":2,"name":"x","ts":0},{"ph":"E","tid":2,"name":"end of x","ts":3})"));
  EXPECT_THAT(lines(model), ElementsAre("0/0 cpu_op outer 0-20000", "0/0 cpu_op inner 6000-7000",
                                        "0/1 cpu_op a 0-20000", "0/1 cpu_op b 10000-30000",
                                        "0/2 cpu_op x 0-3000"));
  EXPECT_THAT(marks(model),
              testing::Contains("1 \"B\" event left out: no \"E\" closes it (line 1)"));
}

TEST(ReadChrome, CommonWordsOfKinetoAreItsOwnOnlyInFilesOfPyTorch) {
  const std::string main = R"({"ph":"X","cat":"app","name":"main","ts":0,"dur":9})";
  for (const char* word : {"kernel", "overhead", "python_function", "cuda_sync", "cpu_thread"}) {
    const std::string one =
        fmt::format(R"(,{{"ph":"X","cat":"{}","name":"x","ts":1,"dur":2}})", word);
    EXPECT_THAT(lines(read(trace(main + one))),
                ElementsAre("0/0 cpu_op main 0-9000", "0/0 cpu_op x 1000-3000"))
        << word;
    EXPECT_THAT(lines(read("{\"schemaVersion\": 1, \"traceEvents\": [" + main + one + "]}")),
                testing::Not(testing::Contains("0/0 cpu_op main 0-9000")))
        << word;
  }
  EXPECT_THAT(
      lines(read(trace(
          R"({"ph":"X","cat":"cpu_op","name":"mm","ts":0,"dur":50},
                     {"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","ts":10,"dur":5})"))),
      ElementsAre("0/0 cpu_op mm 0-50000", "0/0 cuda_runtime urEnqueueKernelLaunch 10000-15000"));
}

TEST(ReadChrome, ManyOpenRangesOfOneIdTakeNoLongerEach) {
  std::string events;
  for (int i = 0; i < 50'000; ++i)
    events += fmt::format(R"({{"ph":"b","id":0,"name":"r{}","ts":{}}},)", i % 7, i);
  for (int i = 0; i < 50'000; ++i)
    events += fmt::format(R"({{"ph":"e","id":0,"name":"r{}","ts":{}}},)", (i + 3) % 7, 60'000 + i);
  const ReadTrace model = read(trace(events + R"({"ph":"e","id":0,"name":"q","ts":1})"));
  EXPECT_THAT(slices_of(model, 0), SizeIs(49'999));
}

TEST(ReadChrome, IdsOfAsyncRanges) {
  const ReadTrace model = read(trace(R"(
    {"ph":"b","id":"pool-1","name":"a","pid":1,"ts":0},{"ph":"e","id":"pool-1","name":"a","pid":2,"ts":9},
    {"ph":"b","id2":{"local":"1"},"name":"local","pid":1,"ts":0},
    {"ph":"b","id":"1","name":"global","pid":1,"ts":1},
    {"ph":"e","id":"1","name":"global","pid":1,"ts":3},
    {"ph":"e","id2":{"local":"1"},"name":"local","pid":1,"ts":10},
    {"ph":"b","id":"s","scope":"one","name":"first","pid":3,"ts":0},
    {"ph":"b","id":"s","scope":"two","name":"second","pid":3,"ts":1},
    {"ph":"e","id":"s","scope":"one","pid":3,"ts":9},{"ph":"e","id":"s","scope":"two","pid":3,"ts":20},
    {"ph":"b","cat":"c","id":6,"name":"in c","pid":5,"ts":0},
    {"ph":"b","cat":"d","id":6,"name":"in d","pid":5,"ts":1},
    {"ph":"e","cat":"c","id":6,"pid":5,"ts":4},{"ph":"e","cat":"d","id":6,"pid":5,"ts":8},
    {"ph":"b","id":5,"name":"x","pid":4,"ts":0},{"ph":"b","id":5,"name":"y","pid":4,"ts":1},
    {"ph":"e","id":5,"name":"x","pid":4,"ts":5},{"ph":"e","id":5,"pid":4,"ts":9})"));
  EXPECT_THAT(lines(model), ElementsAre("1/0 cpu_op local 0-10000", "1/0 cpu_op a 0-9000",
                                        "1/0 cpu_op global 1000-3000", "3/0 cpu_op first 0-9000",
                                        "3/0 cpu_op second 1000-20000", "5/0 cpu_op in c 0-4000",
                                        "5/0 cpu_op in d 1000-8000", "4/0 cpu_op x 0-5000",
                                        "4/0 cpu_op y 1000-9000"));
  EXPECT_THAT(marks(model), IsEmpty());
}

TEST(ReadChrome, ACompleteSliceWithinOpenOnesIsTheirChild) {
  EXPECT_THAT(lines(read(trace(
                  R"({"ph":"B","name":"a","ts":0},{"ph":"B","name":"b","ts":0},
                     {"ph":"X","name":"c","ts":0,"dur":10},{"ph":"E","ts":10},{"ph":"E","ts":10})"))),
              ElementsAre("0/0 cpu_op a 0-10000", "0/0 cpu_op b 0-10000", "0/0 cpu_op c 0-10000"));
}

TEST(ReadChrome, WhatIsOpenIsBounded) {
  std::string events;
  for (int i = 0; i < 200'001; ++i) events += R"({"ph":"B","ts":1},)";
  const ReadTrace model = read("[" + events + "{}]");
  EXPECT_THAT(lines(model), IsEmpty());
  EXPECT_THAT(marks(model),
              ElementsAre("200,000 \"B\" events left out: no \"E\" closes it (line 1 is the first)",
                          "1 begin of a slice left out: more than 200,000 are open (line 1)"));
}

TEST(ReadChrome, CategoriesBeyondAThousandAreOthers) {
  std::string events = kOp;
  for (int i = 0; i < 1500; ++i)
    events += fmt::format(R"(,{{"ph":"X","cat":"c{}","name":"x","ts":1,"dur":2}})", i);
  EXPECT_THAT(
      marks(read(trace(events))),
      ElementsAre("1,500 slices left out: no rows for categories c0, c1, c2, c3, c4 and 994 "
                  "more (line 1 is the first)"));
}

TEST(ReadChrome, AsyncRanges) {
  const ReadTrace model = read(trace(R"(
    {"ph":"b","cat":"net","id":"0x1","name":"request","pid":1,"tid":1,"ts":0},
    {"ph":"n","cat":"net","id":"0x1","name":"byte","pid":1,"tid":1,"ts":5},
    {"ph":"b","cat":"net","id":"0x1","name":"parse","pid":1,"tid":1,"ts":10},
    {"ph":"b","cat":"net","id":2,"name":"request","pid":1,"tid":1,"ts":11},
    {"ph":"e","cat":"net","id":"0x1","name":"parse","pid":1,"tid":1,"ts":20},
    {"ph":"e","cat":"net","id":2,"name":"request","pid":1,"tid":9,"ts":25},
    {"ph":"e","cat":"net","id":"0x1","pid":1,"tid":1,"ts":90},
    {"ph":"S","cat":"old","id":3,"name":"old","pid":1,"tid":2,"ts":5},
    {"ph":"F","cat":"old","id":3,"name":"old","pid":1,"tid":2,"ts":50},
    {"ph":"b","cat":"c","id2":{"local":"7"},"name":"mine","pid":3,"tid":1,"ts":1},
    {"ph":"b","cat":"c","id2":{"local":"7"},"name":"other","pid":4,"tid":1,"ts":1},
    {"ph":"e","cat":"c","id2":{"local":"7"},"name":"mine","pid":3,"tid":1,"ts":2},
    {"ph":"e","cat":"c","id2":{"local":"8"},"name":"never","pid":3,"tid":1,"ts":2})"));
  EXPECT_THAT(lines(model),
              ElementsAre("1/1 cpu_op request 0-90000", "1/1 cpu_op parse 10000-20000",
                          "1/1 cpu_op request 11000-25000", "1/2 cpu_op old 5000-50000",
                          "3/1 cpu_op mine 1000-2000"));
  for (const ReadLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices) EXPECT_TRUE(slice.async) << slice.name;
  EXPECT_THAT(marks(model),
              ElementsAre("1 begin of an async range left out: nothing ends it (line 12)",
                          "1 end of an async range left out: nothing begins it (line 14)"));
}

TEST(ReadChrome, CollectivesAreAsync) {
  std::vector<std::string> async;
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","ts":0,"dur":1},
         {"ph":"X","cat":"user_annotation","name":"nccl:broadcast","ts":1,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"gloo:not_a_range","ts":2,"dur":1},
         {"ph":"X","cat":"user_annotation","name":"my gloo:thing","ts":3,"dur":1})"));
  for (const TraceSlice& slice : model.lanes[0].slices)
    if (slice.async) async.emplace_back(slice.name);
  EXPECT_THAT(async, ElementsAre("gloo:all_reduce", "nccl:broadcast"));
}

TEST(ReadChrome, SumsThatClangWritesAreNoWork) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","name":"Frontend","ts":0,"dur":9},
         {"ph":"X","name":"Total Frontend","tid":2,"ts":0,"dur":9,"args":{"count":1,"avg ms":9}},
         {"ph":"X","name":"Total recall","tid":3,"ts":0,"dur":9,"args":{"count":1}})"));
  EXPECT_THAT(lines(model),
              ElementsAre("0/0 cpu_op Frontend 0-9000", "0/3 cpu_op Total recall 0-9000"));
  EXPECT_THAT(marks(model),
              ElementsAre("1 \"Total …\" slice left out: a sum of others is no work (line 2)"));
}

TEST(ReadChrome, AProfileThatWasFullSaysWhatItLost) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"Node","name":"relu","ts":0,"dur":9},
         {"ph":"X","cat":"Session","name":"profile_truncated","ts":900,"dur":0,
          "args":{"max_num_events":"1000000","dropped_event_count":"50002"}})"));
  EXPECT_THAT(lines(model), ElementsAre("0/0 cpu_op relu 0-9000"));
  EXPECT_EQ(model.losses.dropped, 50002);
}

TEST(ReadChrome, WarningsOfTheProfilerAreSaid) {
  EXPECT_THAT(
      marks(
          read("{\"WARNING\": [\"records\\nlost\", 3], \"ERROR\": \"none\", \"traceEvents\": []}")),
      ElementsAre("its profiler warned: records\\nlost"));
}

TEST(ReadChrome, SlicesAtZeroAmongOthersOfTodayHaveNoTime) {
  const std::string zero =
      R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":0})";
  const std::string late = R"({"ph":"X","cat":"cpu_op","name":"a","ts":1700000000000000,"dur":5})";
  EXPECT_THAT(lines(read(trace(late + zero))),
              ElementsAre("0/0 cpu_op a 1700000000000000000-1700000000000005000"));
  EXPECT_THAT(marks(read(trace(late + zero))),
              ElementsAre("1 slice left out: ts is 0, and years later in the others (line 1)"));
  EXPECT_THAT(marks(read(trace(kOp + zero))), IsEmpty());
  EXPECT_THAT(lines(read(trace(kOp + zero))), SizeIs(2));
}

TEST(ReadChrome, DurationsInNamesOfPaddleAreTakenOff) {
  const auto name = [](const std::string& name, double dur) {
    return std::string(
        slice_at(read(trace(fmt::format(R"({{"ph":"X","name":"{}","ts":0,"dur":{}}})", name, dur))),
                 0, 0)
            .name);
  };
  EXPECT_EQ(name("mine[1.985 ms]", 1985.423), "mine");
  EXPECT_EQ(name("mean [9.314 us]", 9.314), "mean ");
  EXPECT_EQ(name("long[1.500 s]", 1'500'200), "long");
  EXPECT_EQ(name("short[250.000 ns]", 0.25), "short");
  EXPECT_EQ(name("step[2.009 ms]", 2009.6), "step[2.009 ms]");
  EXPECT_EQ(name("list[3]", 3), "list[3]");
  EXPECT_EQ(name("[9.314 us]", 9.314), "[9.314 us]");
  EXPECT_EQ(name("x[3 apples]", 3), "x[3 apples]");
}

TEST(ReadChrome, StartsThatWereCutToWholeMicroseconds) {
  const auto error = [](const std::string& ts, const std::string& dur) {
    return read(trace(fmt::format(R"({{"ph":"X","name":"a","ts":{},"dur":{}}})", ts, dur)))
        .nesting.start_error_ns;
  };
  EXPECT_EQ(error("5", "1.5"), 999);
  EXPECT_EQ(error("5.5", "1.5"), 0);
  EXPECT_EQ(error("5", "1"), 0);
}

TEST(ReadChrome, SlicesThatCrossAreSaid) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","name":"a","ts":0,"dur":100},{"ph":"X","name":"b","ts":50,"dur":100},
         {"ph":"X","name":"c","ts":149.5,"dur":100},{"ph":"X","tid":1,"name":"d","ts":50,"dur":100})"));
  EXPECT_THAT(
      marks(model),
      ElementsAre(
          "2 slices begin within another one of the thread and end after it, by 50.0 us at most "
          "(b is the first): the later one has the time that they share"));
}

TEST(ReadChrome, RecordsOfMemory) {
  const ReadTrace model = read(trace(
      R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":2,"ts":3,
          "args":{"Device Type":0,"Bytes":-64,"Total Allocated":100}},
         {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":2,"ts":4,
          "args":{"Device Type":1,"Bytes":32}})"));
  ASSERT_THAT(model.memory, SizeIs(2));
  EXPECT_EQ(model.memory[0].ns, 3000);
  EXPECT_EQ(model.memory[0].bytes, -64);
  EXPECT_FALSE(model.memory[0].on_device);
  EXPECT_TRUE(model.memory[1].on_device);
}

TEST(ReadChrome, OtherPhasesAreNoSlices) {
  EXPECT_THAT(lines(read(trace(
                  R"({"ph":"s","id":1,"pid":1,"tid":1,"ts":1,"cat":"ac2g","name":"ac2g"},
                     {"ph":"f","id":1,"pid":0,"tid":7,"ts":2,"cat":"ac2g","name":"ac2g","bp":"e"},
                     {"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":9},
                     {"ph":"C","cat":"cpu_op","name":"link","pid":0,"tid":0,"ts":1,"args":{"GB/s":1}},
                     {"ph":"b","cat":"cpu_op","name":"x","pid":0,"tid":0,"ts":1,"id":1})"))),
              IsEmpty());
}

TEST(ReadChrome, ARunOfTheSameSliceIsKeptWhole) {
  std::string events = kOp;
  for (int i = 0; i < 9999; ++i) events += "," + std::string(kOp);
  events += R"(,{"ph":"X","cat":"cpu_op","name":"div","pid":1,"tid":2,"ts":1,"dur":2},)";
  const ReadTrace trace_of = read(trace(events + kOp + "," + kOp));
  ASSERT_THAT(trace_of.lanes, SizeIs(1));
  EXPECT_THAT(slices_of(trace_of, 0), SizeIs(10'003));
  EXPECT_EQ(slice_at(trace_of, 0, 0).name, "div");
  std::int64_t sum = 0;
  for (const TraceSlice& slice : trace_of.lanes[0].slices) sum += slice.end_ns - slice.start_ns;
  EXPECT_EQ(sum, 10'003 * 2000);
}

TEST(ReadChrome, EachSliceOfARunIsACall) {
  std::string events;
  for (int i = 0; i < 7; ++i) events += R"({"ph":"X","name":"instant","ts":5,"dur":0},)";
  ReadTrace model = read(trace(events + R"({"ph":"X","name":"other","ts":5,"dur":9})"));
  std::vector<std::string> rows;
  profile_rows(model, false, [&](ProfileRow&& row) {
    rows.push_back(fmt::format("{} {}", row.name, row.calls));
  });
  EXPECT_THAT(rows, ElementsAre("other 1", "instant 7"));
}

/// The slices fill several chunks of the reader's memory. The reader leaves out every third slice
/// when it reaches the end of the trace.
TEST(ReadChrome, WhatIsLeftOutAtTheEndLeavesTheRestInOrder) {
  std::string events;
  for (int i = 0; i < 9000; ++i)
    events += fmt::format(R"({{"ph":"X","cat":"{}","name":"n{}","ts":{},"dur":1}},)",
                          i % 3 == 0 ? "mine" : "Operator", i / 2, i / 2);
  const ReadTrace model = read("{\"schemaVersion\": 1, \"traceEvents\": [" + events + "{}]}");
  std::vector<std::string> names, expected;
  for (const TraceSlice& slice : slices_of(model, 0)) names.emplace_back(slice.name);
  for (int i = 0; i < 9000; ++i)
    if (i % 3 != 0) expected.push_back(fmt::format("n{}", i / 2));
  EXPECT_EQ(names, expected);
}

TEST(ReadChrome, ARangeThatWasOpenAtTheEndIsAsync) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"user_annotation","name":"open","ts":0,"dur":9,"args":{"finished":false}},
         {"ph":"X","cat":"user_annotation","name":"done","ts":1,"dur":2,"args":{"finished":true}})"));
  EXPECT_TRUE(slice_at(model, 0, 0).async);
  EXPECT_FALSE(slice_at(model, 0, 1).async);
}

TEST(ReadChrome, TheFirstLineOfWhatIsOpenIsTheLeast) {
  const ReadTrace model = read(
      "[\n{\"ph\":\"b\",\"id\":1,\"name\":\"a\",\"ts\":0},\n{\"ph\":\"b\",\"id\":2,\"name\":\"b\","
      "\"ts\":0},"
      "\n{\"ph\":\"b\",\"id\":3,\"name\":\"c\",\"ts\":0}]");
  EXPECT_THAT(marks(model),
              ElementsAre("3 begins of an async range left out: nothing ends it (line 2 "
                          "is the first)"));
}

TEST(ReadChrome, NumbersOfAnySize) {
  const ReadTrace model = read(trace(
      R"({"ph":"X","cat":"cpu_op","name":"a","ts":0,"dur":5000000000,"args":{"External id":18446744073709551615}},
         {"ph":"X","cat":"cuda_runtime","name":"b","ts":1,"dur":4294.967295,"args":{"correlation":4294967295}},
         {"ph":"X","cat":"cuda_runtime","name":"c","ts":2,"dur":4294967.294,"args":{"correlation":9000000000000}},
         {"ph":"X","cat":"cuda_runtime","name":"d","ts":3,"dur":1,"args":{"External id":4294967295,"correlation":0}})"));
  const std::vector<TraceSlice> slices(model.lanes[0].slices.begin(), model.lanes[0].slices.end());
  ASSERT_THAT(slices, SizeIs(4));
  EXPECT_EQ(slices[0].end_ns, 5'000'000'000'000);
  EXPECT_EQ(slices[0].external_id, 18446744073709551615u);
  EXPECT_EQ(slices[1].end_ns, 1000 + 4'294'967);
  EXPECT_EQ(slices[1].correlation, 4294967295);
  EXPECT_EQ(slices[2].end_ns, 2000 + 4'294'967'294);
  EXPECT_EQ(slices[2].correlation, 9'000'000'000'000);
  EXPECT_EQ(slices[3].external_id, 4294967295u);
  EXPECT_EQ(slices[3].correlation, -1);
}

TEST(ReadChrome, ManySlicesInAnyOrderAreSorted) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    struct One {
      std::int64_t start, end;
      int name;
    };
    std::vector<One> all;
    std::string events;
    for (int i = 0; i < 5000; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 3000);
      all.push_back({start, start + static_cast<std::int64_t>(random() % 50), i});
      events += fmt::format(R"({}{{"ph":"X","name":"{}","ts":{},"dur":{}}})", i > 0 ? "," : "", i,
                            start, all.back().end - start);
    }
    std::ranges::stable_sort(all, {},
                             [](const One& one) { return std::tuple(one.start, -one.end); });
    std::vector<std::string> expected, names;
    for (const One& one : all) expected.push_back(std::to_string(one.name));
    const ReadTrace model = read(trace(events));
    for (const TraceSlice& slice : model.lanes[0].slices) names.emplace_back(slice.name);
    ASSERT_EQ(names, expected);
  }
}

// --- missing GPU work and missing calls

std::string gpu_trace(const std::string& more) {
  return trace(
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":1}},
         {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":11,"dur":1,"args":{"correlation":1}},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":1}})" +
      more);
}

TEST(ReadChrome, CountsLaunchesAgainstWork) {
  EXPECT_EQ(read(gpu_trace("")).losses, (TraceLosses{.launches = 1, .launched = 1}));
  const ReadTrace model = read(gpu_trace(
      R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":30,"dur":5,"args":{"correlation":2}},
          {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":40,"dur":5,"args":{"correlation":3}},
          {"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":1,"tid":1,"ts":50,"dur":5,"args":{"correlation":4}},
          {"ph":"X","cat":"gpu_memset","name":"Memset","pid":0,"tid":7,"ts":49.5,"dur":5,"args":{"correlation":4}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":70,"dur":5,"args":{"correlation":9}})"));
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 3, .launched = 2, .without_launch = 1}));
  EXPECT_THAT(
      marks(model),
      ElementsAre(
          "1 piece of device work begins before the call, by 0.500 us at most: the clocks of host "
          "and device differ"));
}

TEST(ReadChrome, CountsNothingWithoutWorkOrCalls) {
  EXPECT_EQ(
      read(
          trace(
              R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":5,"args":{"correlation":1}})"))
          .losses,
      TraceLosses());
  EXPECT_EQ(
      read(
          trace(
              R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":1}})"))
          .losses,
      TraceLosses());
}

TEST(ReadChrome, BelievesWhatNormbenchSaysOfItsTrace) {
  const ReadTrace model = read(
      R"({"normbench": {"device_times": ["CUPTI"], "clock_error_ns": 40, "deep": {"a": [1, {"b": null}]},
          "losses": {"launches": 12, "launched": 10, "cut_off": 3, "unknown": 1, "dropped": "x"}},
          "traceEvents": []})");
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 12, .launched = 10, .cut_off = 3}));
  EXPECT_EQ(model.about.dump(),
            R"({"device_times":["CUPTI"],"clock_error_ns":40,"deep":{"a":[1,{"b":null}]},)"
            R"("losses":{"launches":12,"launched":10,"cut_off":3,"unknown":1,"dropped":"x"}})");
  EXPECT_EQ(read(R"({"normbench": 3, "traceEvents": []})").losses, TraceLosses());
}

// --- files that are no traces

TEST(ReadChrome, TextThatIsNoJson) {
  EXPECT_EQ(mistake("hello"), "t.json: line 1, column 1: not JSON: unexpected hello");
  EXPECT_EQ(mistake("{\"traceEvents\": [\n\n{\"ph\": nil}]}"),
            "t.json: line 3, column 8: not JSON: unexpected nil");
  EXPECT_THAT(mistake("{\"traceEvents\": [{\"ts\" 1}]}"),
              HasSubstr("line 1, column 24: not JSON: unexpected '1' (expected ':')"));
  EXPECT_THAT(mistake("{\"traceEvents\": [{\"ts\": 1}{}]}"),
              HasSubstr("line 1, column 27: not JSON: unexpected '{' (expected ',' or ']')"));
  EXPECT_THAT(mistake("{\"traceEvents\": [{\"ts\": 1,,}]}"),
              HasSubstr("not JSON: unexpected ',' (expected a key or '}')"));
  EXPECT_THAT(mistake("{\"traceEvents\": [{\"args\": {\"a\": ]}}]}"),
              HasSubstr("not JSON: unexpected ']' (expected a value)"));
  EXPECT_THAT(mistake("{\"traceEvents\": [{\"x\": [1}]}]}"),
              HasSubstr("not JSON: unexpected '}' (expected ',' or ']')"));
  EXPECT_THAT(mistake("{\"traceEvents\": []}\n{\"traceEvents\": []}"),
              HasSubstr("line 2, column 1: not JSON: unexpected '{' (expected nothing more)"));
  EXPECT_THAT(mistake(R"({"traceEvents": [{"name": "C:\data"}]})"),
              HasSubstr("line 1, column 27: not JSON: a string has \\d, which is no escape"));
  EXPECT_THAT(mistake("[] \"" + std::string(3'000'000, 'x')), HasSubstr("cut off after 0 events"));
  EXPECT_THAT(mistake("[1" + std::string(5000, '1') + "]"),
              HasSubstr("a number or word of more than 1000 bytes"));
  EXPECT_THAT(mistake(std::string("{\"traceEvents\": [\0]}", 20)),
              HasSubstr("line 1, column 18: a NUL byte"));
}

/// Each kind of mistake has one warning, which has the number of places with this mistake.
TEST(ReadChrome, LeniencyHasOneWarning) {
  const auto said = [](const std::string& text) {
    const ReadTrace model = read(text);
    return fmt::format("{}: {}", fmt::join(lines(model), "; "), fmt::join(marks(model), "; "));
  };
  const std::string op(kOp);
  const std::string line = "1/2 cpu_op sub 10500-12500: ";
  for (const char* end : {"", ",", "\n", ",\n"})
    EXPECT_EQ(said("[" + op + end),
              line + fmt::format("the array of events has no end: its writer may have been killed "
                                 "(line {})",
                                 std::string_view(end).ends_with('\n') ? 2 : 1));
  EXPECT_EQ(said("[" + op + ",]"), line + "not JSON: a comma before ] or } (line 1)");
  EXPECT_EQ(said("{\"traceEvents\": [" + op + ",\n],}"),
            line + "not JSON: a comma before ] or } (line 2, and 1 more)");
  EXPECT_EQ(said("[" + op + R"(, {"args": {"loss": NaN, "x": [-Infinity]}}])"),
            line + "not JSON: NaN or infinity for a number (line 1, and 1 more)");
  EXPECT_EQ(
      said("[{\"ph\":\"X\",\"name\":\"caf\xe9\",\"ts\":0,\"dur\":1}]"),
      "0/0 cpu_op caf\uFFFD 0-1000: not JSON: text that is no Unicode, shown as \uFFFD (line 1)");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(said("[" + op + ", {\"args\": {\"snapshot\": " + deep + "}}]"),
            line + "args nested deeper than 64 levels, which no table needs (line 1)");
}

TEST(ReadChrome, ATimeThatIsNoNumberLeavesOneSliceOut) {
  const ReadTrace model =
      read(trace(std::string(kOp) + R"(,{"ph":"X","name":"a","ts":NaN,"dur":1})" +
                 R"(,{"ph":"X","name":"b","ts":1e999,"dur":1})"));
  EXPECT_THAT(lines(model), ElementsAre("1/2 cpu_op sub 10500-12500"));
  EXPECT_THAT(
      marks(model),
      ElementsAre(
          "not JSON: NaN or infinity for a number (line 1)",
          "2 slices left out: no ts or dur, or one that is no time in microseconds (line 1 is "
          "the first)"));
}

TEST(ReadChrome, OtherShapes) {
  EXPECT_EQ(mistake(""), "t.json: is empty (expected {\"traceEvents\": […]} or […])");
  EXPECT_EQ(mistake("{\"a\": 1}"),
            "t.json: is no trace: it has no traceEvents (expected {\"traceEvents\": […]} or […])");
  EXPECT_EQ(mistake("3"),
            "t.json: is no trace: it is a single value (expected {\"traceEvents\": […]} or […])");
  EXPECT_THAT(mistake("{\"schema\": 1, \"tool\": {}, \"groups\": []}"),
              HasSubstr("t.json: is a results document of normbench (its trace is trace.json"));
  EXPECT_THAT(mistake("[1]"), HasSubstr("line 1, column 2: an event must be an object"));
  EXPECT_THAT(mistake("[[]]"), HasSubstr("an event must be an object"));
  EXPECT_THAT(mistake("{\"traceEvents\": {}}"),
              HasSubstr("traceEvents must be an array of events"));
  EXPECT_THAT(mistake("{\"traceEvents\": 5}"), HasSubstr("traceEvents must be an array of events"));
}

TEST(ReadChrome, DeepNestingIsRefused) {
  EXPECT_THAT(mistake(trace("{\"args\":{\"a\":" + std::string(1'000'001, '['))),
              HasSubstr("nested deeper than 1000000 levels"));
  EXPECT_THAT(mistake(std::string(100'000, '{')), HasSubstr("not JSON"));
  EXPECT_THAT(mistake("{\"normbench\": " + std::string(65, '[')),
              HasSubstr("nested deeper than 64 levels"));
}

TEST(ReadChrome, EveryPrefixOfATraceIsCutOff) {
  const std::string text = trace(fmt::format("{},\n{}", kOp, kOp));
  for (std::size_t length = 1; length < text.size(); ++length)
    EXPECT_THAT(mistake(text.substr(0, length)), HasSubstr("cut off after")) << length;
  EXPECT_THAT(mistake(text.substr(0, text.size() - 2)),
              HasSubstr("t.json: line 2, column 73: the trace ends in the middle, cut off after 2 "
                        "events"));
}

/// A stream buffer that throws at the end of its text.
class Failing : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;

 protected:
  int_type underflow() override {
    const int_type next = std::stringbuf::underflow();
    if (traits_type::eq_int_type(next, traits_type::eof())) throw std::runtime_error("disk");
    return next;
  }
};

TEST(ReadChrome, AStreamThatFailsIsSaid) {
  Failing buffer("{\"traceEvents\": [");
  std::istream in(&buffer);
  try {
    read_chrome(in, "t.json");
    FAIL();
  } catch (const Invalid& invalid) {
    EXPECT_THAT(invalid.what(),
                HasSubstr("t.json: line 1, column 1: the file is damaged or cut off"));
  }
}

/// Reads random mutations of the text of a trace. Reading must succeed or throw Invalid.
TEST(ReadChrome, AnyTextIsReadOrRefused) {
  const std::string whole =
      R"json({"schemaVersion": 1, "WARNING": ["w"], "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"a\u00e9\n","pid":1,"tid":2,"ts":1700000000000000.5,"dur":9.25,
 "args":{"External id":1,"Input Dims":[[1,2],[],[[3],[4]]],"nested":{"x":[NaN,{"y":null}]}}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":1700000000000001,"dur":2,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":"stream 7","ts":1700000000000003,"dur":4,"args":{"correlation":7,"device":0,"stream":7}},
{"ph":"B","name":"b","pid":"p","tid":1,"ts":"5"},{"ph":"E","pid":"p","tid":1,"ts":9},
{"ph":"b","cat":"c","id":"0x1","name":"d","ts":1},{"ph":"e","cat":"c","id":"0x1","name":"d","ts":2},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
{"ph":"i","name":"[memory]","pid":1,"tid":2,"ts":3,"args":{"Bytes":-64,"Device Type":0}},]})json";
  ASSERT_THAT(read(whole).lanes, SizeIs(2));  // PyTorch's two lanes; the others are left out
  std::mt19937 random(11);
  constexpr std::string_view pieces = "{}[]:,\"\\-+.e0123456789nulltrueNaN \n\x80\xff";
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = whole;
    for (unsigned k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      const std::size_t count = random() % 3 == 0 ? random() % 40 : 1;
      if (random() % 3 == 0)
        text.erase(at, count);
      else if (random() % 2 == 0)
        text.insert(at, std::string(count, pieces[random() % pieces.size()]));
      else
        text[at] = pieces[random() % pieces.size()];
    }
    try {
      ReadTrace trace = read(text);
      profile_times(trace);
      profile_rows(trace, true, [](ProfileRow&&) {});
    } catch (const Invalid&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 4500);
}

}  // namespace
}  // namespace normbench::read_chrome_test
