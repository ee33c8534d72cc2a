/// Interprets the PTX of the group norm kernels. Checks for races and missing barriers, and
/// compares the results bit by bit with those of the same kernels compiled for the host.
#include "cuda/group_norm_trial.h"
#include "ptx/launches.h"

namespace normbench::ptx::group_norm_test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class GpuDayPtxGroupNorm : public CudaTest {
 protected:
  GpuDayPtxGroupNorm() {
    cuda.runs_launch = [this](const FakeLaunch& launch) { launches(launch); };
  }

  PtxLaunches launches{cuda, true};
};

TEST_F(GpuDayPtxGroupNorm, IsRightAndAsItsHostBodies) {
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16})
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const auto& [shape, groups] : group_norm_shapes)
        for (const int shared : {8 << 10, 227 << 10}) {
          cuda.attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] = shared;
          const TensorDesc x = dense(dtype, layout, shape, Memory::Pageable);
          EXPECT_THAT(group_norm_failures({.x = x, .groups = groups}), Each(""));
        }
  EXPECT_THAT(launches.contractions, testing::IsEmpty());
}

TEST_F(GpuDayPtxGroupNorm, EachBarrierThatIsTakenAwayIsSeen) {
  const TensorDesc x = dense(DType::Float32, Layout::Nchw, {1, 6, 50, 52}, Memory::Pageable);
  for (const char* name : {"GroupForward<", "GroupBackward<", "ChannelSums"}) {
    int taken = 0;
    PtxLaunches changed(cuda, true);
    changed.change = [&](Kernel& kernel) {
      if (kernel.name.find(name) != std::string::npos) taken += take_barrier_away(kernel, 0);
    };
    cuda.runs_launch = [&](const FakeLaunch& launch) { changed(launch); };
    EXPECT_NE(error_of([&] { group_norm_failures({.x = x, .groups = 2}); }), "") << name;
    EXPECT_EQ(taken, 1) << name;
    EXPECT_THAT(std::exchange(cuda.violations, {}),
                ElementsAre(AllOf(HasSubstr(name), AnyOf(HasSubstr("race with"),
                                                         HasSubstr("read before it is written")))));
    cuda.streams.broken = cudaSuccess;
  }
}

}  // namespace
}  // namespace normbench::ptx::group_norm_test
