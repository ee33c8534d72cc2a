/// Tests plans that do not use the GPU, on a machine that has a GPU.
#include "cuda/cuda_measure.h"

namespace normbench::cpu_only_test {
namespace {

class CpuOnly : public CudaMeasureTest {
 protected:
  Results run_variant(const std::string& variant) {
    return run_plan(plan_of(R"({"schema": 1, "name": "test",
      "measure": {"cache": "cold", "max_seconds_per_group": 0.001},
      "experiments": [{"name": "e", "question": "?", "source": {"batch": 1, "size": [4, 8]},
                       "variants": {"v": )" +
                            variant + "}}]}"));
  }
};

TEST_F(CpuOnly, MakesNoContext) {
  for (const char* variant :
       {R"([{"op": "cast", "to": "float32"}, {"op": "sub", "mean": [1, 2, 3]}])",
        R"({"stages": [{"op": "cast", "to": "float32"},
                       {"op": "sub", "mean": [1, 2, 3], "lane": "second"}],
            "in_flight": 2, "items": 4})"}) {
    const Results results = run_variant(variant);
    EXPECT_EQ(results.groups[0].cases[0].status, Status::Ok);
    EXPECT_EQ(cuda.made_context, "");
  }
}

TEST_F(CpuOnly, AVariantOnTheGpuMakesOne) {
  const Results results = run_variant(R"(["h2d", {"op": "cast", "to": "float32"}])");
  EXPECT_EQ(results.groups[0].cases[0].status, Status::Ok);
  EXPECT_EQ(cuda.made_context, "cudaSetDevice");
}

/// If another process holds the GPU exclusively, variants that need the GPU are skipped.
TEST_F(CpuOnly, AGpuThatCannotBeUsedIsSeenByItsVariants) {
  cuda.failures = {{"cudaSetDevice", cudaErrorDevicesUnavailable, 1, true}};
  EXPECT_EQ(run_variant(R"([{"op": "cast", "to": "float32"}])").groups[0].cases[0].status,
            Status::Ok);
  const CaseResult result = run_variant(R"(["h2d"])").groups[0].cases[0];
  EXPECT_EQ(result.status, Status::Skipped);
  EXPECT_THAT(result.reason, testing::HasSubstr("CUDA device 0 cannot be used: cudaSetDevice(0)"));
}

}  // namespace
}  // namespace normbench::cpu_only_test
