#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/models.h"
#include "trace_check/chrome_check.h"

namespace normbench::finish_model_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

DeviceRecord on_stream(std::int64_t stream, DeviceRecord work) {
  work.stream = stream;
  return work;
}

DeviceRecord launch(std::int64_t start_ns, std::int64_t end_ns, std::int64_t correlation) {
  return record(Activity::Runtime, start_ns, end_ns, "cudaLaunchKernel", correlation);
}

DeviceRecord kernel(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                    std::int64_t correlation) {
  return record(Activity::Kernel, start_ns, end_ns, name, correlation);
}

// --- Lanes of threads

TEST(FinishModel, SlicesAreSortedParentsFirst) {
  const TraceModel model = finished({slice(2000, 2500, "sub", RangeKind::Stage, 1),
                                     slice(2500, 3000, "div", RangeKind::Stage, 1),
                                     slice(2000, 3000, "ProfilerStep#0", RangeKind::Step)});
  EXPECT_THAT(drawn(model, "main"),
              ElementsAre("ProfilerStep#0 [2000, 3000)", "sub [2000, 2500)", "div [2500, 3000)"));
  EXPECT_EQ(model.losses, TraceLosses{});
}

TEST(FinishModel, AChildThatSticksOutIsClippedAndCounted) {
  const TraceModel model =
      finished({slice(1000, 1100, "parent"), slice(1050, 1110, "child", RangeKind::Part, 1)});
  EXPECT_THAT(drawn(model, "main"), ElementsAre("parent [1000, 1100)", "child [1050, 1100)"));
  EXPECT_EQ(model.losses.clipped, 1);
  EXPECT_THAT(mark_names(model),
              ElementsAre("child ended after what it is part of; it is shown up to there"));
  EXPECT_EQ(model.marks[0].ns, 1050);
}

TEST(FinishModel, OverlappingSlicesOfAThreadGetFurtherNamedLanes) {
  const TraceModel model = finished({slice(1000, 1100, "a"), slice(1050, 1150, "b"),
                                     slice(1060, 1160, "c"), slice(1100, 1140, "d")});
  EXPECT_THAT(drawn(model, "main"), ElementsAre("a [1000, 1100)", "d [1100, 1140)"));
  EXPECT_THAT(drawn(model, "main (2)"), ElementsAre("b [1050, 1150)"));
  EXPECT_THAT(drawn(model, "main (3)"), ElementsAre("c [1060, 1160)"));
}

TEST(FinishModel, ASliceThatEndsBeforeItStartsIsEmpty) {
  EXPECT_THAT(drawn(finished({slice(1200, 1100, "back")}), "main"),
              ElementsAre("back [1200, 1200)"));
}

TEST(FinishModel, CallsLieInTheRangesTheyWereMadeIn) {
  const TraceModel model =
      finished({slice(1000, 2000, "first"), slice(2000, 3000, "second")},
               {launch(990, 1100, 1), launch(1900, 2020, 2), launch(1990, 2500, 3),
                launch(2600, 2700, 4), kernel(3000, 3010, "k", 1), kernel(3010, 3020, "k", 2),
                kernel(3020, 3030, "k", 3), kernel(3030, 3040, "k", 4)});
  EXPECT_THAT(drawn(model, "main"),
              ElementsAre("first [1000, 2000)", "cudaLaunchKernel [1000, 1100)",
                          "cudaLaunchKernel [1900, 2000)", "second [2000, 3000)",
                          "cudaLaunchKernel [2000, 2500)", "cudaLaunchKernel [2600, 2700)"));
  EXPECT_EQ(model.losses.clipped, 3);
  EXPECT_EQ(model.marks.size(), 3u);
}

TEST(FinishModel, ACallOfTheDriverLiesInThatOfTheRuntime) {
  const TraceModel model = finished({slice(1000, 2000, "stage")},
                                    {record(Activity::Driver, 1100, 1200, "cuLaunchKernel", 1),
                                     launch(1100, 1200, 1), kernel(1300, 1400, "k", 1)});
  EXPECT_THAT(drawn(model, "main"),
              ElementsAre("stage [1000, 2000)", "cudaLaunchKernel [1100, 1200)",
                          "cuLaunchKernel [1100, 1200)"));
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 1, .launched = 1}));
  ASSERT_EQ(model.flows.size(), 1u);
}

// --- Lanes of devices

TEST(FinishModel, OverlappingWorkOfAStreamMovesToAFurtherLaneAsItIs) {
  const TraceModel model = finished(
      {}, {launch(1000, 1010, 1), launch(1010, 1020, 2), launch(1020, 1030, 3),
           kernel(1100, 1200, "a", 1), kernel(1190, 1300, "b", 2), kernel(1200, 1250, "c", 3)});
  EXPECT_THAT(drawn(model, "stream 7"), ElementsAre("a [1100, 1200)", "c [1200, 1250)"));
  EXPECT_THAT(drawn(model, "stream 7 (2)"), ElementsAre("b [1190, 1300)"));
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 3, .launched = 3}));
  EXPECT_EQ(model.flows[2].to_tid, model.lanes[2].tid);  // the arrow to "b"
}

TEST(FinishModel, WorkLiesInNoOtherWork) {
  const TraceModel model = finished({}, {launch(1000, 1010, 1), launch(1010, 1020, 2),
                                         kernel(1100, 1200, "a", 1), kernel(1120, 1180, "b", 2)});
  EXPECT_THAT(drawn(model, "stream 7"), ElementsAre("a [1100, 1200)"));
  EXPECT_THAT(drawn(model, "stream 7 (2)"), ElementsAre("b [1120, 1180)"));
}

TEST(FinishModel, OverlappingWorkStaysUnderItsOwnAnnotation) {
  const TraceModel model = finished(
      {slice(1000, 1500, "step", RangeKind::Step), slice(1000, 1100, "first", RangeKind::Stage, 1),
       slice(1100, 1200, "second", RangeKind::Stage, 1)},
      {launch(1010, 1020, 1), launch(1110, 1120, 2), launch(1130, 1140, 3),
       kernel(2000, 2100, "a", 1), kernel(2090, 2200, "b", 2), kernel(2200, 2300, "c", 3)});
  EXPECT_THAT(drawn(model, "stream 7"),
              ElementsAre("step [1998, 2302)", "first [1999, 2101)", "a [2000, 2100)"));
  EXPECT_THAT(drawn(model, "stream 7 (2)"),
              ElementsAre("second [2089, 2301)", "b [2090, 2200)", "c [2200, 2300)"));
  EXPECT_THAT(check_chrome(written(model)), ElementsAre());
}

TEST(FinishModel, StreamsAreInOrderEachWithItsWaits) {
  const TraceModel model =
      finished({slice(1000, 2000, "stage")},
               {on_stream(20, kernel(1100, 1200, "a", 1)), on_stream(9, kernel(1100, 1200, "b", 2)),
                on_stream(20, record(Activity::Sync, 1100, 1200, "Stream Sync", 3)),
                record(Activity::Overhead, 1100, 1200, "Buffer Flush")});
  EXPECT_THAT(lane_names(model),
              ElementsAre("main", "CUPTI overhead", "stream 9", "stream 20", "stream 20 (sync)"));
}

TEST(FinishModel, ProcessesAndDevicesHaveNames) {
  TraceModel model = empty_model();
  model.processes.clear();
  model.device_properties = Json::array({{{"id", 0}, {"name", "H100"}}});
  ProfileTrace profile{.experiment = "", .variant = "", .point = Json::object(), .threads = {}};
  profile.threads = {{.tid = 1, .name = "main", .slices = {slice(1000, 1100, "a")}}};
  DeviceRecord second = kernel(1000, 1010, "k", 1);
  second.device = 1;
  profile.devices.push_back({.source = "CUPTI", .records = {kernel(1000, 1010, "k", 2), second}});
  add_profile(model, profile, test_pid);
  finish_model(model);
  ASSERT_EQ(model.processes.size(), 3u);
  EXPECT_EQ(model.processes[0].name, "normbench");
  EXPECT_EQ(model.processes[0].labels, "CPU");
  EXPECT_EQ(model.processes[1].name, "GPU 0: H100");
  EXPECT_EQ(model.processes[1].labels, "GPU 0");
  EXPECT_EQ(model.processes[2].name, "GPU 1");
  EXPECT_GT(model.processes[2].sort_index, model.processes[1].sort_index);
  EXPECT_EQ(model.device_properties[1], (Json{{"id", 1}}));
}

// --- GPU work and the calls that start it

TEST(FinishModel, WorkDoesNotStartBeforeItsCallAndKeepsItsLength) {
  const TraceModel model = finished({}, {launch(1000, 1100, 1), kernel(970, 1270, "k", 1)});
  EXPECT_THAT(drawn(model, "stream 7"), ElementsAre("k [1000, 1300)"));
  EXPECT_EQ(model.losses,
            (TraceLosses{.launches = 1, .launched = 1, .before_launch = 1, .most_skew_ns = 30}));
  EXPECT_THAT(
      mark_names(model),
      ElementsAre(
          "k seems to start 30 ns before cudaLaunchKernel; it is shown at the start of that call"));
  EXPECT_EQ(model.marks[0].ns, 1000);
}

TEST(FinishModel, WhatFollowedWorkThatWasMovedStillFollowsIt) {
  const TraceModel model = finished(
      {}, {launch(1000, 1010, 1), launch(1010, 1020, 2), launch(1020, 1030, 3),
           kernel(900, 1100, "a", 1), kernel(1100, 1150, "b", 2), kernel(1300, 1400, "c", 3)});
  EXPECT_THAT(drawn(model, "stream 7"),
              ElementsAre("a [1000, 1200)", "b [1200, 1250)", "c [1300, 1400)"));
  EXPECT_EQ(model.losses.before_launch, 1);
  EXPECT_EQ(model.losses.most_skew_ns, 100);
}

TEST(FinishModel, StagesBetweenMarksStartInTheirRange) {
  DeviceRecord marked = record(Activity::Stage, 1990, 2400, "h2d");
  marked.external_id = 4;
  const TraceModel model =
      finished({slice(2000, 2100, "h2d", RangeKind::Stage, 0, 0, 4)}, {marked});
  EXPECT_THAT(drawn(model, "stream 7, times from CUPTI"), ElementsAre("h2d [2000, 2410)"));
  EXPECT_EQ(model.losses, (TraceLosses{.before_launch = 1, .most_skew_ns = 10}));
}

TEST(FinishModel, LaunchesWithoutWorkAndWorkWithoutLaunchAreLosses) {
  const TraceModel model = finished(
      {}, {launch(1000, 1010, 1), launch(1020, 1030, 2),
           record(Activity::Runtime, 1040, 1050, "cudaStreamSynchronize", 3),
           record(Activity::Runtime, 1060, 1070, "cudaLaunchHostFunc", 4),
           kernel(1100, 1200, "a", 1), kernel(1200, 1300, "b", 9), kernel(1300, 1400, "c", -1)});
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 2, .launched = 1, .without_launch = 2}));
  EXPECT_THAT(mark_names(model),
              ElementsAre("the call that started b was not recorded",
                          "the call that started c was not recorded",
                          "cudaLaunchKernel started work that was not recorded"));
  EXPECT_EQ(model.flows.size(), 1u);
  EXPECT_THAT(check_chrome(written(model)), ElementsAre());
}

TEST(FinishModel, AGraphsLaunchHasAFlowToEachPieceOfItsWork) {
  const TraceModel model =
      finished({}, {record(Activity::Runtime, 1000, 1010, "cudaGraphLaunch", 1),
                    kernel(1100, 1200, "a", 1), kernel(1200, 1300, "b", 1)});
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 1, .launched = 1}));
  ASSERT_EQ(model.flows.size(), 2u);
  EXPECT_NE(model.flows[0].id, model.flows[1].id);
  EXPECT_EQ(model.flows[1].from_ns, 1000);
  EXPECT_EQ(model.flows[1].to_ns, 1200);
}

TEST(FinishModel, ManyLossesOfAKindHaveTwentyMarksAndOneThatSaysSo) {
  std::vector<DeviceRecord> records;
  for (std::int64_t i = 0; i < 100; ++i)
    records.push_back(kernel(1000 + 10 * i, 1005 + 10 * i, "k", i));
  const TraceModel model = finished({}, records);
  EXPECT_EQ(model.losses.without_launch, 100);
  ASSERT_EQ(model.marks.size(), 21u);
  EXPECT_EQ(model.marks.back().name, "80 more like it until here (without_launch) have no mark");
  EXPECT_EQ(model.marks.back().ns, 1990);
}

// --- Annotations

TEST(FinishModel, WorkWithoutACallIsAnnotatedByItsExternalId) {
  DeviceRecord work = kernel(2200, 2300, "k", 8);
  work.external_id = 4;
  const TraceModel model = finished({slice(2000, 2100, "cast", RangeKind::Stage, 0, 0, 4)}, {work});
  EXPECT_THAT(drawn(model, "stream 7"), ElementsAre("cast [2199, 2301)", "k [2200, 2300)"));
}

TEST(FinishModel, AnnotationsShareTheRoomBetweenNeighbours) {
  const TraceModel model = finished(
      {slice(1000, 1100, "a"), slice(1100, 1200, "b"), slice(1200, 1300, "c")},
      {launch(1010, 1020, 1), launch(1110, 1120, 2), launch(1210, 1220, 3),
       kernel(2000, 2100, "ka", 1), kernel(2100, 2200, "kb", 2), kernel(2201, 2300, "kc", 3)});
  EXPECT_THAT(drawn(model, "stream 7"),
              ElementsAre("a [1999, 2100)", "ka [2000, 2100)", "b [2100, 2200)", "kb [2100, 2200)",
                          "c [2201, 2301)", "kc [2201, 2300)"));
  EXPECT_EQ(lane_names(model).size(), 2u);
}

TEST(FinishModel, MarksGetNoAnnotations) {
  DeviceRecord marked = record(Activity::Stage, 2200, 2400, "h2d");
  marked.external_id = 4;
  const TraceModel model =
      finished({slice(2000, 2100, "h2d", RangeKind::Stage, 0, 0, 4)}, {marked});
  EXPECT_THAT(drawn(model, "stream 7, times from CUPTI"), ElementsAre("h2d [2200, 2400)"));
}

// --- Counters

std::vector<std::pair<std::int64_t, double>> samples(const TraceCounter& counter) {
  std::vector<std::pair<std::int64_t, double>> values;
  for (const auto& [ns, value] : counter.samples) values.emplace_back(ns, value);
  return values;
}

TEST(FinishModel, CopiesAtTheSameTimeAddUp) {
  DeviceRecord first = record(Activity::Memcpy, 1000, 1100, "Memcpy HtoD (Pinned -> Device)", 1);
  first.bytes = 5000;
  first.over_link = true;
  DeviceRecord second = on_stream(8, first);
  second.start_ns = 1050;
  second.end_ns = 1150;
  DeviceRecord third = on_stream(9, first);
  third.start_ns = 1150;
  third.end_ns = 1250;
  DeviceRecord on_device = on_stream(10, first);
  on_device.over_link = false;
  const TraceModel model = finished({}, {first, second, third, on_device});
  ASSERT_EQ(model.counters.size(), 1u);
  EXPECT_EQ(model.counters[0].name, "link HtoD");
  EXPECT_THAT(samples(model.counters[0]),
              ElementsAre(Pair(1000, 50.0), Pair(1050, 100.0), Pair(1100, 50.0), Pair(1150, 50.0),
                          Pair(1250, 0.0)));
}

TEST(FinishModel, StagesOfTheHostCountTheBytesTheyMoveOnce) {
  const TraceModel model = finished({slice(1000, 2000, "sub", RangeKind::Stage, 0, 10'000),
                                     slice(1000, 1500, "sub[0]", RangeKind::Part, 1, 5000),
                                     slice(2000, 2100, "h2d", RangeKind::Stage, 0, 5000, 3)});
  ASSERT_EQ(model.counters.size(), 1u);
  EXPECT_EQ(model.counters[0].name, "memory");
  EXPECT_EQ(model.counters[0].pid, test_pid);
  EXPECT_THAT(samples(model.counters[0]), ElementsAre(Pair(1000, 10.0), Pair(2000, 0.0)));
}

}  // namespace
}  // namespace normbench::finish_model_test
