/// Tests page-locking of host memory. The runtime locks whole pages.
#include <array>

#include "cuda/cuda_fixture.h"

namespace normbench::gpu_day_pages_test {
namespace {

class GpuDayPages : public CudaTest {
 protected:
  static constexpr std::size_t page = 4096;

  static cudaError_t lock(std::byte* data, std::size_t bytes) {
    return cudaHostRegister(data, bytes, cudaHostRegisterDefault);
  }

  alignas(page) std::array<std::byte, 4 * page> host{};
};

TEST_F(GpuDayPages, AreLockedWhole) {
  EXPECT_EQ(lock(host.data() + 100, 100), cudaSuccess);
  EXPECT_EQ(lock(host.data() + 300, 100), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(lock(host.data() + page - 1, 2), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(lock(host.data() + page, page + 1), cudaSuccess);
  EXPECT_EQ(lock(host.data() + 3 * page - 1, 1), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(host.data() + 300), cudaErrorHostMemoryNotRegistered);
  cuda.violations.clear();
  EXPECT_EQ(cudaHostUnregister(host.data() + 100), cudaSuccess);
  EXPECT_EQ(lock(host.data() + 300, 100), cudaSuccess);
  cudaHostUnregister(host.data() + 300);
  cudaHostUnregister(host.data() + page);
}

}  // namespace
}  // namespace normbench::gpu_day_pages_test
