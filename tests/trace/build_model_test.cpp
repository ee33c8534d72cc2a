#include "trace/build_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/lanes.h"
#include "trace/models.h"

namespace normbench::build_model_test {
namespace {

using testing::ElementsAre;

ProfileTrace profile_of(std::vector<ThreadLog> threads) {
  return {.experiment = "place",
          .variant = "CPU normalize",
          .point = {{"batch", 10}, {"memory", "pinned"}},
          .threads = std::move(threads)};
}

TEST(AddProfile, ThreadsBecomeLanesUnderATitle) {
  TraceModel model = empty_model();
  add_profile(model,
              profile_of({{.tid = test_pid,
                           .name = "normbench",
                           .slices = {slice(2000, 3000, "sub", RangeKind::Stage, 1, 64, 5),
                                      slice(2100, 2200, "sub[0]", RangeKind::Part, 2),
                                      slice(1500, 4000, "ProfilerStep#2", RangeKind::Step)}},
                          {.tid = 4001,
                           .name = "omp worker 1",
                           .slices = {slice(2000, 2900, "sub", RangeKind::Worker)}}}),
              test_pid);
  ASSERT_THAT(lane_names(model), ElementsAre("normbench", "omp worker 1", "cases"));
  const std::vector<TraceSlice>& slices = model.lanes[0].slices;
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].kind, TraceKind::CpuOp);
  EXPECT_EQ(slices[0].bytes, 64);
  EXPECT_EQ(slices[0].external_id, 1u);
  EXPECT_EQ(slices[1].kind, TraceKind::CpuOp);
  EXPECT_EQ(slices[1].external_id, 0u);
  EXPECT_EQ(slices[2].kind, TraceKind::UserAnnotation);
  EXPECT_EQ(model.lanes[1].slices[0].kind, TraceKind::CpuThread);
  EXPECT_EQ(model.lanes[2].slices[0].kind, TraceKind::Other);
  EXPECT_THAT(drawn(model, "cases"),
              ElementsAre("place, batch 10, memory pinned: CPU normalize [1500, 4000)"));
}

TEST(AddProfile, ARangeIsAnAnnotationAndNumberedNamesKnowTheirLabels) {
  TraceModel model = empty_model();
  ProfileTrace profile =
      profile_of({{.tid = test_pid,
                   .name = "main",
                   .slices = {slice(2000, 3000, "load3", RangeKind::Stage, 1, 0, 5),
                              slice(1500, 4000, "preprocess", RangeKind::Range)}}});
  profile.labels = {{"load3", "load{i}"}};
  profile.shapes = {{"load{i}", "[[1, 2]]"}, {"preprocess", "[[3]]"}};
  DeviceTrace device{.source = "CUDA events"};
  device.records = {record(Activity::Stage, 2000, 2500, "load3"),
                    record(Activity::Kernel, 2000, 2500, "load3")};
  profile.devices.push_back(std::move(device));
  add_profile(model, profile, test_pid);
  const std::vector<TraceSlice>& host = model.lanes.at(0).slices;
  EXPECT_EQ(host[0].kind, TraceKind::CpuOp);
  EXPECT_EQ(host[0].name, "load3");
  EXPECT_EQ(host[0].label, "load{i}");
  EXPECT_EQ(host[0].shapes, "[[1, 2]]");
  EXPECT_EQ(host[1].kind, TraceKind::UserAnnotation);
  EXPECT_EQ(host[1].label, "");
  EXPECT_EQ(host[1].shapes, "");
  const std::vector<TraceSlice>& stream = model.lanes.at(1).slices;
  EXPECT_EQ(stream.at(0).label, "load{i}");
  EXPECT_EQ(stream.at(1).label, "");  // a kernel keeps its own name
}

TEST(AddProfile, NamesOutliveTheProfile) {
  TraceModel model = empty_model();
  {
    std::string name = "a name that fits into no small string";
    std::string device_name = "kernel whose name is as long as that";
    ProfileTrace profile =
        profile_of({{.tid = test_pid, .name = "main", .slices = {slice(1000, 2000, name)}}});
    DeviceTrace device{.source = "CUPTI"};
    device.records = {record(Activity::Kernel, 1000, 2000, device.name(device_name))};
    profile.devices.push_back(std::move(device));
    add_profile(model, profile, test_pid);
    name.assign(name.size(), 'x');
  }
  const TraceModel moved = std::move(model);
  EXPECT_EQ(moved.lanes[0].slices[0].name, "a name that fits into no small string");
  EXPECT_EQ(moved.lanes[1].slices[0].name, "kernel whose name is as long as that");
}

TEST(AddProfile, RecordsBecomeSlicesOfStreamsAndThreads) {
  TraceModel model = empty_model();
  ProfileTrace profile = profile_of({});
  profile.devices.push_back(
      {.source = "CUPTI",
       .records = {record(Activity::Runtime, 1000, 1100, "cudaLaunchKernel", 77),
                   record(Activity::Driver, 1010, 1090, "cuLaunchKernel", 77),
                   record(Activity::Kernel, 1200, 1300, "k", 77),
                   record(Activity::Memcpy, 1300, 1400, "Memcpy HtoD", 78),
                   record(Activity::Memset, 1400, 1500, "Memset", 79),
                   record(Activity::Sync, 1500, 1600, "Context Sync", 80),
                   record(Activity::Overhead, 1700, 1800, "Buffer Flush")}});
  add_profile(model, profile, test_pid);
  EXPECT_THAT(lane_names(model),
              ElementsAre("thread 4000", "stream 7", "sync", "CUPTI overhead", "cases"));
  EXPECT_EQ(model.lanes[0].pid, test_pid);
  EXPECT_EQ(model.lanes[0].slices[0].kind, TraceKind::CudaRuntime);
  EXPECT_EQ(model.lanes[0].slices[1].kind, TraceKind::CudaDriver);
  EXPECT_EQ(model.lanes[0].slices[0].correlation, 1);
  EXPECT_EQ(model.lanes[1].pid, 0);
  EXPECT_EQ(model.lanes[1].tid, 7);
  EXPECT_EQ(model.lanes[1].slices[0].kind, TraceKind::Kernel);
  EXPECT_EQ(model.lanes[1].slices[0].correlation, 1);
  EXPECT_EQ(model.lanes[1].slices[1].kind, TraceKind::GpuMemcpy);
  EXPECT_EQ(model.lanes[1].slices[1].correlation, 2);
  EXPECT_EQ(model.lanes[1].slices[2].kind, TraceKind::GpuMemset);
  EXPECT_EQ(model.lanes[2].tid, lane_id_of_syncs);
  EXPECT_EQ(model.lanes[2].slices[0].kind, TraceKind::CudaSync);
  EXPECT_EQ(model.lanes[3].slices[0].kind, TraceKind::Overhead);
  EXPECT_EQ(model.metadata["normbench"]["device_times"], Json::array({"CUPTI"}));
}

TEST(AddProfile, StagesBetweenMarksAreTimesOfTheDevice) {
  TraceModel model = empty_model();
  ProfileTrace profile = profile_of({});
  DeviceRecord stage = record(Activity::Stage, 1200, 1300, "h2d");
  stage.stream = -1;
  stage.bytes = 1000;
  stage.over_link = true;
  profile.devices.push_back({.source = "CUDA events", .records = {stage}, .clock_error_ns = 1700});
  add_profile(model, profile, test_pid);
  ASSERT_THAT(lane_names(model), ElementsAre("stream 7, times from CUDA events", "cases"));
  const TraceSlice& drawn = model.lanes[0].slices[0];
  EXPECT_EQ(drawn.kind, TraceKind::GpuUserAnnotation);
  EXPECT_TRUE(model.details_of(drawn)->from_marks);
  EXPECT_TRUE(model.details_of(drawn)->over_link);
  EXPECT_TRUE(model.is_device_time(drawn));
  EXPECT_EQ(model.metadata["normbench"]["clock_error_ns"], 1700);
}

TEST(AddProfile, EachProfileHasNumbersOfItsOwn) {
  TraceModel model = empty_model();
  for (int i = 0; i < 2; ++i) {
    ProfileTrace profile =
        profile_of({{.tid = test_pid,
                     .name = "main",
                     .slices = {slice(1000, 2000, "a", RangeKind::Stage, 0, 0, 9)}}});
    for (int stretch = 0; stretch < 2; ++stretch) {
      DeviceRecord kernel = record(Activity::Kernel, 1500, 1600, "k", 12);
      kernel.external_id = 9;
      profile.devices.push_back({.source = "CUPTI", .records = {kernel, kernel}});
    }
    add_profile(model, profile, test_pid);
  }
  std::vector<std::int64_t> correlations;
  std::vector<std::uint64_t> ids;
  for (const TraceSlice& slice : model.lanes[1].slices) {
    correlations.push_back(slice.correlation);
    ids.push_back(slice.external_id);
  }
  EXPECT_EQ(model.lanes[0].slices[0].external_id, 1u);
  EXPECT_EQ(model.lanes[0].slices[1].external_id, 2u);
  // A profile has one DeviceTrace for each stretch of recorded steps. The correlation 12 gets a new
  // number in each of the four DeviceTraces. The external id 9 of the range "a" gets one new number
  // for each of the two profiles, which is the same in both DeviceTraces of the profile.
  ASSERT_THAT(lane_names(model), ElementsAre("main", "stream 7", "cases"));
  EXPECT_THAT(correlations, ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(ids, ElementsAre(1, 1, 1, 1, 2, 2, 2, 2));
}

TEST(AddProfile, ShapesOfStagesAreKept) {
  TraceModel model = empty_model();
  ProfileTrace profile =
      profile_of({{.tid = test_pid,
                   .name = "main",
                   .slices = {slice(1000, 2000, "sub"), slice(1000, 2000, "sub", RangeKind::Part),
                              slice(2000, 3000, "div")}}});
  profile.shapes = {{"sub", "[[2, 3]]"}};
  add_profile(model, profile, test_pid);
  EXPECT_EQ(model.lanes[0].slices[0].shapes, "[[2, 3]]");
  EXPECT_EQ(model.lanes[0].slices[1].shapes, "");
  EXPECT_EQ(model.lanes[0].slices[2].shapes, "");
}

TEST(AddProfile, WhatTheTracerLostIsCountedAndMarked) {
  TraceModel model = empty_model();
  ProfileTrace profile = profile_of({});
  profile.devices.push_back({.source = "CUPTI",
                             .records = {record(Activity::Kernel, 1500, 1600, "k", 12)},
                             .dropped = 3,
                             .lost_buffers = 1,
                             .without_times = 2});
  add_profile(model, profile, test_pid);
  EXPECT_EQ(model.losses.dropped, 3);
  EXPECT_EQ(model.losses.lost_buffers, 1);
  EXPECT_EQ(model.losses.without_times, 2);
  EXPECT_THAT(mark_names(model),
              ElementsAre("CUPTI dropped 3 records for want of room",
                          "CUPTI lost 1 buffer of records for want of memory",
                          "CUPTI had no times for 2 records, which are not shown"));
  EXPECT_EQ(model.marks[0].ns, 1600);
  EXPECT_EQ(model.marks[0].args, (Json{{"loss", "dropped"}}));
}

TEST(AddProfile, ThePidOfAContainersFirstProcessIsNoDevices) {
  EXPECT_EQ(trace_pid(4000), 4000);
  EXPECT_EQ(trace_pid(1), first_free_lane_id + 1);
}

TEST(AddProfile, CopiesOfAModelAreWholeOnTheirOwn) {
  TraceModel copy;
  {
    TraceModel model = finished({slice(1000, 2000, "a name that fits into no small string")});
    copy = model;
  }
  EXPECT_EQ(copy.lanes[0].slices[0].name, "a name that fits into no small string");
}

}  // namespace
}  // namespace normbench::build_model_test
