/// Tests the memory pools of the fake CUDA runtime, which reuse freed memory, also for other
/// streams.
#include "cuda/cuda_fixture.h"

namespace normbench::gpu_day_pools_test {
namespace {

using ::testing::ElementsAre;

/// A pool, three streams, an event, and pinned memory that receives the pool's bytes.
class GpuDayPools : public CudaTest {
 protected:
  void SetUp() override {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &properties);
    for (cudaStream_t* stream : {&first, &second, &third})
      cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault);
  }
  void TearDown() override {
    cudaFreeHost(pinned);
    cudaEventDestroy(event);
    for (cudaStream_t stream : {first, second, third}) cudaStreamDestroy(stream);
    cudaMemPoolDestroy(pool);
    CudaTest::TearDown();
  }
  void* take(cudaStream_t stream, std::size_t size = bytes) {
    void* data = nullptr;
    cudaMallocFromPoolAsync(&data, size, pool, stream);
    return data;
  }
  /// Allocates and frees memory in the first stream. Both tasks still wait in the stream
  /// afterwards.
  void* free_in_first() {
    void* const data = take(first);
    cudaFreeAsync(data, first);
    return data;
  }

  static constexpr std::size_t bytes = 256;
  cudaMemPool_t pool = nullptr;
  cudaStream_t first = nullptr, second = nullptr, third = nullptr;
  cudaEvent_t event = nullptr;
  void* pinned = nullptr;
};

TEST_F(GpuDayPools, GiveAStreamWhatItFreed) {
  void* const freed = free_in_first();
  void* const smaller = take(first, bytes / 2);
  EXPECT_NE(smaller, freed);
  void* const again = take(first);
  EXPECT_EQ(again, freed);
  cudaFreeAsync(smaller, first);
  cudaFreeAsync(again, first);
}

TEST_F(GpuDayPools, GiveAnotherStreamWhatItComesAfterTheFreeOf) {
  void* const freed = free_in_first();
  cudaEventRecord(event, first);
  void* const early = take(third);
  EXPECT_NE(early, freed);
  cudaStreamWaitEvent(second, event, 0);
  cudaEventRecord(event, second);
  cudaStreamWaitEvent(third, event, 0);
  void* const late = take(third);  // third waits for second, which waits for first
  EXPECT_EQ(late, freed);
  cudaFreeAsync(early, third);
  cudaFreeAsync(late, third);
}

TEST_F(GpuDayPools, GiveAnyStreamWhatIsFreeByNow) {
  void* const freed = free_in_first();
  void* const early = take(second);
  EXPECT_NE(early, freed);
  cudaStreamSynchronize(first);
  void* const late = take(second);
  EXPECT_EQ(late, freed);
  cudaFreeAsync(early, second);
  cudaFreeAsync(late, second);
}

/// The second stream copies memory that the first stream frees, allocates again and overwrites. If
/// the first stream does not wait for the copy, the bytes are overwritten before they are copied.
TEST_F(GpuDayPools, AMissingWaitShowsInTheBytes) {
  for (const bool waits : {true, false}) {
    void* const data = take(first);
    cudaMemsetAsync(data, 7, bytes, first);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    cudaMemcpyAsync(pinned, data, bytes, cudaMemcpyDeviceToHost, second);
    if (waits) {
      cudaEventRecord(event, second);
      cudaStreamWaitEvent(first, event, 0);
    }
    cudaFreeAsync(data, first);
    void* const again = take(first);
    EXPECT_EQ(again, data);
    cudaMemsetAsync(again, 9, bytes, first);
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
    EXPECT_EQ(cuda.read(pinned, 1)[0], std::byte(waits ? 7 : 9));
    cudaFreeAsync(again, first);
  }
}

TEST_F(GpuDayPools, WhatIsGivenAgainHoldsNothingOfBefore) {
  void* const data = take(first);
  cudaMemsetAsync(data, 7, bytes, first);
  cudaFreeAsync(data, first);
  void* const again = take(first);
  cudaMemcpyAsync(pinned, again, bytes, cudaMemcpyDeviceToHost, first);
  cudaFreeAsync(again, first);
  cudaStreamSynchronize(first);
  EXPECT_EQ(cuda.read(pinned, 1)[0], FakeMemory::poison);
}

TEST_F(GpuDayPools, WhatIsFreedCannotBeCopied) {
  void* const data = free_in_first();
  cudaStreamSynchronize(first);
  cudaMemcpyAsync(pinned, data, bytes, cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  EXPECT_THAT(cuda.violations,
              ElementsAre("memory was released before its copy: 256 pool->pinned"));
  cuda.violations.clear();
}

}  // namespace
}  // namespace normbench::gpu_day_pools_test
