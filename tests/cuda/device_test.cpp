#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cuda/cuda_fixture.h"

namespace normbench::device_test {
namespace {

using ::testing::ElementsAre;

class DeviceTest : public CudaTest {
 protected:
  /// Returns why the backend is unavailable on a CUDA 11.4 driver whose cuInit returns `answer`.
  std::optional<std::string> unavailable_on_old_driver(cudaError_t answer) {
    cuda.failures = {{.function = "cudaGetDeviceCount", .code = cudaErrorInsufficientDriver}};
    cuda.driver_version = 11040;
    EXPECT_NE(dlopen(FAKE_LIBCUDA, RTLD_NOW), nullptr);  // the backend finds it by name
    setenv("FAKE_CUINIT", std::to_string(static_cast<int>(answer)).c_str(), 1);
    const auto why = make_cuda_backend({})->unavailable();
    unsetenv("FAKE_CUINIT");
    return why;
  }
};

TEST_F(DeviceTest, OneDeviceIsMadeReady) {
  const auto backend = make_cuda_backend({});
  EXPECT_EQ(backend->unavailable(), std::nullopt);
  EXPECT_EQ(backend->cache_bytes(), 64 << 10);
  EXPECT_THAT(cuda.log, ElementsAre("cudaGetDeviceCount", "cudaDeviceGetAttribute 38 device 0",
                                    "cudaDeviceGetPCIBusId device 0"));
  const auto readied = [&] { EXPECT_EQ(backend->ready(), std::nullopt); };
  EXPECT_THAT(calls_of(readied), ElementsAre("cudaSetDevice device 0", "cudaFuncGetAttributes"));
  EXPECT_THAT(calls_of(readied), ::testing::IsEmpty());
  EXPECT_THAT(calls_of([&] { backend->enter_thread(); }), ElementsAre("cudaSetDevice device 0"));
}

TEST_F(DeviceTest, WhatDescribesADeviceMakesNoContext) {
  const auto backend = make_cuda_backend({});
  EXPECT_EQ(backend->unavailable(), std::nullopt);
  EXPECT_EQ(backend->cache_bytes(), 64 << 10);
  EXPECT_EQ(backend->describe().at("name"), "Fake GPU");
  backend->condition();
  backend->state();
  backend->link_node();
  backend->enter_thread();
  EXPECT_EQ(cuda.made_context, "");
}

TEST_F(DeviceTest, TheChosenDeviceIsTheOneUsed) {
  cuda.devices = 3;
  const auto backend = make_cuda_backend({.device = 2});
  backend->ready();
  EXPECT_THAT(cuda.log, ::testing::Contains("cudaSetDevice device 2"));
  const auto queue = backend->make_queue(1, nullptr);
  const auto memory = backend->allocate_fresh(OutputPolicy::Fresh, Memory::Device, 64, *queue);
  EXPECT_THAT(cuda.log, ::testing::Contains("cudaMemPoolCreate device 2"));
}

TEST_F(DeviceTest, ADeviceThatIsNotThereIsAMistake) {
  cuda.devices = 2;
  EXPECT_EQ(error_of([] { make_cuda_backend({.device = 2}); }),
            "no CUDA device 2 (this machine has 2: 0, 1; choose with --device)");
  EXPECT_EQ(error_of([] { make_cuda_backend({.device = -1}); }),
            "no CUDA device -1 (this machine has 2: 0, 1; choose with --device)");
}

TEST_F(DeviceTest, WithoutADeviceThereAreRowsButNoWork) {
  cuda.devices = 0;
  const auto backend = make_cuda_backend({});
  const std::string why = "no CUDA device (cudaErrorNoDevice: no CUDA-capable device is detected)";
  EXPECT_EQ(backend->unavailable(), why);
  EXPECT_FALSE(backend->kernels().empty());
  EXPECT_EQ(error_of([&] { backend->make_queue(1, nullptr); }), why);
  EXPECT_EQ(error_of([&] { backend->allocate(Memory::Pinned, 64); }), why);
  EXPECT_EQ(backend->describe(), Json());
  EXPECT_EQ(backend->condition(), Json());
  EXPECT_THAT(cuda.log, ElementsAre("cudaGetDeviceCount"));
}

TEST_F(DeviceTest, WithoutADriverThatIsTheReason) {
  cuda.failures = {{.function = "cudaGetDeviceCount", .code = cudaErrorInsufficientDriver}};
  cuda.driver_version = 0;
  EXPECT_EQ(make_cuda_backend({})->unavailable(), "no NVIDIA driver");
}

TEST_F(DeviceTest, OfADriverThatIsTooOldItSaysWhichOneIsNeeded) {
  EXPECT_EQ(unavailable_on_old_driver(cudaSuccess),
            fmt::format("the NVIDIA driver is too old, it supports CUDA 11.4: install driver {} or "
                        "newer (this build is for CUDA {}.{})",
                        CUDART_VERSION >= 13000 ? 580 : 525, CUDART_VERSION / 1000,
                        CUDART_VERSION % 1000 / 10));
}

TEST_F(DeviceTest, WithoutADeviceAnOldDriverIsNotTheReason) {
  EXPECT_EQ(unavailable_on_old_driver(cudaErrorNoDevice),
            "no CUDA device (cudaErrorNoDevice: no CUDA-capable device is detected)");
}

/// A reason why a device cannot be used: the call that fails, its error, and the text for the user.
struct Reason {
  friend void PrintTo(const Reason& reason, std::ostream* out) { *out << reason.text; }

  std::string function;
  cudaError_t code;
  std::string text;
};

class UselessDevice : public CudaTest, public ::testing::WithParamInterface<Reason> {};

TEST_P(UselessDevice, SaysWhy) {
  const auto& [function, code, text] = GetParam();
  cuda.failures = {{.function = function, .code = code}};
  const auto backend = make_cuda_backend({});
  EXPECT_EQ(backend->ready(), text);
  EXPECT_EQ(backend->unavailable(), text);
  EXPECT_EQ(error_of([&] { backend->make_queue(1, nullptr); }), text);
}

INSTANTIATE_TEST_SUITE_P(
    All, UselessDevice,
    ::testing::Values(
        Reason{"cudaGetDeviceCount", cudaErrorInitializationError,
               "no CUDA device (cudaErrorInitializationError: initialization error)"},
        Reason{"cudaSetDevice", cudaErrorDevicesUnavailable,
               "CUDA device 0 cannot be used: cudaSetDevice(0) failed: cudaErrorDevicesUnavailable "
               "(CUDA-capable device(s) is/are busy or unavailable); another process may hold the "
               "GPU for itself (nvidia-smi -q -d COMPUTE shows the mode)"},
        Reason{"cudaFuncGetAttributes", cudaErrorNoKernelImageForDevice,
               "CUDA device 0 cannot be used: loading a kernel failed: "
               "cudaErrorNoKernelImageForDevice (no kernel image is available for execution on the "
               "device); this build has kernels for sm_90: build it on the machine with the GPU "
               "(scripts/build "
               "finds it), or use the package"}),
    [](const auto& info) { return info.param.function; });

TEST_F(DeviceTest, AProfilerIsToldWhenToRecord) {
  const auto backend = make_cuda_backend({});
  backend->ready();
  EXPECT_THAT(calls_of([&] {
                backend->start_capture();
                backend->stop_capture();
              }),
              ElementsAre("cudaProfilerStart", "cudaProfilerStop"));
  cuda.failures = {{.function = "cudaProfilerStart", .code = cudaErrorNotSupported}};
  EXPECT_EQ(
      error_of([&] { backend->start_capture(); }),
      "cudaProfilerStart failed: cudaErrorNotSupported (operation not supported); this GPU or "
      "its driver does not support it (see `normbench info`)");
}

TEST_F(DeviceTest, WithoutADeviceNoProfilerIsTold) {
  cuda.devices = 0;
  const auto backend = make_cuda_backend({});
  EXPECT_THAT(calls_of([&] {
                backend->start_capture();
                backend->stop_capture();
              }),
              ::testing::IsEmpty());
}

TEST_F(DeviceTest, TheNumberOfTheDeviceIsTheChosenOne) {
  cuda.devices = 3;
  EXPECT_EQ(make_cuda_backend({.device = 2})->device(), 2);
  EXPECT_EQ(make_cuda_backend({})->device(), 0);
}

TEST_F(DeviceTest, FactsAreThoseOfTheDevice) {
  const auto backend = make_cuda_backend({});
  const Json facts = backend->describe();
  EXPECT_EQ(facts.at("name"), "Fake GPU");
  EXPECT_EQ(facts.at("compute_capability"), "9.0");
  EXPECT_EQ(facts.at("pci_bus_id"), "0000:17:00.0");
  EXPECT_EQ(facts.at("memory_bytes"), 1 << 30);
  EXPECT_EQ(facts.at("l2_bytes"), 64 << 10);
  EXPECT_EQ(facts.at("multiprocessors"), 132);
}

}  // namespace
}  // namespace normbench::device_test
