#include "ops/compute.h"

#include <gmock/gmock.h>
#include <time.h>

#include <algorithm>

#include "backend/backend.h"

namespace normbench::compute_row_test {
namespace {

/// Returns the CPU time of this thread in ms. Other threads do not change it.
double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Returns the smallest CPU time of 20 runs of the Compute row (the CPU kernel of the op Compute),
/// in ms.
double least_ms(const Compute& op, std::int64_t images, int threads) {
  const auto cpu = make_cpu_backend();
  const auto row = std::ranges::find(cpu->kernels(), Compute::name, &Kernel::op);
  const TensorDesc desc = dense(DType::UInt8, Layout::Nhwc, {images, 3, 1, 1}, Memory::Pageable);
  const Launch launch = row->prepare(op, {.in = {desc}, .out = {desc}});
  const auto queue = cpu->make_queue(threads, nullptr);
  double least = 1e9;
  for (int i = 0; i < 20; ++i) {
    const double start = thread_ms();
    launch(*queue, {}, {}, {});
    least = std::min(least, thread_ms() - start);
  }
  return least;
}

TEST(ComputeRow, TakesItsTimeOnOneCore) {
  // The Compute row runs a fixed number of steps, so its time depends on the clock rate of the
  // core. The bounds are wide because clock rates vary.
  for (const int threads : {1, 2}) {
    EXPECT_GT(least_ms({.ms = 1}, 4, threads), 0.6);
    EXPECT_LT(least_ms({.ms = 1}, 4, threads), 1.6);
  }
}

TEST(ComputeRow, WorkGrowsWithTheTime) {
  const double one = least_ms({.ms_per_image = 0.25}, 1, 1);
  EXPECT_NEAR(least_ms({.ms_per_image = 0.25}, 8, 1) / one, 8, 3);
}

}  // namespace
}  // namespace normbench::compute_row_test
