#include <cuda_runtime_api.h>

#include <array>

#include "cuda/cuda_fixture.h"

namespace normbench::fake_cudart_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Checks that the fake CUDA runtime delays and orders work like a real one, and that it notices
/// mistakes in its use. Other tests rely on both.
class FakeCudartTest : public CudaTest {
 protected:
  void SetUp() override {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&device, 4);
    cudaHostAlloc(&pinned, 4, cudaHostAllocDefault);
    set_pinned(1);
  }
  void TearDown() override {
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(pinned);
    CudaTest::TearDown();
  }
  void set_pinned(int value) { cuda.write(pinned, Bytes(4, std::byte(value))); }
  cudaError_t send(const void* from) {
    return cudaMemcpyAsync(device, from, 4, cudaMemcpyHostToDevice, stream);
  }
  std::byte sent() { return cuda.read(device, 1)[0]; }

  cudaStream_t stream = nullptr;
  void* device = nullptr;
  void* pinned = nullptr;
};

TEST_F(FakeCudartTest, HostCodeCannotTouchDeviceMemory) {
  EXPECT_DEATH(*static_cast<volatile char*>(device) = 1, "");
}

TEST_F(FakeCudartTest, CopiesOfPageLockedMemoryReadItWhenTheyRun) {
  send(pinned);
  EXPECT_EQ(sent(), FakeMemory::poison);
  set_pinned(2);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), std::byte{2});
}

TEST_F(FakeCudartTest, CopiesOfPageableMemoryReadItAtOnceButArriveLater) {
  std::array<char, 4> pageable{3, 3, 3, 3};
  send(pageable.data());
  pageable.fill(4);
  EXPECT_EQ(sent(), FakeMemory::poison);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), std::byte{3});
}

TEST_F(FakeCudartTest, BlockingCopiesDoNotWaitForStreams) {
  send(pinned);
  std::array<char, 4> pageable{};
  cudaMemcpy(pageable.data(), device, 4, cudaMemcpyDeviceToHost);
  EXPECT_EQ(std::byte(pageable[0]), FakeMemory::poison);
}

TEST_F(FakeCudartTest, AnEventIsReachedWithWhatIsBeforeItOnly) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  send(pinned);
  cudaEventRecord(event, stream);
  cudaMemsetAsync(device, 9, 4, stream);
  cudaEventSynchronize(event);
  EXPECT_EQ(sent(), std::byte{1});
  cudaEventDestroy(event);
}

TEST_F(FakeCudartTest, AStreamThatWaitsForAnEventRunsAfterIt) {
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  send(pinned);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event, 0);
  cudaMemsetAsync(device, 9, 4, other);
  cudaStreamSynchronize(other);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), std::byte{9});
  cudaStreamDestroy(other);
  cudaEventDestroy(event);
}

TEST_F(FakeCudartTest, EventsReadTheDevicesClock) {
  cudaEvent_t start = nullptr, end = nullptr;
  cudaEventCreateWithFlags(&start, cudaEventDefault);
  cudaEventCreateWithFlags(&end, cudaEventDefault);
  cudaEventRecord(start, stream);
  send(pinned);
  cudaMemsetAsync(device, 9, 4, stream);
  cudaEventRecord(end, stream);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorNotReady);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT_FLOAT_EQ(ms, 0.0085f);  // copy 7 us, fill 1 us, second record 0.5 us
  cudaEventDestroy(start);
  cudaEventDestroy(end);
}

TEST_F(FakeCudartTest, WhatIsCapturedRunsWhenTheGraphIsLaunched) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  send(pinned);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  cudaGraphDestroy(graph);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), FakeMemory::poison);
  cudaGraphLaunch(exec, stream);
  set_pinned(5);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), std::byte{5});
  cudaGraphExecDestroy(exec);
}

TEST_F(FakeCudartTest, WhatCannotBeCapturedSpoilsTheCapture) {
  const std::array<char, 4> pageable{};
  cudaGraph_t graph = nullptr;
  void* more = nullptr;
  const auto spoil = [&](auto call) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    const cudaError_t error = call();
    EXPECT_EQ(send(pinned), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(send(pinned), cudaSuccess);
    return error;
  };
  EXPECT_EQ(spoil([&] { return cudaStreamSynchronize(stream); }),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(spoil([&] { return send(pageable.data()); }), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(spoil([&] { return cudaMalloc(&more, 4); }), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(spoil([&] { return cudaFree(device); }), cudaErrorStreamCaptureUnsupported);
}

TEST_F(FakeCudartTest, WhatIsNotReleasedOrTwiceIsNoticed) {
  void* more = nullptr;
  cudaMalloc(&more, 16);
  EXPECT_THAT(cuda.live(), UnorderedElementsAre("stream 1", "device 4", "pinned 4", "device 16"));
  EXPECT_EQ(cudaFree(more), cudaSuccess);
  EXPECT_EQ(cudaFree(more), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cuda.violations.size(), 2u);
  cuda.violations.clear();
}

TEST_F(FakeCudartTest, WritesBehindAnAllocationAreNoticed) {
  void* more = nullptr;
  cudaMalloc(&more, 16);
  cuda.write(static_cast<std::byte*>(more) + 16, Bytes{std::byte{1}});
  cudaFree(more);
  EXPECT_THAT(cuda.violations, ElementsAre("something wrote behind device 16"));
  cuda.violations.clear();
}

TEST_F(FakeCudartTest, CopiesOfWhatIsPageLockedNoLongerAreNoticed) {
  std::array<char, 4> host{};
  cudaHostRegister(host.data(), 4, cudaHostRegisterDefault);
  send(host.data());
  cudaHostUnregister(host.data());
  cudaStreamSynchronize(stream);
  EXPECT_THAT(cuda.violations,
              ElementsAre("memory was released before its copy: 4 registered->device"));
  cuda.violations.clear();
}

TEST_F(FakeCudartTest, OnlyFreeingDeviceMemoryWaits) {
  void* more = nullptr;
  void* host = nullptr;
  cudaMalloc(&more, 4);
  cudaHostAlloc(&host, 4, cudaHostAllocDefault);
  send(pinned);
  cudaFreeHost(host);
  EXPECT_EQ(sent(), FakeMemory::poison);
  cudaFree(more);
  EXPECT_EQ(sent(), std::byte{1});
}

TEST_F(FakeCudartTest, MemoryOfAPoolIsThereInTheOrderOfItsStream) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  cudaMemPoolCreate(&pool, &properties);
  void* data = nullptr;
  cudaMallocFromPoolAsync(&data, 4, pool, stream);
  EXPECT_DEATH(cuda.read(data, 4), "");
  cudaMemsetAsync(data, 7, 4, stream);
  cudaMemcpyAsync(device, data, 4, cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(data, stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(sent(), std::byte{7});
  cudaMemPoolDestroy(pool);
}

/// cudaEventQuery() does the work before the event, but its first call still answers that the event
/// is not ready. In the same way, a real device continues to work between two queries.
TEST_F(FakeCudartTest, AnEventThatIsAskedForIsReachedByTheNextQuestion) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  cudaEventRecord(event, stream);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  cudaEventDestroy(event);
}

TEST_F(FakeCudartTest, TheHostThatSleepsInAWaitWakesLate) {
  cuda.wake_ns = 30'000;
  for (const unsigned flags : {cudaEventDefault, cudaEventBlockingSync}) {
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, flags);
    cudaEventRecord(event, stream);
    const std::int64_t before_ns = cuda.streams.device_ns;
    cudaEventSynchronize(event);
    EXPECT_EQ(cuda.streams.device_ns - before_ns,
              cuda.event_ns + (flags == cudaEventBlockingSync ? 30'000 : 0));
    cudaEventDestroy(event);
  }
}

TEST_F(FakeCudartTest, TheCallThatATestNamesFails) {
  cuda.failures = {{.function = "cudaEventQuery", .code = cudaErrorUnknown, .nth = 2}};
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorUnknown);
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  cudaEventDestroy(event);
}

}  // namespace
}  // namespace normbench::fake_cudart_test
