#include <filesystem>

#include "core/json.h"
#include "cuda/cuda_measure.h"
#include "source_dir.h"

namespace normbench::configs_test {
namespace {

using ::testing::StartsWith;

/// Divides each extent by 40: [720, 1280] becomes [18, 32].
Json tiny_size(const Json& size) {
  if (size.is_number()) return std::max<std::int64_t>(size.get<std::int64_t>() / 40, 1);
  Json tiny = Json::array();
  for (const Json& extent : size) tiny.push_back(tiny_size(extent));
  return tiny;
}

Json tiny_batch(const Json& batch) {
  if (batch.is_number()) return 2;
  return batch.is_array() && batch.size() > 1 ? Json{1, 2} : batch;
}

/// Replaces a list of thread counts, or "all", by one thread. A single number stays. Several
/// threads would make tests slow while other tests run, because the threads wait for each other.
Json one_thread(const Json& threads) {
  if (threads.is_array()) return Json{1};
  return threads == "all" ? Json(1) : threads;
}

/// Returns the config with small images, small batches and one thread. Published figures are left
/// out, because they name sizes that the result does not have.
Json tiny(const Json& config) {
  if (!config.is_structured()) return config;
  Json made = config.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : config.items()) {
    if (config.is_array())
      made.push_back(tiny(value));
    else if (key == "size" && value.is_array())
      made[key] = tiny_size(value);
    else if (key != "published")
      made[key] = key == "batch"     ? tiny_batch(value)
                  : key == "threads" ? one_thread(value)
                                     : tiny(value);
  }
  return made;
}

/// Runs whole configs of the repository on the fake CUDA runtime.
class TinyRunTest : public CudaMeasureTest {
 protected:
  Plan tiny_plan(const std::string& name) {
    std::vector<Issue> issues;
    const std::string file = source_dir() + "/configs/" + name + ".json";
    Json config = tiny(parse_json(read_text(file), issues));
    config["measure"]["max_seconds_per_group"] = 0.1;
    return plan_of(config.dump());
  }
};

class ConfigsTest : public TinyRunTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ConfigsTest, MakesTheRightPixels) {
  const Results results = run_plan(tiny_plan(GetParam()));
  EXPECT_EQ(cuda.late_loads, 0);
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      SCOPED_TRACE(group.experiment + ", " + result.variant);
      if (!result.peer.empty()) continue;  // peers are not started here
      EXPECT_EQ(name_of(result.status), "ok") << result.reason;
      EXPECT_TRUE(result.check.ok);
      EXPECT_GE(result.rounds.size(), 12u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigsTest,
                         ::testing::Values("blog-gpu", "cpu-vs-gpu", "quickstart", "memory-kinds",
                                           "constants", "gpu-check", "gpu-dram", "launch",
                                           "layouts", "slides-transfer"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(TinyRunTest, AWrongKernelFailsItsCases) {
  const Plan plan = tiny_plan("blog-gpu");
  cuda.runs = [](std::int64_t thread) { return thread != 3; };
  const Results results = run_plan(plan);
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      SCOPED_TRACE(group.experiment + ", " + result.variant);
      EXPECT_EQ(name_of(result.status), "failed");
      EXPECT_THAT(result.reason, StartsWith("wrong output: "));
      EXPECT_TRUE(result.rounds.empty());
    }
}

TEST_F(TinyRunTest, ABrokenDeviceFailsCasesAndNotTheRun) {
  const Plan plan = tiny_plan("blog-gpu");
  int launches = 0;
  cuda.runs = [&](std::int64_t thread) {
    if (thread == 0 && ++launches == 40) throw std::runtime_error("a misaligned store");
    return true;
  };
  const Results results = run_plan(plan);
  EXPECT_EQ(results.groups.size(), plan.groups.size());
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      SCOPED_TRACE(group.experiment + ", " + result.variant);
      EXPECT_EQ(name_of(result.status), "failed");
      EXPECT_THAT(result.reason, ::testing::HasSubstr("cudaErrorMisalignedAddress"));
    }
  cuda.violations.clear();
}

TEST_F(TinyRunTest, ACaseThatTheDeviceHasNoMemoryForFailsAlone) {
  const Plan plan = tiny_plan("blog-gpu");
  cuda.failures = {{.function = "cudaMallocFromPoolAsync",
                    .code = cudaErrorMemoryAllocation,
                    .nth = 1,
                    .always = true}};
  const Results results = run_plan(plan);
  for (const CaseResult& result : results.groups[0].cases) {
    SCOPED_TRACE(result.variant);
    const bool pooled = result.variant == "A4 float32: sub, div";
    EXPECT_EQ(name_of(result.status), pooled ? "failed" : "ok") << result.reason;
    EXPECT_THAT(
        result.reason,
        StartsWith(pooled ? "cudaMallocFromPoolAsync(13.8 kB) failed: cudaErrorMemory" : ""));
  }
}

}  // namespace
}  // namespace normbench::configs_test
