#include "trace/chrome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "trace/slices.h"

namespace normbench {
namespace {

using testing::ElementsAre;

std::string written(const Trace& trace) {
  std::ostringstream out;
  write_chrome(trace, out);
  return out.str();
}

Trace trace_of(std::vector<Slice> slices) {
  Trace trace;
  trace.base_ns = 1000;
  trace.base_wall_ns = 1775078550000000000;
  trace.process_name = "normbench";
  trace.lanes.push_back({.pid = 7, .tid = 9, .name = "main", .slices = std::move(slices)});
  return trace;
}

/// The lines of the slices alone.
std::vector<std::string> slice_lines(const Trace& trace) {
  std::istringstream text(written(trace));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (line.find("\"ph\":\"X\"") != std::string::npos) lines.push_back(line);
  return lines;
}

TEST(WriteChrome, WritesAWholeTrace) {
  Trace trace = trace_of({slice(3000, 4500, "sub", RangeKind::Stage, 1, 4096),
                          slice(4500, 1'004'500, "div", RangeKind::Stage, 1),
                          slice(2000, 1'004'501, "ProfilerStep#0", RangeKind::Step, 0)});
  trace.metadata = Json{{"host_name", "m\"1"}, {"schemaVersion", 7}, {"config", {{"rank", 3}}}};
  trace.lanes.push_back(
      {.pid = 7, .tid = 12, .name = "worker", .slices = {slice(1001, 1001, "x")}});
  trace.lanes.push_back({.pid = 7, .tid = 13, .name = "idle", .slices = {}});
  const std::string text = written(trace);
  EXPECT_EQ(text, R"({
"schemaVersion": 1,
"displayTimeUnit": "ms",
"baseTimeNanoseconds": 1775078550000000000,
"distributedInfo": {"rank": 0},
"host_name": "m\"1",
"config": {"rank":3},
"traceEvents": [
{"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"normbench"}},
{"ph":"M","name":"process_sort_index","pid":7,"tid":0,"args":{"sort_index":1}},
{"ph":"M","name":"thread_name","pid":7,"tid":9,"args":{"name":"main"}},
{"ph":"M","name":"thread_sort_index","pid":7,"tid":9,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":7,"tid":12,"args":{"name":"worker"}},
{"ph":"M","name":"thread_sort_index","pid":7,"tid":12,"args":{"sort_index":1}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":7,"tid":9,"ts":1.000,"dur":1002.501},
{"ph":"X","cat":"cpu_op","name":"sub","pid":7,"tid":9,"ts":2.000,"dur":1.500,"args":{"bytes":4096}},
{"ph":"X","cat":"cpu_op","name":"div","pid":7,"tid":9,"ts":3.500,"dur":1000.000},
{"ph":"X","cat":"cpu_op","name":"x","pid":7,"tid":12,"ts":0.001,"dur":0.000}
]}
)");
  EXPECT_THAT(check_chrome(text), ElementsAre());
}

TEST(WriteChrome, ADevicesSlicesAreOnALaneOfTheirOwn) {
  Trace trace = trace_of({slice(2000, 2500, "h2d"), slice(2500, 3000, "cast")});
  std::vector<Slice> spans{slice(2200, 5000, "h2d", RangeKind::Stage, 0, 120),
                           slice(5000, 9000, "cast")};
  for (Slice& span : spans) span.place = Place::Cuda;
  trace.lanes.push_back(
      {.pid = 7, .tid = 4194305, .name = "CUDA stream, times from events", .slices = spans});
  EXPECT_THAT(check_chrome(written(trace)), ElementsAre());
  EXPECT_THAT(
      slice_lines(trace),
      ElementsAre(
          R"({"ph":"X","cat":"cpu_op","name":"h2d","pid":7,"tid":9,"ts":1.000,"dur":0.500},)",
          R"({"ph":"X","cat":"cpu_op","name":"cast","pid":7,"tid":9,"ts":1.500,"dur":0.500},)",
          R"({"ph":"X","cat":"gpu_user_annotation","name":"h2d","pid":7,"tid":4194305,"ts":1.200,"dur":2.800,"args":{"source":"cuda_event","bytes":120}},)",
          R"({"ph":"X","cat":"gpu_user_annotation","name":"cast","pid":7,"tid":4194305,"ts":4.000,"dur":4.000,"args":{"source":"cuda_event","bytes":0}})"));
}

TEST(WriteChrome, AnEmptyTraceIsStillOne) {
  EXPECT_THAT(check_chrome(written(Trace{})), ElementsAre());
}

TEST(WriteChrome, NamesAreEscapedAndInvalidUtf8Replaced) {
  const std::vector<std::string> names{"quote \" back \\ slash", "tab\tnew\nnul\x01",
                                       "Müller → 漢字", "bad \xff utf-8 \xc3"};
  std::vector<Slice> slices;
  for (const std::string& name : names)
    slices.push_back(slice(1000 + 10 * static_cast<std::int64_t>(slices.size()), 1005, name));
  Trace trace = trace_of(slices);
  trace.process_name = "p\xff";
  trace.lanes[0].name = "t\"";
  const std::string text = written(trace);
  EXPECT_THAT(check_chrome(text), ElementsAre());
  std::vector<std::string> read;
  const Json document = Json::parse(text);
  for (const Json& event : document["traceEvents"])
    if (event["ph"] == "X") read.push_back(event["name"]);
  EXPECT_THAT(read,
              ElementsAre(names[0], names[1], names[2], "bad \xEF\xBF\xBD utf-8 \xEF\xBF\xBD"));
}

TEST(WriteChrome, AChildThatSticksOutIsClipped) {
  EXPECT_THAT(
      slice_lines(trace_of({slice(1000, 1100, "parent"), slice(1050, 1110, "child", {}, 1)})),
      ElementsAre(
          R"({"ph":"X","cat":"cpu_op","name":"parent","pid":7,"tid":9,"ts":0.000,"dur":0.100},)",
          R"({"ph":"X","cat":"user_annotation","name":"child","pid":7,"tid":9,"ts":0.050,"dur":0.050})"));
}

TEST(WriteChrome, OverlappingSlicesGetFurtherNamedLanes) {
  const Trace trace = trace_of({slice(1000, 1100, "a"), slice(1050, 1150, "b"),
                                slice(1060, 1160, "c"), slice(1100, 1140, "d")});
  const std::string text = written(trace);
  EXPECT_THAT(check_chrome(text), ElementsAre());
  EXPECT_THAT(
      slice_lines(trace),
      ElementsAre(
          R"({"ph":"X","cat":"cpu_op","name":"a","pid":7,"tid":9,"ts":0.000,"dur":0.100},)",
          R"({"ph":"X","cat":"cpu_op","name":"d","pid":7,"tid":9,"ts":0.100,"dur":0.040},)",
          R"({"ph":"X","cat":"cpu_op","name":"b","pid":7,"tid":10,"ts":0.050,"dur":0.100},)",
          R"({"ph":"X","cat":"cpu_op","name":"c","pid":7,"tid":11,"ts":0.060,"dur":0.100})"));
  EXPECT_THAT(text, testing::HasSubstr(R"x("tid":10,"args":{"name":"main (2)"})x"));
  EXPECT_THAT(text, testing::HasSubstr(R"x("tid":11,"args":{"name":"main (3)"})x"));
}

TEST(WriteChrome, ASliceThatEndsBeforeItStartsIsEmpty) {
  EXPECT_THAT(
      slice_lines(trace_of({slice(1200, 1100, "back")})),
      ElementsAre(
          R"({"ph":"X","cat":"cpu_op","name":"back","pid":7,"tid":9,"ts":0.200,"dur":0.000})"));
}

TEST(WriteChrome, ASliceBeforeTheBaseMovesTheBase) {
  const Trace trace = trace_of({slice(400, 500, "early"), slice(1000, 1100, "first")});
  EXPECT_THAT(
      slice_lines(trace),
      ElementsAre(
          R"({"ph":"X","cat":"cpu_op","name":"early","pid":7,"tid":9,"ts":0.000,"dur":0.100},)",
          R"({"ph":"X","cat":"cpu_op","name":"first","pid":7,"tid":9,"ts":0.600,"dur":0.100})"));
  EXPECT_THAT(written(trace), testing::HasSubstr("\"baseTimeNanoseconds\": 1775078549999999400,"));
}

TEST(WriteChrome, LanesOfOneThreadAreJoined) {
  Trace trace = trace_of({slice(2000, 3000, "later")});
  trace.lanes.push_back(
      {.pid = 7, .tid = 9, .name = "main", .slices = {slice(1000, 1500, "sooner")}});
  EXPECT_THAT(slice_lines(trace),
              ElementsAre(testing::HasSubstr("sooner"), testing::HasSubstr("later")));
  EXPECT_THAT(check_chrome(written(trace)), ElementsAre());
}

TEST(WriteChrome, WhateverWasRecordedPassesTheCheck) {
  std::mt19937 random(1);
  const auto pick = [&](std::int64_t count) { return static_cast<std::int64_t>(random() % count); };
  for (int round = 0; round < 300; ++round) {
    Trace trace = trace_of({});
    trace.lanes.push_back({.pid = 7, .tid = 10, .name = "second", .slices = {}});
    const std::int64_t count = 1 + pick(40);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t start = 900 + pick(60), end = start + pick(20) - 2;
      trace.lanes[static_cast<std::size_t>(pick(2))].slices.push_back(
          slice(start, end, "any", RangeKind::Part, static_cast<std::uint32_t>(pick(4))));
    }
    EXPECT_THAT(check_chrome(written(trace)), ElementsAre());
    EXPECT_EQ(static_cast<std::int64_t>(slice_lines(trace).size()), count);
  }
}

}  // namespace
}  // namespace normbench
