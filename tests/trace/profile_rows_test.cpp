#include "trace/profile_rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trace/lanes.h"
#include "trace/small_model.h"

namespace normbench::profile_rows_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns a text for each row: "name place calls self/total". The times of a device row are device
/// times.
std::vector<std::string> lines(const std::vector<ProfileRow>& rows) {
  std::vector<std::string> result;
  for (const ProfileRow& row : rows) {
    const bool host = row.place == Place::Cpu;
    result.push_back(fmt::format(
        "{} {}{} {} {}/{}", row.name, name_of(row.place), row.annotation ? " annotation" : "",
        row.calls, host ? row.self_cpu_ns : row.self_device_ns, host ? row.cpu_ns : row.device_ns));
  }
  return result;
}

/// Returns a text for each host row: "name self/total". Both times are device times.
std::vector<std::string> device_times(const TraceModel& model) {
  std::vector<std::string> result;
  for (const ProfileRow& row : profile_rows(model))
    if (row.place == Place::Cpu)
      result.push_back(fmt::format("{} {}/{}", row.name, row.self_device_ns, row.device_ns));
  return result;
}

constexpr auto kStep = TraceKind::UserAnnotation;
constexpr auto kRuntime = TraceKind::CudaRuntime;
constexpr auto kKernel = TraceKind::Kernel;

TEST(ProfileRows, SelfTimeIsWhatNoChildCovers) {
  const TraceModel model = small_model({{0, 100, "ProfilerStep#0", kStep},
                                        {10, 40, "sub"},
                                        {10, 15, "constants"},
                                        {40, 80, "div"},
                                        {100, 150, "ProfilerStep#1", kStep},
                                        {110, 140, "sub"}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("ProfilerStep* cpu annotation 2 50/150", "sub cpu 2 55/60",
                          "constants cpu 1 5/5", "div cpu 1 40/40"));
}

TEST(ProfileRows, NamesOfALabelShareARow) {
  constexpr std::string_view label = "load{i}";
  const TraceModel model =
      small_model({{.start_ns = 0, .end_ns = 40, .name = "load0", .label = label},
                   {.start_ns = 40, .end_ns = 70, .name = "load1", .label = label},
                   {.start_ns = 70, .end_ns = 90, .name = "load1"},
                   {.start_ns = 5,
                    .end_ns = 15,
                    .name = "load0",
                    .kind = TraceKind::GpuUserAnnotation,
                    .from_marks = true,
                    .label = label},
                   {.start_ns = 45,
                    .end_ns = 65,
                    .name = "load1",
                    .kind = TraceKind::GpuUserAnnotation,
                    .from_marks = true,
                    .label = label}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("load{i} cpu 2 70/70", "load{i} cuda 2 30/30", "load1 cpu 1 20/20"));
}

TEST(ProfileRows, ARangesSelfTimeIsWhatItsStagesDoNotCover) {
  const TraceModel model = small_model({{0, 100, "ProfilerStep#0", kStep},
                                        {10, 90, "preprocess", TraceKind::UserAnnotation},
                                        {12, 42, "sub"},
                                        {45, 85, "inner", TraceKind::UserAnnotation},
                                        {50, 80, "div"}});
  EXPECT_THAT(
      lines(profile_rows(model)),
      ElementsAre("ProfilerStep* cpu annotation 1 20/100", "preprocess cpu annotation 1 10/80",
                  "sub cpu 1 30/30", "inner cpu annotation 1 10/40", "div cpu 1 30/30"));
}

TEST(ProfileRows, TheRowOfConstantsSaysSo) {
  for (const ProfileRow& row : profile_rows(small_model({{0, 40, "sub"}, {0, 5, "constants"}})))
    EXPECT_EQ(row.constants, row.name == "constants");
}

TEST(ProfileRows, NoSlicesNoRows) { EXPECT_THAT(profile_rows(TraceModel()), IsEmpty()); }

TEST(ProfileRows, ThreadsNestOnTheirOwn) {
  const TraceModel model =
      small_model({{.start_ns = 0, .end_ns = 100, .name = "load", .lane = 1},
                   {.start_ns = 10, .end_ns = 60, .name = "decode", .lane = 2}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("load cpu 1 100/100", "decode cpu 1 50/50"));
}

TEST(ProfileRows, ASliceThatOverlapsOnlyPartlyIsNoChild) {
  EXPECT_THAT(lines(profile_rows(small_model({{0, 10, "a"}, {5, 15, "b"}, {6, 9, "c"}}))),
              ElementsAre("a cpu 1 10/10", "b cpu 1 7/10", "c cpu 1 3/3"));
}

/// As in PyTorch 2.15 and later, Python frames have no rows, and an op inside a frame is not a
/// child of the op around the frame.
TEST(ProfileRows, FramesOfPythonTakeTimeAndHaveNoRows) {
  constexpr auto kFrame = TraceKind::PythonFunction;
  const TraceModel model = small_model({{0, 100, "train.py(3): step", kFrame},
                                        {10, 90, "data", kStep},
                                        {12, 80, "load.py(7): load", kFrame},
                                        {20, 50, "mm"},
                                        {55, 60, "mm"}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("data cpu annotation 1 12/80", "mm cpu 2 35/35"));
}

TEST(ProfileRows, AFrameThatEndsLateTakesTimeTwice) {
  constexpr auto kFrame = TraceKind::PythonFunction;
  const TraceModel model = small_model(
      {{0, 100, "ProfilerStep#1", kStep}, {10, 80, "a.py(1): f", kFrame}, {40, 100, "g", kFrame}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("ProfilerStep* cpu annotation 1 -30/100"));
}

TEST(ProfileRows, WorkOfACallWithinAFrameIsOfTheOpAroundIt) {
  const TraceModel model = small_model(
      {{0, 100, "mm"},
       {5, 60, "a.py(1): f", TraceKind::PythonFunction},
       {.start_ns = 10, .end_ns = 20, .name = "launch", .kind = kRuntime, .correlation = 4},
       {.start_ns = 50, .end_ns = 57, .name = "k", .kind = kKernel, .correlation = 4}});
  EXPECT_THAT(device_times(model), ElementsAre("mm 7/7", "launch 0/0"));
}

TEST(ProfileRows, AsyncSlicesHaveNoSelfTimeAndNoChildren) {
  TraceModel model = small_model({{0, 100, "step"}, {10, 90, "gloo:send"}, {20, 50, "mm"}});
  model.lanes[0].slices[1].async = true;
  const std::vector<ProfileRow> rows = profile_rows(model);
  EXPECT_THAT(lines(rows),
              ElementsAre("step cpu 1 70/100", "gloo:send cpu 1 0/80", "mm cpu 1 30/30"));
  EXPECT_FALSE(rows[0].async);
  EXPECT_TRUE(rows[1].async);
}

TEST(ProfileRows, AChildMayEndLaterByWhatItsStartWasCut) {
  TraceModel model =
      small_model({{0, 50'900, "step"}, {0, 50'700, "forward"}, {1000, 50'950, "op"}});
  EXPECT_THAT(
      lines(profile_rows(model)),
      ElementsAre("step cpu 1 200/50900", "forward cpu 1 50700/50700", "op cpu 1 49950/49950"));
  model.nesting.start_error_ns = 999;
  EXPECT_THAT(
      lines(profile_rows(model)),
      ElementsAre("step cpu 1 200/50900", "forward cpu 1 750/50700", "op cpu 1 49950/49950"));
}

TEST(ProfileRows, SharedTimeIsOfTheLaterSliceWhereItCountsOnce) {
  TraceModel model = small_model({{0, 200, "outer"},
                                  {0, 100, "a"},
                                  {40, 90, "c"},
                                  {50, 150, "b"},
                                  {60, 70, "in b"},
                                  {149, 160, "d"}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("outer cpu 1 -11/200", "a cpu 1 50/100", "c cpu 1 50/50",
                          "b cpu 1 90/100", "in b cpu 1 10/10", "d cpu 1 11/11"));
  model.nesting.shared_once = true;
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("outer cpu 1 40/200", "a cpu 1 40/100", "c cpu 1 10/50", "b cpu 1 89/100",
                          "in b cpu 1 10/10", "d cpu 1 11/11"));
}

TEST(ProfileRows, SelfTimesOfAnySlicesSumToTheirUnionWhereSharedTimeCountsOnce) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::vector<bool> covered(200);
    TraceModel model;
    TraceLane& lane = model.lanes.emplace_back(TraceLane{.pid = 1, .tid = 1, .name = ""});
    for (int k = 0; k < 12; ++k) {
      TraceSlice slice;
      slice.start_ns = static_cast<std::int64_t>(random() % 100);
      slice.end_ns = slice.start_ns + static_cast<std::int64_t>(random() % 100);
      slice.name = model.name("op" + std::to_string(random() % 4));
      lane.slices.push_back(slice);
      for (std::int64_t ns = slice.start_ns; ns < slice.end_ns; ++ns)
        covered[static_cast<std::size_t>(ns)] = true;
    }
    sort_parents_first(lane.slices);
    model.nesting.shared_once = true;
    std::int64_t sum = 0;
    for (const ProfileRow& row : profile_rows(model)) sum += row.self_cpu_ns;
    EXPECT_EQ(sum, std::ranges::count(covered, true)) << i;
  }
}

TEST(ProfileRows, TheSameCallOverAndOverIsOneCall) {
  TraceModel model = small_model({{0, 10, "a"}, {0, 10, "a"}, {0, 10, "a"}, {2, 5, "b"}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("a cpu 1 7/10", "b cpu 1 3/3"));
}

TEST(ProfileRows, PercentilesOfTimesThatRepeat) {
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> times;
    TraceModel model;
    TraceLane& lane = model.lanes.emplace_back(TraceLane{.pid = 1, .tid = 1, .name = ""});
    std::int64_t now = 0;
    const auto count = 1 + random() % 60;
    for (unsigned k = 0; k < count; ++k) {
      const std::int64_t scale = random() % 9 == 0 ? 3'000'000'000 : 1;
      const std::int64_t ns = static_cast<std::int64_t>(random() % 4) * scale;
      times.push_back(ns);
      TraceSlice slice;
      slice.start_ns = now;
      slice.end_ns = now + ns;
      now += ns + 1;
      slice.name = model.name("op");
      lane.slices.push_back(slice);
    }
    std::ranges::sort(times);
    const auto rank = [&](std::size_t percent) {
      return times[std::max<std::size_t>((percent * times.size() + 99) / 100, 1) - 1];
    };
    const ProfileRow row = profile_rows(model)[0];
    EXPECT_EQ(row.min_ns, times.front());
    EXPECT_EQ(row.p50_ns, rank(50));
    EXPECT_EQ(row.p95_ns, rank(95));
    EXPECT_EQ(row.max_ns, times.back());
  }
}

TEST(ProfileRows, ASiblingWhoseStartWasCutIsNoChild) {
  TraceModel model =
      small_model({{1000, 2500, "a"}, {2000, 3400, "b"}, {3000, 4200, "c"}, {4000, 5100, "d"}});
  model.nesting = {.start_error_ns = 999, .shared_once = true};
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("a cpu 1 1000/1500", "b cpu 1 1000/1400",
                                                      "c cpu 1 1000/1200", "d cpu 1 1100/1100"));
}

TEST(ProfileRows, SumsOfTimesThatAreTooLargeStayPositive) {
  constexpr std::int64_t long_ns = 4'000'000'000'000'000'000;
  TraceModel model;
  for (std::int64_t tid = 0; tid < 5; ++tid) {
    TraceLane& lane = model.lanes.emplace_back(TraceLane{.pid = 1, .tid = tid, .name = ""});
    TraceSlice& slice = lane.slices.emplace_back();
    slice.end_ns = long_ns;
    slice.name = model.name("op");
  }
  const ProfileRow row = profile_rows(model)[0];
  EXPECT_EQ(row.cpu_ns, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(row.self_cpu_ns, row.cpu_ns);
}

TEST(ProfileRows, WorkWhoseOwnCallIsMissingIsNotAnotherProcesss) {
  std::vector<SmallSlice> slices;
  for (const std::int64_t lane : {1, 2})
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::int64_t id = 100 * lane + i, at = 100 * i;
      slices.push_back(
          {.start_ns = at, .end_ns = at + 50, .name = lane == 1 ? "a" : "b", .lane = lane});
      slices.push_back({.start_ns = at + 1,
                        .end_ns = at + 3,
                        .name = "launch",
                        .kind = kRuntime,
                        .lane = lane,
                        .correlation = id});
      slices.push_back({.start_ns = at + 9,
                        .end_ns = at + 19,
                        .name = "k",
                        .kind = kKernel,
                        .lane = 6 + lane,
                        .correlation = id});
    }
  slices.push_back({.start_ns = 5000,
                    .end_ns = 6000,
                    .name = "k",
                    .kind = kKernel,
                    .lane = 8,
                    .correlation = 100});
  TraceModel model = small_model(slices);
  for (TraceLane& lane : model.lanes)
    if (lane.tid == 2) lane.pid = 101;
  for (DeviceDetails& details : model.details) details.device = details.stream - 7;
  EXPECT_THAT(device_times(model), ElementsAre("a 200/200", "b 200/200", "launch 0/0"));
  EXPECT_EQ(profile_rows(model, false, [](ProfileRow&&) {}), 1);
}

/// Returns a model of two processes, each with its own GPU. Each process has one op, one call and
/// one kernel, whose ids are the same in both processes.
TraceModel two_processes() {
  TraceModel model = small_model(
      {{.start_ns = 0, .end_ns = 10, .name = "a", .external_id = 1},
       {.start_ns = 1, .end_ns = 3, .name = "launch", .kind = kRuntime, .correlation = 5},
       {.start_ns = 20,
        .end_ns = 120,
        .name = "ka",
        .kind = kKernel,
        .lane = 7,
        .external_id = 1,
        .correlation = 5},
       {.start_ns = 2, .end_ns = 12, .name = "b", .lane = 2, .external_id = 1},
       {.start_ns = 3,
        .end_ns = 5,
        .name = "launch",
        .kind = kRuntime,
        .lane = 2,
        .correlation = 5},
       {.start_ns = 22,
        .end_ns = 222,
        .name = "kb",
        .kind = kKernel,
        .lane = 8,
        .external_id = 1,
        .correlation = 5}});
  for (TraceLane& lane : model.lanes)
    if (lane.tid == 2) lane.pid = 101;
  for (DeviceDetails& details : model.details) details.device = details.stream - 7;
  return model;
}

TEST(ProfileRows, WorkThatSeveralProcessesMayHaveSubmittedIsOfNone) {
  const TraceModel model = two_processes();
  EXPECT_THAT(device_times(model), ElementsAre("a 0/0", "launch 0/0", "b 0/0"));
  EXPECT_EQ(profile_rows(model, false, [](ProfileRow&&) {}), 2);
}

/// Each process may see its own GPU as device 0. In this case, work is matched with calls only by
/// the correlations that occur in just one of the processes.
TEST(ProfileRows, OnADeviceOfSeveralProcessesOnlyTheirOwnNumbersTell) {
  TraceModel model = two_processes();
  for (DeviceDetails& details : model.details) details.device = 0;
  for (TraceLane& lane : model.lanes) {
    const std::vector<TraceSlice> before = lane.slices;
    for (TraceSlice more : before) {
      if (!is_call(more.kind) && !is_gpu_work(more.kind)) continue;
      more.correlation = lane.pid == 101 || lane.tid == 8 ? 6 : 7;
      lane.slices.push_back(more);
    }
  }
  EXPECT_THAT(device_times(model), ElementsAre("a 100/100", "launch 0/0", "b 200/200"));
  EXPECT_EQ(profile_rows(model, false, [](ProfileRow&&) {}), 2);
}

TEST(ProfileRows, ExternalIdsOfSeveralProcessesCollideToo) {
  TraceModel model = two_processes();
  for (TraceLane& lane : model.lanes)
    std::erase_if(lane.slices, [](const TraceSlice& slice) { return is_call(slice.kind); });
  EXPECT_THAT(device_times(model), ElementsAre("a 0/0", "b 0/0"));
  EXPECT_EQ(profile_rows(model, false, [](ProfileRow&&) {}), 2);
}

TEST(ProfileRows, OtherWorkOfADeviceTellsWhoseItIs) {
  TraceModel model = two_processes();
  for (TraceLane& lane : model.lanes) {
    const std::size_t count = lane.slices.size();
    for (std::size_t i = 0; i < count; ++i) {
      TraceSlice more = lane.slices[i];
      if (!is_call(more.kind) && !is_gpu_work(more.kind)) continue;
      more.correlation = lane.pid == 101 || lane.tid == 8 ? 6 : 7;
      more.start_ns = more.end_ns += 1000;
      lane.slices.push_back(more);
    }
  }
  EXPECT_THAT(device_times(model), ElementsAre("a 100/100", "launch 0/0", "b 200/200"));
  EXPECT_EQ(profile_rows(model, false, [](ProfileRow&&) {}), 0);
}

/// Returns a text for each row: "name calls self/total self/total". The first pair is the host's
/// memory, and the second pair is the devices' memory, in bytes.
std::vector<std::string> memory_of(const TraceModel& model) {
  std::vector<std::string> result;
  for (const ProfileRow& row : profile_rows(model))
    result.push_back(fmt::format("{} {} {}/{} {}/{}", row.name, row.calls, row.self_cpu_memory,
                                 row.cpu_memory, row.self_device_memory, row.device_memory));
  return result;
}

TEST(ProfileRows, MemoryIsOfWhatRanMeanwhileOnAnyThread) {
  TraceModel model = small_model({{10, 90, "conv"},
                                  {20, 50, "empty"},
                                  {.start_ns = 40, .end_ns = 60, .name = "other", .lane = 2}});
  model.memory = {{.ns = 50, .bytes = 100}, {.ns = 20, .bytes = 7},
                  {.ns = 60, .bytes = -30}, {.ns = 30, .bytes = 64, .on_device = true},
                  {.ns = 5, .bytes = 1000}, {.ns = 95, .bytes = -1000}};
  EXPECT_THAT(memory_of(model), ElementsAre("[memory] 2 0/0 0/0", "conv 1 -30/77 0/64",
                                            "empty 1 107/107 64/64", "other 1 70/70 0/0"));
}

/// As in PyTorch, "a" and "b" are children of "outer", although they overlap. Together they take
/// longer than "outer".
TEST(ProfileRows, PartialOverlapCanMakeSelfTimeNegative) {
  const TraceModel model =
      small_model({{0, 30, "outer"}, {0, 20, "a"}, {10, 25, "b"}, {12, 18, "c"}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("outer cpu 1 -5/30", "a cpu 1 20/20", "b cpu 1 9/15", "c cpu 1 6/6"));
}

TEST(ProfileRows, WhatStartsAtTheEndIsNoChild) {
  EXPECT_THAT(lines(profile_rows(small_model({{0, 10, "a"}, {10, 10, "b"}, {4, 4, "c"}}))),
              ElementsAre("a cpu 1 10/10", "c cpu 1 0/0", "b cpu 1 0/0"));
}

TEST(ProfileRows, OfEqualSlicesTheFirstIsTheParent) {
  EXPECT_THAT(lines(profile_rows(small_model({{0, 10, "outer"}, {0, 10, "inner"}}))),
              ElementsAre("outer cpu 1 0/10", "inner cpu 1 10/10"));
}

TEST(ProfileRows, AnOnlyChildOfItsParentsNameIsMerged) {
  const TraceModel model = small_model(
      {{0, 100, "conv"}, {10, 90, "conv"}, {20, 80, "conv"}, {30, 40, "mul"}, {50, 55, "conv"}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("conv cpu 2 90/105", "mul cpu 1 10/10"));
}

TEST(ProfileRows, OneOfTwoChildrenIsNotMerged) {
  const TraceModel model = small_model({{0, 100, "conv"}, {10, 50, "conv"}, {60, 70, "mul"}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("conv cpu 2 90/140", "mul cpu 1 10/10"));
}

TEST(ProfileRows, AMergedChildLeavesItsDeviceTimeToItsParent) {
  const TraceModel model =
      small_model({{.start_ns = 0, .end_ns = 100, .name = "conv", .external_id = 1},
                   {.start_ns = 10, .end_ns = 90, .name = "conv", .external_id = 2},
                   {.start_ns = 200,
                    .end_ns = 270,
                    .name = "k",
                    .kind = kKernel,
                    .lane = 7,
                    .external_id = 2}});
  EXPECT_THAT(device_times(model), ElementsAre("conv 70/70"));
}

TEST(ProfileRows, AnnotationsAndOpsOfOneNameHaveRowsOfTheirOwn) {
  const TraceModel model = small_model({{0, 10, "x", kStep}, {20, 25, "x"}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("x cpu annotation 1 10/10", "x cpu 1 5/5"));
}

TEST(ProfileRows, HiddenNamesAreNotInTheTree) {
  const TraceModel model = small_model(
      {{0, 100, "op"}, {10, 60, "aten::is_leaf"}, {20, 30, "child"}, {70, 80, "[memory]"}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("op cpu 1 90/100", "child cpu 1 10/10"));
}

TEST(ProfileRows, WorkersWaitsAndUnknownKindsHaveNoRows) {
  const TraceModel model = small_model({{0, 10, "op"},
                                        {0, 9, "worker", TraceKind::CpuThread, 2},
                                        {0, 9, "wait", TraceKind::CudaSync, 3},
                                        {0, 9, "title", TraceKind::Other, 4}});
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("op cpu 1 10/10"));
}

/// Returns a model of a step with one copy and one kernel. If `ids` is true, external ids link work
/// to ops. If `correlations` is true, correlations link work to calls.
TraceModel gpu_model(bool ids, bool correlations) {
  const auto id = [&](std::uint64_t number) { return ids ? number : 0; };
  const auto correlation = [&](std::int64_t number) { return correlations ? number : -1; };
  return small_model({
      {.start_ns = 0, .end_ns = 100, .name = "ProfilerStep#3", .kind = kStep},
      {.start_ns = 10, .end_ns = 30, .name = "h2d", .external_id = id(1)},
      {.start_ns = 12,
       .end_ns = 18,
       .name = "cudaMemcpyAsync",
       .kind = kRuntime,
       .external_id = id(1),
       .correlation = correlation(71)},
      {.start_ns = 30, .end_ns = 60, .name = "normalize", .external_id = id(2)},
      {.start_ns = 40,
       .end_ns = 50,
       .name = "cudaLaunchKernel",
       .kind = kRuntime,
       .external_id = id(2),
       .correlation = correlation(72)},
      {.start_ns = 42,
       .end_ns = 48,
       .name = "cuLaunchKernel",
       .kind = TraceKind::CudaDriver,
       .correlation = correlation(72)},
      {.start_ns = 20,
       .end_ns = 55,
       .name = "Memcpy HtoD",
       .kind = TraceKind::GpuMemcpy,
       .lane = 7,
       .external_id = id(1),
       .correlation = correlation(71),
       .bytes = 700},
      {.start_ns = 55,
       .end_ns = 80,
       .name = "k",
       .kind = kKernel,
       .lane = 7,
       .external_id = id(2),
       .correlation = correlation(72)},
      {.start_ns = 19,
       .end_ns = 81,
       .name = "ProfilerStep#3",
       .kind = TraceKind::GpuUserAnnotation,
       .lane = 7},
  });
}

TEST(ProfileRows, CallsOfTheRuntimeAreRowsOfTheHostAndWorkHasRowsOfTheDevice) {
  const std::vector<ProfileRow> rows = profile_rows(gpu_model(true, true));
  EXPECT_THAT(
      lines(rows),
      ElementsAre("ProfilerStep* cpu annotation 1 50/100", "h2d cpu 1 14/20",
                  "cudaMemcpyAsync cpu 1 6/6", "ProfilerStep* cuda annotation 1 62/62",
                  "Memcpy HtoD cuda 1 35/35", "normalize cpu 1 20/30",
                  "cudaLaunchKernel cpu 1 4/10", "cuLaunchKernel cpu 1 6/6", "k cuda 1 25/25"));
  EXPECT_EQ(rows[4].bytes, 700);
  EXPECT_EQ(rows[4].cpu_ns, 0);
  EXPECT_EQ(rows[4].max_ns, 35);
}

TEST(ProfileRows, DeviceTimeGoesToTheOpThatSubmittedIt) {
  const auto expected =
      ElementsAre("ProfilerStep* 0/60", "h2d 35/35", "cudaMemcpyAsync 0/0", "normalize 25/25",
                  "cudaLaunchKernel 0/0", "cuLaunchKernel 0/0");
  EXPECT_THAT(device_times(gpu_model(true, true)), expected);
  EXPECT_THAT(device_times(gpu_model(true, false)), expected) << "by external id alone";
  EXPECT_THAT(device_times(gpu_model(false, true)), expected) << "by correlation alone";
  EXPECT_THAT(device_times(gpu_model(false, false)),
              ElementsAre("ProfilerStep* 0/0", "h2d 0/0", "cudaMemcpyAsync 0/0", "normalize 0/0",
                          "cudaLaunchKernel 0/0", "cuLaunchKernel 0/0"));
}

TEST(ProfileRows, OfSeveralRangesWithAnIdTheOneOfTheCallCounts) {
  const TraceModel model = small_model({
      {.start_ns = 0, .end_ns = 10, .name = "first", .external_id = 5},
      {.start_ns = 5, .end_ns = 6, .name = "cudaLaunchKernel", .kind = kRuntime, .correlation = 1},
      {.start_ns = 20, .end_ns = 30, .name = "second", .external_id = 5},
      {.start_ns = 25,
       .end_ns = 26,
       .name = "cudaLaunchKernel",
       .kind = kRuntime,
       .correlation = 2},
      {.start_ns = 50,
       .end_ns = 53,
       .name = "k",
       .kind = kKernel,
       .lane = 7,
       .external_id = 5,
       .correlation = 1},
      {.start_ns = 60,
       .end_ns = 64,
       .name = "k",
       .kind = kKernel,
       .lane = 7,
       .external_id = 5,
       .correlation = 2},
  });
  EXPECT_THAT(device_times(model), ElementsAre("first 3/3", "cudaLaunchKernel 0/0", "second 4/4"));
}

/// In traces of PyTorch 1.x, the external id of GPU work is the work's correlation. Another op may
/// have the same number as its external id. So the op around the call counts.
TEST(ProfileRows, TheOpAroundTheCallCountsNotTheExternalId) {
  const TraceModel model = small_model({
      {.start_ns = 0, .end_ns = 100, .name = "to", .external_id = 1},
      {.start_ns = 10, .end_ns = 20, .name = "empty", .external_id = 2},
      {.start_ns = 30, .end_ns = 90, .name = "copy", .external_id = 3},
      {.start_ns = 40,
       .end_ns = 50,
       .name = "cudaMemcpyAsync",
       .kind = kRuntime,
       .external_id = 2,
       .correlation = 2},
      {.start_ns = 60,
       .end_ns = 91,
       .name = "cudaMemcpyAsync",
       .kind = kRuntime,
       .external_id = 1,
       .correlation = 1},
      {.start_ns = 60,
       .end_ns = 67,
       .name = "Memcpy HtoD",
       .kind = TraceKind::GpuMemcpy,
       .lane = 7,
       .external_id = 2,
       .correlation = 2},
      {.start_ns = 70,
       .end_ns = 75,
       .name = "Memcpy HtoD",
       .kind = TraceKind::GpuMemcpy,
       .lane = 7,
       .external_id = 1,
       .correlation = 1},
  });
  EXPECT_THAT(device_times(model),
              ElementsAre("to 0/12", "empty 0/0", "copy 12/12", "cudaMemcpyAsync 0/0"));
}

TEST(ProfileRows, WorkOfACallOutsideAnyOpIsOfNone) {
  const TraceModel model = small_model({
      {.start_ns = 0, .end_ns = 10, .name = "op", .external_id = 1},
      {.start_ns = 20, .end_ns = 25, .name = "cudaMemcpy", .kind = kRuntime, .correlation = 1},
      {.start_ns = 22,
       .end_ns = 24,
       .name = "Memcpy HtoD",
       .kind = TraceKind::GpuMemcpy,
       .lane = 7,
       .external_id = 1,
       .correlation = 1},
  });
  EXPECT_THAT(device_times(model), ElementsAre("op 0/0", "cudaMemcpy 0/0"));
}

TEST(ProfileRows, TimesFromMarksCountAsWork) {
  const TraceModel model = small_model({
      {.start_ns = 0, .end_ns = 10, .name = "normalize", .external_id = 1},
      {.start_ns = 20,
       .end_ns = 27,
       .name = "normalize",
       .kind = TraceKind::GpuUserAnnotation,
       .lane = 7,
       .external_id = 1,
       .from_marks = true},
  });
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("normalize cpu 1 10/10", "normalize cuda 1 7/7"));
  EXPECT_THAT(device_times(model), ElementsAre("normalize 7/7"));
}

TEST(ProfileRows, ByShapeOnlyWhenAsked) {
  const TraceModel model = small_model({
      {.start_ns = 0, .end_ns = 1, .name = "sub", .shapes = "[[2, 3]]"},
      {.start_ns = 2, .end_ns = 4, .name = "sub", .shapes = "[[4, 3]]"},
      {.start_ns = 5, .end_ns = 9, .name = "sub", .shapes = "[[2, 3]]"},
  });
  const std::vector<ProfileRow> rows = profile_rows(model, true);
  EXPECT_THAT(lines(rows), ElementsAre("sub cpu 2 5/5", "sub cpu 1 2/2"));
  EXPECT_EQ(rows[0].shapes, "[[2, 3]]");
  EXPECT_EQ(rows[1].shapes, "[[4, 3]]");
  EXPECT_THAT(lines(profile_rows(model)), ElementsAre("sub cpu 3 7/7"));
  EXPECT_EQ(profile_rows(model)[0].shapes, "");
}

TEST(ProfileRows, PercentilesAreCallsThatWere) {
  TraceModel model;
  TraceLane& lane = model.lanes.emplace_back();
  for (std::int64_t call = 20; call > 0; --call) {
    TraceSlice& slice = lane.slices.emplace_back();
    slice.start_ns = (20 - call) * 100;
    slice.end_ns = slice.start_ns + call;
    slice.name = model.name("op");
    slice.bytes = 3;
  }
  const ProfileRow row = profile_rows(model).at(0);
  EXPECT_EQ(row.min_ns, 1);
  EXPECT_EQ(row.p50_ns, 10);
  EXPECT_EQ(row.p95_ns, 19);
  EXPECT_EQ(row.max_ns, 20);
  EXPECT_EQ(row.bytes, 60);
  EXPECT_EQ(row.calls, 20);
}

TEST(ProfileRows, AreInOrderOfTheirFirstCallsOverAllLanes) {
  const TraceModel model = small_model({{50, 60, "late"},
                                        {70, 80, "early", TraceKind::CpuOp, 1},
                                        {10, 20, "early", TraceKind::CpuOp, 2},
                                        {10, 30, "longer", TraceKind::CpuOp, 3}});
  EXPECT_THAT(lines(profile_rows(model)),
              ElementsAre("longer cpu 1 20/20", "early cpu 2 20/20", "late cpu 1 10/10"));
}

TEST(ProfileRows, FaultsGoToTheHostsRowOfTheStage) {
  std::vector<ProfileRow> rows = profile_rows(small_model({
      {.start_ns = 0, .end_ns = 10, .name = "sub", .kind = kStep},
      {.start_ns = 20, .end_ns = 30, .name = "sub"},
      {.start_ns = 20, .end_ns = 30, .name = "sub", .kind = kKernel, .lane = 7},
  }));
  add_faults(rows, {{"sub", 12}, {"unknown", 5}});
  ASSERT_THAT(lines(rows),
              ElementsAre("sub cpu annotation 1 10/10", "sub cpu 1 10/10", "sub cuda 1 10/10"));
  EXPECT_EQ(rows[0].faults, 0);
  EXPECT_EQ(rows[1].faults, 12);
  EXPECT_EQ(rows[2].faults, 0);
}

/// Adds a random tree of slices, which begins at `now`, to `slices`. Returns the end of the tree in
/// ns.
std::int64_t grow(std::mt19937& random, std::int64_t now, int depth, TraceModel& model,
                  std::vector<TraceSlice>& slices) {
  static constexpr std::array<std::string_view, 4> names{"ProfilerStep#1", "sub", "div", "part"};
  const std::size_t at = slices.size();
  slices.emplace_back();
  const std::int64_t start = now;
  now += 1 + random() % 5;
  for (auto children = depth < 5 ? random() % 4 : 0; children > 0; --children)
    now = grow(random, now + random() % 3, depth + 1, model, slices);
  now += random() % 5;
  slices[at].start_ns = start;
  slices[at].end_ns = now;
  slices[at].name = model.name(names[random() % names.size()]);
  return now;
}

TEST(ProfileRows, SelfTimesSumToTheTotalOfTheTopLevelSlices) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    TraceModel model;
    std::int64_t top_level = 0;
    for (auto threads = 1 + random() % 3; threads > 0; --threads) {
      TraceLane& lane = model.lanes.emplace_back();
      for (std::int64_t now = 0; now < 100; ++now) {
        const std::int64_t end = grow(random, now, 0, model, lane.slices);
        top_level += end - now;
        now = end;
      }
    }
    std::int64_t self = 0;
    for (const ProfileRow& row : profile_rows(model)) {
      EXPECT_GE(row.self_cpu_ns, 0);
      EXPECT_LE(row.self_cpu_ns, row.cpu_ns);
      EXPECT_LE(row.min_ns, row.p50_ns);
      EXPECT_LE(row.p50_ns, row.p95_ns);
      EXPECT_LE(row.p95_ns, row.max_ns);
      self += row.self_cpu_ns;
    }
    EXPECT_EQ(self, top_level);
  }
}

}  // namespace
}  // namespace normbench::profile_rows_test
