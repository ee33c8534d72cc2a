#include <fmt/format.h>
#include <gmock/gmock.h>

#include "example_results.h"
#include "report/info_text.h"

namespace normbench::machine_limits_text_test {
namespace {

/// Returns a limit (a case that measures the machine). It streams as many bytes as a case that
/// reads and writes float32. All its rounds take `ms`.
CaseResult stream(const std::string& name, const std::string& kernel, std::int64_t threads,
                  double ms) {
  CaseResult result = examples::make_limit(
      fmt::format("{} [threads={}, kernel={}]", name, threads, kernel), ms, DType::Float32);
  result.written = name;
  result.axes = {{"threads", threads}, {"kernel", kernel}};
  result.threads = static_cast<int>(threads);
  result.stages[0].kernel = kernel;
  for (Round& round : result.rounds) round.wall_ns = static_cast<std::int64_t>(ms * 1e6);
  return result;
}

CaseResult without_axes(CaseResult result, const std::string& name) {
  result.variant = name;
  result.written.clear();
  result.axes = Json::object();
  return result;
}

Results results_of(std::vector<CaseResult> cases) {
  GroupResult group;
  group.experiment = "memory";
  group.cases = std::move(cases);
  return examples::make_results("limits", {group});
}

TEST(MachineLimits, TakeTheFastestKernelForEachNumberOfThreads) {
  const auto limits =
      machine_limits(results_of({stream("1:1", "temporal", 1, 4), stream("1:1", "nt", 1, 3),
                                 stream("1:1", "temporal", 2, 2), stream("1:1", "nt", 2, 2.5)}));
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].kernel, "nt");
  EXPECT_EQ(limits[0].threads, 1);
  EXPECT_EQ(limits[1].kernel, "temporal");
  EXPECT_EQ(limits[1].threads, 2);
  const std::int64_t bytes = 2 * 4 * examples::shape.elements();
  EXPECT_EQ(to_json(limits[0]),
            (Json{{"kind", "memory"},
                  {"name", "1:1"},
                  {"place", "cpu"},
                  {"threads", 1},
                  {"kernel", "nt"},
                  {"ns", 3e6},
                  {"low_ns", 3e6},
                  {"high_ns", 3e6},
                  {"bytes", bytes},
                  {"bytes_per_second", static_cast<double>(bytes) * 1e9 / 3e6}}));
}

TEST(MachineLimits, KeepOtherAxesInTheName) {
  CaseResult result = stream("to the GPU", "async", 1, 1);
  result.axes = {{"memory", "pinned"}};
  EXPECT_EQ(to_json(machine_limits(results_of({result}))[0])["name"], "to the GPU, pinned");
}

TEST(MachineLimits, OfFirstTouchesAreByFault) {
  CaseResult touch = without_axes(stream("", "touch", 1, 2), "first touch");
  touch.stages[0].op = "first_touch";
  for (Round& round : touch.rounds) round.counters.minor_faults = 1'000 * touch.iterations;
  const Json json = to_json(machine_limits(results_of({touch}))[0]);
  EXPECT_EQ(json["faults"], 1'000.0);
  EXPECT_EQ(json["ns_per_fault"], 2'000.0);
  EXPECT_FALSE(json.contains("bytes"));
}

TEST(MachineLimits, OfWorkWithoutBytesAreTimes) {
  CaseResult launch = without_axes(stream("", "empty", 1, 0.002), "launch");
  launch.stages[0].bytes = 0;
  const Json json = to_json(machine_limits(results_of({launch}))[0]);
  EXPECT_EQ(json["ns"], 2'000.0);
  EXPECT_FALSE(json.contains("bytes"));
  EXPECT_FALSE(json.contains("ns_per_fault"));
}

TEST(MachineLimits, ThatCouldNotBeMeasuredSayWhy) {
  CaseResult skipped = without_axes(stream("", "async", 1, 1), "to the GPU");
  skipped.status = Status::Skipped;
  skipped.reason = "no CUDA device";
  skipped.rounds.clear();
  EXPECT_EQ(to_json(machine_limits(results_of({skipped}))[0]),
            (Json{{"kind", "memory"},
                  {"name", "to the GPU"},
                  {"place", "cpu"},
                  {"threads", 1},
                  {"missing", "no CUDA device"}}));
}

}  // namespace
}  // namespace normbench::machine_limits_text_test
