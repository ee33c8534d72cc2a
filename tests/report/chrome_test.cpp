#include "report/chrome/chrome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "trace/models.h"
#include "trace/profile_rows.h"
#include "trace/read/read_chrome.h"
#include "trace/synthetic_gpu.h"
#include "trace_check/chrome_check.h"

namespace normbench::chrome_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the lines that contain `part`, without the comma at the end.
std::vector<std::string> lines_with(const std::string& text, std::string_view part) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.find(part) == std::string::npos) continue;
    if (line.ends_with(',')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> slice_lines(const TraceModel& model, const ChromeOptions& options = {}) {
  return lines_with(written(model, options), "\"ph\":\"X\"");
}

TEST(WriteChrome, WritesAWholeTrace) {
  TraceModel model = finished({slice(3000, 4500, "sub", RangeKind::Stage, 1, 4096, 3),
                               slice(4500, 1'004'500, "div", RangeKind::Stage, 1),
                               slice(2000, 1'004'501, "ProfilerStep#0", RangeKind::Step, 0)});
  model.metadata = Json{{"host_name", "m\"1"}, {"schemaVersion", 7}, {"config", {{"rank", 3}}}};
  model.counters.clear();
  const std::string text = written(model);
  EXPECT_EQ(text, R"({
"schemaVersion": 1,
"deviceProperties": [],
"host_name": "m\"1",
"config": {"rank":3},
"normbench": {"losses":{"dropped":0,"lost_buffers":0,"without_times":0,"launches":0,"launched":0,"without_launch":0,"before_launch":0,"most_skew_ns":0,"clipped":0,"cut_off":0}},
"distributedInfo": {"rank": 0},
"displayTimeUnit": "ms",
"baseTimeNanoseconds": 1775078550000000000,
"traceEvents": [
{"ph":"M","name":"process_name","pid":4000,"tid":0,"args":{"name":"normbench"}},
{"ph":"M","name":"process_labels","pid":4000,"tid":0,"args":{"labels":"CPU"}},
{"ph":"M","name":"process_sort_index","pid":4000,"tid":0,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":4000,"tid":4000,"args":{"name":"main"}},
{"ph":"M","name":"thread_sort_index","pid":4000,"tid":4000,"args":{"sort_index":0}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":4000,"tid":4000,"ts":1.000,"dur":1002.501},
{"ph":"X","cat":"cpu_op","name":"sub","pid":4000,"tid":4000,"ts":2.000,"dur":1.500,"args":{"External id":1,"bytes":4096}},
{"ph":"X","cat":"cpu_op","name":"div","pid":4000,"tid":4000,"ts":3.500,"dur":1000.000}
]}
)");
  EXPECT_THAT(check_chrome(text), ElementsAre());
}

TEST(WriteChrome, NumberedNamesSayTheirLabels) {
  TraceModel model = empty_model();
  ProfileTrace profile{.experiment = "", .variant = "", .point = Json::object(), .threads = {}};
  profile.threads.push_back({.tid = test_pid,
                             .name = "main",
                             .slices = {slice(2000, 2100, "h2d 2", RangeKind::Stage, 1, 0, 5),
                                        slice(2000, 2200, "pre 2", RangeKind::Range, 0)}});
  profile.labels = {{"h2d 2", "h2d {i}"}, {"pre 2", "pre {i}"}};
  DeviceRecord copy = record(Activity::Memcpy, 2100, 2500, "Memcpy HtoD");
  copy.external_id = 5;
  profile.devices.push_back({.source = "CUPTI", .records = {copy}});
  add_profile(model, profile, test_pid);
  finish_model(model);
  const std::string text = written(model);
  EXPECT_THAT(
      lines_with(text, "normbench label"),
      ElementsAre(
          R"({"ph":"X","cat":"user_annotation","name":"pre 2","pid":4000,"tid":4000,"ts":1.000,"dur":0.200,"args":{"normbench label":"pre {i}"}})",
          R"({"ph":"X","cat":"cpu_op","name":"h2d 2","pid":4000,"tid":4000,"ts":1.000,"dur":0.100,"args":{"External id":1,"normbench label":"h2d {i}"}})",
          HasSubstr(R"("cat":"gpu_user_annotation","name":"pre 2")"),
          HasSubstr(R"("cat":"gpu_user_annotation","name":"h2d 2")")));
  EXPECT_THAT(check_chrome(text), ElementsAre());
  // The profile rows of the written file have the same names as the profile rows of the model.
  std::istringstream file(text);
  const auto names = [](auto&& of) {
    std::vector<std::string> rows;
    profile_rows(of, false, [&](ProfileRow&& row) { rows.push_back(row.name); });
    return rows;
  };
  ReadTrace read = read_chrome(file, "trace.json");
  EXPECT_THAT(names(model), ElementsAre("pre {i}", "h2d {i}", "pre {i}", "h2d {i}", "Memcpy HtoD"));
  EXPECT_EQ(names(read), names(model));
}

TEST(WriteChrome, ItemsOfAPipelineOverlap) {
  const auto stage_of = [](std::int64_t item, std::int64_t start_ns, std::int64_t end_ns,
                           std::string_view name) {
    Slice stage = slice(start_ns, end_ns, name);
    stage.item = item;
    return stage;
  };
  ProfileTrace profile{.experiment = "", .variant = "", .point = Json::object(), .threads = {}};
  profile.threads.push_back(
      {.tid = 5000,
       .name = "lane load",
       .slices = {stage_of(0, 2000, 3000, "load"), stage_of(1, 3000, 4000, "load")}});
  profile.threads.push_back(
      {.tid = 5001,
       .name = "lane save",
       .slices = {stage_of(0, 3100, 3900, "save"), stage_of(1, 4100, 4900, "save")}});
  profile.items = {{0, 2000, 3900}, {1, 3000, 4900}};
  TraceModel model = empty_model();
  add_profile(model, profile, test_pid);
  add_profile(model, profile, test_pid);  // a second case: its items have other ids
  finish_model(model);
  EXPECT_EQ(model.items.size(), 4u);
  const std::string text = written(model);
  EXPECT_THAT(
      lines_with(text, R"("id":1,)"),
      ElementsAre(
          R"({"ph":"b","id":1,"pid":4000,"tid":4000,"ts":1.000,"cat":"item","name":"#0"})",
          R"({"ph":"e","id":1,"pid":4000,"tid":4000,"ts":2.900,"cat":"item","name":"#0"})",
          R"({"ph":"s","id":1,"pid":4000,"tid":5000,"ts":1.999,"cat":"item","name":"item"})",
          R"({"ph":"f","id":1,"pid":4000,"tid":5001,"ts":2.100,"cat":"item","name":"item","bp":"e"})"));
  EXPECT_THAT(lines_with(text, R"("ph":"s")"), testing::SizeIs(4));
}

TEST(WriteChrome, WorkOfADeviceSaysWhatTorchSaysOfIt) {
  const std::string text = written(synthetic_gpu_model());
  const auto first = [&](std::string_view part) {
    const auto lines = lines_with(text, part);
    return lines.empty() ? "none" : lines.front();
  };
  EXPECT_EQ(
      first("\"cat\":\"kernel\""),
      R"json({"ph":"X","cat":"kernel","name":"void normalize<unsigned char, float>(float*)","pid":0,"tid":7,"ts":1150.000,"dur":100.000,"args":{"External id":2,"queued":0,"device":0,"context":1,"stream":7,"correlation":2,"registers per thread":32,"shared memory":1024,"blocks per SM":4.000,"warps per SM":32.000,"grid":[400,1,1],"block":[256,1,1]}})json");
  EXPECT_EQ(
      first("\"cat\":\"gpu_memcpy\""),
      R"json({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":13,"ts":1040.000,"dur":100.000,"args":{"External id":1,"device":0,"context":1,"stream":13,"correlation":1,"bytes":5000000,"memory bandwidth (GB/s)":50.000}})json");
  EXPECT_EQ(
      first("\"cat\":\"gpu_memset\""),
      R"json({"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":13,"ts":1345.000,"dur":10.000,"args":{"External id":5,"device":0,"context":1,"stream":13,"correlation":6,"bytes":1000000,"memory bandwidth (GB/s)":100.000}})json");
  EXPECT_THAT(first("\"name\":\"div\""), HasSubstr(R"(,"graph id":1,"graph node id":2}})"));
  EXPECT_EQ(
      first("\"cat\":\"cuda_runtime\""),
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":4000,"tid":4000,"ts":1020.000,"dur":10.000,"args":{"External id":1,"correlation":1}})");
  EXPECT_EQ(
      first("\"cat\":\"cuda_sync\""),
      R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000013,"ts":1512.000,"dur":197.000,"args":{"cuda_sync_kind":"Stream Sync","wait_on_stream":13,"device":0,"context":1,"stream":-1,"correlation":8}})");
  EXPECT_THAT(first("\"name\":\"normalize\""), HasSubstr(R"("Input Dims":[[8, 3, 64, 64]])"));
  EXPECT_EQ(first("\"ph\":\"s\""),
            R"({"ph":"s","id":1,"pid":4000,"tid":4000,"ts":1110.000,"cat":"ac2g","name":"ac2g"})");
  EXPECT_EQ(
      first("\"ph\":\"f\""),
      R"({"ph":"f","id":1,"pid":0,"tid":7,"ts":1150.000,"cat":"ac2g","name":"ac2g","bp":"e"})");
  EXPECT_EQ(
      first("\"ph\":\"C\""),
      R"({"ph":"C","cat":"counter","name":"link DtoH","pid":0,"tid":0,"ts":1500.000,"args":{"GB/s":50.000}})");
}

TEST(WriteChrome, AnnotationsHaveNoStreamAndThoseFromMarksSaySo) {
  DeviceRecord marked = record(Activity::Stage, 2200, 5000, "h2d");
  marked.bytes = 120;
  marked.over_link = true;
  const TraceModel marks = finished({slice(2000, 2500, "h2d")}, {marked});
  EXPECT_EQ(
      slice_lines(marks).back(),
      R"({"ph":"X","cat":"gpu_user_annotation","name":"h2d","pid":0,"tid":7,"ts":1.200,"dur":2.800,"args":{"source":"cuda_event","over_link":true,"bytes":120}})");
  EXPECT_THAT(check_chrome(written(marks)), ElementsAre());
  EXPECT_THAT(
      slice_lines(synthetic_gpu_model()),
      testing::Contains(
          R"json({"ph":"X","cat":"gpu_user_annotation","name":"cast","pid":0,"tid":14,"ts":1199.999,"dur":60.002,"args":{"External id":3}})json"));
}

TEST(WriteChrome, AnEmptyTraceIsStillOne) {
  EXPECT_THAT(check_chrome(written(TraceModel{})), ElementsAre());
}

TEST(WriteChrome, NamesAreEscapedAndInvalidUtf8Replaced) {
  const std::vector<std::string> names{"quote \" back \\ slash", "tab\tnew\nnul\x01",
                                       "Müller → 漢字", "bad \xff utf-8 \xc3"};
  std::vector<Slice> slices;
  for (const std::string& name : names)
    slices.push_back(slice(1000 + 10 * static_cast<std::int64_t>(slices.size()), 1005, name));
  TraceModel model = finished(slices);
  model.processes[0].name = "p\xff";
  model.lanes[0].name = "t\"";
  model.metadata["key\xff"] = "v\xff";
  model.marks.push_back({.ns = 1000, .name = "m\n", .args = {{"loss", "\xff"}}});
  const std::string text = written(model);
  EXPECT_THAT(check_chrome(text), ElementsAre());
  std::vector<std::string> read;
  const Json document = Json::parse(text);
  for (const Json& event : document["traceEvents"])
    if (event["ph"] == "X") read.push_back(event["name"]);
  EXPECT_THAT(read,
              ElementsAre(names[0], names[1], names[2], "bad \xEF\xBF\xBD utf-8 \xEF\xBF\xBD"));
}

TEST(WriteChrome, NumbersAreNeverNotANumber) {
  TraceModel model = finished({slice(1000, 1100, "a")});
  model.counters = {{.pid = test_pid,
                     .name = "rate",
                     .unit = "GB/s",
                     .samples = {{.ns = 1000, .value = std::numeric_limits<double>::quiet_NaN()},
                                 {.ns = 1001, .value = std::numeric_limits<double>::infinity()},
                                 {.ns = 1002, .value = 1e300}}}};
  const std::string text = written(model);
  EXPECT_THAT(check_chrome(text), ElementsAre());
  EXPECT_THAT(lines_with(text, "\"ph\":\"C\"").front(), HasSubstr("{\"GB/s\":0.000}"));
}

TEST(WriteChrome, ShapesThatAreNoJsonAreText) {
  TraceModel model = finished({slice(1000, 1100, "a")});
  model.lanes[0].slices[0].shapes = model.name("[[1, 2], [], [x");
  EXPECT_THAT(check_chrome(written(model)), ElementsAre());
  EXPECT_THAT(slice_lines(model)[0], HasSubstr(R"("Input Dims":"[[1, 2], [], [x")"));
}

TEST(WriteChrome, ASliceBeforeTheBaseMovesTheBase) {
  const TraceModel model = finished({slice(400, 500, "early"), slice(1000, 1100, "first")});
  EXPECT_THAT(slice_lines(model), ElementsAre(HasSubstr(R"("ts":0.000,"dur":0.100)"),
                                              HasSubstr(R"("ts":0.600,"dur":0.100)")));
  EXPECT_THAT(written(model), HasSubstr("\"baseTimeNanoseconds\": 1775078549999999400,"));
}

TEST(WriteChrome, LossesAreMarkedOnAllTracks) {
  const TraceModel model =
      finished({slice(1000, 1100, "parent"), slice(1050, 1110, "child", RangeKind::Part, 1)});
  const std::string text = written(model);
  EXPECT_THAT(text, HasSubstr("\"clipped\":1,"));
  EXPECT_THAT(
      lines_with(text, "\"ph\":\"i\""),
      ElementsAre(
          R"json({"ph":"i","s":"g","cat":"loss","name":"child ended after what it is part of; it is shown up to there","pid":4000,"tid":4000,"ts":0.050,"args":{"loss":"clipped"}})json"));
}

TEST(WriteChrome, TheEarliestSlicesAreKept) {
  const TraceModel model =
      finished({slice(1000, 9000, "step", RangeKind::Step), slice(1100, 1200, "a", {}, 1),
                slice(1300, 1400, "b", {}, 1), slice(1500, 1600, "c", {}, 1)});
  const std::string text = written(model, {.max_events = 3});
  EXPECT_THAT(lines_with(text, "\"ph\":\"X\""),
              ElementsAre(HasSubstr("step"), HasSubstr("\"a\""), HasSubstr("\"b\"")));
  EXPECT_THAT(text, HasSubstr("\"cut_off\":1}"));
  EXPECT_THAT(
      lines_with(text, "\"ph\":\"i\""),
      ElementsAre(HasSubstr(
          R"("name":"cut off here: 1 later slices are not in this file","pid":4000,"tid":4000,"ts":0.500)")));
  EXPECT_THAT(check_chrome(text), ElementsAre());
  EXPECT_EQ(written(model, {.max_events = 4}), written(model));
}

TEST(WriteChrome, WhereverItIsCutItKeepsAllRules) {
  const TraceModel model = synthetic_gpu_model();
  const auto all = static_cast<std::int64_t>(slice_lines(model).size());
  for (std::int64_t most = 0; most <= all + 1; ++most) {
    const std::string text = written(model, {.max_events = most});
    EXPECT_THAT(check_chrome(text), ElementsAre()) << most;
    const auto kept = static_cast<std::int64_t>(lines_with(text, "\"ph\":\"X\"").size());
    EXPECT_LE(kept, most);
    EXPECT_EQ(Json::parse(text)["normbench"]["losses"]["cut_off"], all - kept);
  }
}

TEST(WriteChrome, WhateverWasRecordedPassesTheCheck) {
  std::mt19937 random(1);
  const auto pick = [&](std::int64_t count) { return static_cast<std::int64_t>(random() % count); };
  for (int round = 0; round < 300; ++round) {
    std::vector<Slice> slices;
    std::vector<DeviceRecord> records;
    for (std::int64_t i = 1 + pick(40); i > 0; --i) {
      const std::int64_t start = 900 + pick(60), end = start + pick(20) - 2;
      slices.push_back(slice(start, end, "any", pick(2) == 0 ? RangeKind::Part : RangeKind::Step,
                             static_cast<std::uint32_t>(pick(4)), 0,
                             static_cast<std::uint64_t>(pick(5))));
    }
    for (std::int64_t i = pick(60); i > 0; --i) {
      const auto activity = static_cast<Activity>(pick(8));
      const std::int64_t start = 900 + pick(60), end = start + pick(20) - 2;
      records.push_back(record(activity, start, end, "cudaLaunchKernel", pick(20) - 1));
      records.back().external_id = static_cast<std::uint64_t>(pick(5));
      records.back().stream = pick(3);
    }
    const TraceModel model = finished(slices, records);
    EXPECT_THAT(check_chrome(written(model)), ElementsAre());
    EXPECT_THAT(check_chrome(written(model, {.max_events = pick(50)})), ElementsAre());
  }
}

}  // namespace
}  // namespace normbench::chrome_test
