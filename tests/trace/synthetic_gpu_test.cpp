#include "trace/synthetic_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "trace/models.h"
#include "trace_check/chrome_check.h"

namespace normbench::synthetic_gpu_test {
namespace {

using testing::ElementsAre;

std::int64_t count(const Json& document, const char* key, const std::string& value) {
  std::int64_t events = 0;
  for (const Json& event : document["traceEvents"]) events += event.value(key, "") == value;
  return events;
}

TEST(SyntheticGpu, KeepsAllRules) {
  EXPECT_THAT(check_chrome(written(synthetic_gpu_model())), ElementsAre());
}

TEST(SyntheticGpu, HasALaneForEachThreadStreamAndOverlap) {
  EXPECT_THAT(lane_names(synthetic_gpu_model()),
              ElementsAre("cases", "main", "omp worker 1", "stream 7", "stream 7 (2)", "stream 13",
                          "stream 13 (sync)", "stream 14"));
}

TEST(SyntheticGpu, LosesNothing) {
  const TraceModel model = synthetic_gpu_model();
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 28, .launched = 28}));
  EXPECT_THAT(model.marks, testing::IsEmpty());
}

TEST(SyntheticGpu, HasAFlowForEveryPieceOfWork) {
  const TraceModel model = synthetic_gpu_model();
  EXPECT_EQ(model.flows.size(), 4u * 8);  // the two kernels of the graph share a launch
  const Json document = Json::parse(written(model));
  EXPECT_EQ(count(document, "ph", "s"), 32);
  EXPECT_EQ(count(document, "ph", "f"), 32);
  EXPECT_EQ(count(document, "cat", "cuda_driver"), 4);
}

TEST(SyntheticGpu, AnnotatesStreamsStrictlyAroundTheWork) {
  const TraceModel model = synthetic_gpu_model();
  std::vector<std::string> lines = drawn(model, "stream 14");
  lines.resize(3);
  EXPECT_THAT(lines, ElementsAre("ProfilerStep#2 [5000199998, 5000260002)",
                                 "cast [5000199999, 5000260001)", "cast [5000200000, 5000260000)"));
}

TEST(SyntheticGpu, CountsTheLink) {
  const TraceModel model = synthetic_gpu_model();
  ASSERT_EQ(model.counters.size(), 2u);
  EXPECT_EQ(model.counters[0].name, "link DtoH");
  EXPECT_EQ(model.counters[1].name, "link HtoD");
  for (const TraceCounter& counter : model.counters) {
    ASSERT_EQ(counter.samples.size(), 8u);
    EXPECT_EQ(counter.unit, "GB/s");
    EXPECT_DOUBLE_EQ(counter.samples[0].value, 50);
    EXPECT_EQ(counter.samples[1].value, 0);
  }
}

TEST(SyntheticGpu, TwoProfilesOfOneRunDoNotMix) {
  TraceModel model = empty_model();
  add_profile(model, synthetic_gpu_profile(2), test_pid);
  ProfileTrace later = synthetic_gpu_profile(2);  // the same correlations and ids, 10 ms later
  for (ThreadLog& thread : later.threads)
    for (Slice& slice : thread.slices) {
      slice.start_ns += 10'000'000;
      slice.end_ns += 10'000'000;
    }
  for (DeviceRecord& record : later.devices[0].records) {
    record.start_ns += 10'000'000;
    record.end_ns += 10'000'000;
  }
  add_profile(model, later, test_pid);
  finish_model(model);
  EXPECT_EQ(model.losses, (TraceLosses{.launches = 28, .launched = 28}));
  EXPECT_THAT(check_chrome(written(model)), ElementsAre());
  EXPECT_THAT(drawn(model, "cases"),
              ElementsAre("synthetic, batch 8: three streams [5000000000, 5001900000)",
                          "synthetic, batch 8: three streams [5010000000, 5011900000)"));
}

/// tests/app/hta_test.py sets NORMBENCH_SYNTHETIC_TRACE to a path, and reads the file that this
/// test writes there.
TEST(SyntheticGpu, IsWrittenForOtherPrograms) {
  const char* const wanted = std::getenv("NORMBENCH_SYNTHETIC_TRACE");
  const std::string path =
      wanted != nullptr ? wanted : testing::TempDir() + "normbench_synthetic_gpu.json";
  std::ofstream out(path, std::ios::binary);
  write_chrome(synthetic_gpu_model(), out);
  ASSERT_TRUE(out.flush().good()) << path;
}

}  // namespace
}  // namespace normbench::synthetic_gpu_test
