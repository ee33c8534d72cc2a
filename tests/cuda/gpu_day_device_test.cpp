/// Tests a machine with several GPUs, where the chosen GPU is not the first one.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/cuda/device.h"
#include "backend/cuda/memory.h"
#include "cuda/cuda_fixture.h"

namespace normbench::gpu_day_device_test {
namespace {

namespace fs = std::filesystem;

class GpuDayDevice : public CudaTest {
 protected:
  GpuDayDevice() { cuda.devices = 2; }
  ~GpuDayDevice() override { fs::remove_all(root); }

  void write(const std::string& below, const std::string& text) const {
    fs::create_directories((root / below).parent_path());
    std::ofstream(root / below) << text << "\n";
  }

  const fs::path root = fs::path(testing::TempDir()) / ("gpu_day_" + std::to_string(getpid()));
};

TEST_F(GpuDayDevice, TheRuntimeWritesBusIdsInUpperCase) {
  char id[32];
  cudaDeviceGetPCIBusId(id, sizeof(id), 1);
  EXPECT_STREQ(id, "0000:1B:00.0");
}

TEST_F(GpuDayDevice, ItsNodeIsFoundUnderTheLowerCaseOfSysfs) {
  write("sys/bus/pci/devices/0000:17:00.0/numa_node", "0");
  write("sys/bus/pci/devices/0000:1b:00.0/numa_node", "1");
  write("sys/devices/system/node/has_memory", "0-1");
  EXPECT_EQ(cuda::place_host_memory(cuda::pci_bus_id(1), root, [](int) { return std::string(); }),
            (Json{{"numa_node", 1}, {"host_memory", "near the GPU (node 1)"}}));
}

TEST_F(GpuDayDevice, FactsAreThoseOfTheChosenOne) {
  const auto backend = make_cuda_backend({.device = 1});
  backend->ready();
  const Json facts = backend->describe();
  EXPECT_EQ(facts.at("device"), 1);
  EXPECT_EQ(facts.at("name"), "Fake GPU 1");
  EXPECT_EQ(facts.at("pci_bus_id"), "0000:1b:00.0");
  EXPECT_EQ(facts.at("memory_bytes"), std::int64_t{2} << 30);
  EXPECT_EQ(facts.at("free_memory_bytes"), std::int64_t{30} << 30);
  EXPECT_NE(facts.at("uuid"), make_cuda_backend({.device = 0})->describe().at("uuid"));
}

TEST_F(GpuDayDevice, WhatBelongsToAnotherDeviceIsNotTaken) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaSetDevice(1);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaSetDevice(0);
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace normbench::gpu_day_device_test
