#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "backend/cuda/device.h"
#include "backend/cuda/runtime.h"
#include "cuda/cuda_fixture.h"

namespace normbench::cuda::describe_test {
namespace {

constexpr const char* kGpu = "0000:17:00.0";
constexpr const char* kLinkReadings =
    "nvmlDeviceGetCurrPcieLinkGeneration,nvmlDeviceGetCurrPcieLinkWidth,"
    "nvmlDeviceGetMaxPcieLinkGeneration,nvmlDeviceGetMaxPcieLinkWidth";

class DescribeTest : public CudaTest {
 protected:
  DescribeTest() {
    cudaDeviceProp& properties = CudaTest::cuda.properties;
    properties = {};
    std::strcpy(properties.name, "Fake GPU");
    for (int i = 0; i < 16; ++i) properties.uuid.bytes[i] = static_cast<char>(0xA0 + i);
    properties.major = 9;
    properties.minor = 0;
    properties.totalGlobalMem = std::size_t{80} << 30;
    properties.memoryBusWidth = 5120;
    properties.l2CacheSize = 50 << 20;
    properties.multiProcessorCount = 132;
    properties.asyncEngineCount = 3;
    properties.warpSize = 32;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiProcessor = 2048;
    properties.regsPerBlock = 65536;
    properties.regsPerMultiprocessor = 65537;
    properties.sharedMemPerBlock = 48 << 10;
    properties.sharedMemPerBlockOptin = 227 << 10;
    properties.sharedMemPerMultiprocessor = 228 << 10;
    properties.ECCEnabled = 1;
  }
  ~DescribeTest() override { unsetenv("FAKE_NVML_FAILS"); }

  auto copies() const {
    return std::ranges::count_if(CudaTest::cuda.log, [](const std::string& call) {
      return call.starts_with("cudaMemcpyAsync 33554432 ");
    });
  }
};

TEST_F(DescribeTest, EveryFact) {
  EXPECT_EQ(describe_device(0, Nvml(kGpu, FAKE_NVML), true),
            (Json{{"name", "Fake GPU"},
                  {"device", 0},
                  {"uuid", "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
                  {"pci_bus_id", kGpu},
                  {"compute_capability", "9.0"},
                  {"driver", "580.95.05"},
                  {"driver_cuda", "13.0"},
                  {"runtime_cuda", "13.0"},
                  {"memory_bytes", std::int64_t{80} << 30},
                  {"free_memory_bytes", std::int64_t{60} << 30},
                  {"memory_bus_bits", 5120},
                  {"l2_bytes", 50 << 20},
                  {"multiprocessors", 132},
                  {"launch",
                   {{"warp_size", 32},
                    {"threads_per_block", 1024},
                    {"threads_per_multiprocessor", 2048},
                    {"registers_per_block", 65536},
                    {"registers_per_multiprocessor", 65537},
                    {"shared_bytes_per_block", 48 << 10},
                    {"shared_bytes_per_block_opt_in", 227 << 10},
                    {"shared_bytes_per_multiprocessor", 228 << 10}}},
                  {"copy_engines", 3},
                  {"ecc", true},
                  {"max_sm_clock_mhz", 1980},
                  {"max_memory_clock_mhz", 2620},
                  {"power_limit_w", 700.0},
                  {"persistence_mode", true},
                  {"pcie",
                   {{"generation", 4},
                    {"width", 8},
                    {"max_generation", 5},
                    {"max_width", 16},
                    {"measured", "under load"}}},
                  {"nvml", "available"}}));
  EXPECT_EQ(copies(), 80);  // every try is made, as the link stays below its maximum
}

TEST_F(DescribeTest, AnInstanceOfADividedGpuHasAUuidOfItsOwnKind) {
  std::strcpy(CudaTest::cuda.properties.name, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
  EXPECT_EQ(describe_device(0, Nvml(kGpu, FAKE_NVML), false).at("uuid"),
            "MIG-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
}

TEST_F(DescribeTest, ALinkAtItsMaximumIsReadOnce) {
  setenv("FAKE_NVML_FAILS", kLinkReadings, 1);
  describe_device(0, Nvml(kGpu, FAKE_NVML), true);
  EXPECT_EQ(copies(), 8);
}

TEST_F(DescribeTest, WithoutNvmlNothingIsCopied) {
  const Json facts = describe_device(0, Nvml(kGpu, "libc.so.6"), true);
  EXPECT_EQ(facts.at("pcie"), (Json{{"generation", nullptr},
                                    {"width", nullptr},
                                    {"max_generation", nullptr},
                                    {"max_width", nullptr},
                                    {"measured", nullptr}}));
  EXPECT_EQ(facts.at("driver"), nullptr);
  EXPECT_EQ(facts.at("driver_cuda"), "13.0");
  EXPECT_THAT(facts.at("nvml").get<std::string>(), ::testing::StartsWith("NVML not usable ("));
  EXPECT_EQ(copies(), 0);
}

TEST_F(DescribeTest, ADeviceThatIsNotReadyIsAskedForNothingThatNeedsAContext) {
  const Nvml nvml(kGpu, FAKE_NVML);
  Json expected = describe_device(0, nvml, true);
  CudaTest::cuda.made_context.clear();
  expected["free_memory_bytes"] = std::int64_t{70} << 30;
  expected["pcie"]["measured"] = "idle";
  EXPECT_EQ(describe_device(0, nvml, false), expected);
  CudaTest::cuda.properties.totalGlobalMem = std::size_t{10} << 30;  // below NVML's free memory
  EXPECT_EQ(describe_device(0, nvml, false).at("free_memory_bytes"), std::int64_t{10} << 30);
  EXPECT_EQ(describe_device(0, Nvml(kGpu, "libc.so.6"), false).at("free_memory_bytes"),
            std::int64_t{10} << 30);
  EXPECT_EQ(CudaTest::cuda.made_context, "");
}

TEST_F(DescribeTest, WithoutMemoryForCopiesTheLinkIsReadIdle) {
  CudaTest::cuda.failures = {{.function = "cudaMalloc", .code = cudaErrorMemoryAllocation}};
  const Json facts = describe_device(0, Nvml(kGpu, FAKE_NVML), true);
  EXPECT_EQ(facts.at("/pcie/measured"_json_pointer), "idle");
  EXPECT_EQ(facts.at("/pcie/generation"_json_pointer), 4);
  EXPECT_EQ(copies(), 0);
  EXPECT_EQ(CudaTest::cuda.last_error, cudaSuccess);
}

TEST_F(DescribeTest, OtherFailuresAreNotHidden) {
  CudaTest::cuda.failures = {{.function = "cudaMemcpyAsync", .code = cudaErrorLaunchFailure}};
  EXPECT_THROW(describe_device(0, Nvml(kGpu, FAKE_NVML), true), CudaError);
  CudaTest::cuda.failures = {{.function = "cudaGetDeviceProperties", .code = cudaErrorUnknown}};
  EXPECT_THROW(describe_device(0, Nvml(kGpu, FAKE_NVML), true), CudaError);
}

}  // namespace
}  // namespace normbench::cuda::describe_test
