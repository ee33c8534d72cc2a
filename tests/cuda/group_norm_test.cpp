/// Tests the op `group_norm` of the CUDA backend on groups of all sizes and layouts. The fake CUDA
/// runtime runs the kernels' code on the host.
#include "cuda/cuda_fixture.h"
#include "cuda/group_norm_trial.h"

namespace normbench::group_norm_test {
namespace {

class GroupNormOfCuda : public CudaTest,
                        public testing::WithParamInterface<std::tuple<DType, Layout>> {
 protected:
  /// Checks the shapes with fewer than 20,000 elements, and the one with more than 100,000, whose
  /// only group is shared by several blocks.
  void expect_right_of_small(const RandomValues& values) {
    expect_right(values, [](const Shape& shape) {
      return shape.elements() < 20'000 || shape.elements() > 100'000;
    });
  }
  void expect_right(
      const RandomValues& values, bool (*takes)(const Shape&) = [](const Shape&) { return true; }) {
    const auto [dtype, layout] = GetParam();
    for (const auto& [shape, groups] : group_norm_shapes) {
      if (!takes(shape)) continue;
      const TensorDesc x = dense(dtype, layout, shape, Memory::Pageable);
      EXPECT_THAT(group_norm_failures({.x = x, .groups = groups, .values = values}),
                  testing::Each(""));
    }
  }
};

/// Tests three limits of shared memory per block: 0, 8 KiB (of a large group, only a part fits) and
/// 227 KiB (most groups fit).
TEST_P(GroupNormOfCuda, KeepsToTheReferenceOnStandardNormalValues) {
  for (const int shared : {0, 8 << 10, 227 << 10}) {
    cuda.attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] = shared;
    expect_right({Distribution::Normal, 0, 1});
  }
}
TEST_P(GroupNormOfCuda, KeepsToTheReferenceFarFromZero) {
  expect_right_of_small({Distribution::Normal, 1e4, 1});
}
TEST_P(GroupNormOfCuda, KeepsToTheReferenceOnConstantValues) {
  expect_right_of_small({Distribution::Uniform, 3.7, 3.7});
}

INSTANTIATE_TEST_SUITE_P(Cuda, GroupNormOfCuda,
                         testing::Combine(testing::Values(DType::Float32, DType::Float16,
                                                          DType::BFloat16),
                                          testing::Values(Layout::Nchw, Layout::Nhwc)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", name_of(std::get<0>(info.param)),
                                              name_of(std::get<1>(info.param)));
                         });

class SharedMemoryOfGroupNorm : public CudaBackendTest {
 protected:
  struct Launched {
    std::size_t bytes = 0;
    Calls first, second;  // runtime calls of two launches of the kernel row
  };
  /// Launches a forward pass with one group per image. Each tensor starts `shift` bytes past a
  /// multiple of 256.
  Launched launched(const Shape& shape, std::size_t shift = 0) {
    Launched result;
    cuda.runs_launch = [&](const FakeLaunch& launch) { result.bytes = launch.shared_bytes; };
    const TensorDesc x = dense(DType::Float32, Layout::Nchw, shape, Memory::Device);
    const Op op = GroupNorm{.affine = false};
    const Signature signature{.in = {x}, .out = infer(op, std::vector{x})};
    std::vector<std::unique_ptr<Allocation>> memory;
    std::vector<View> views;
    for (const TensorDesc& desc : {x, signature.out[0], signature.out[1], signature.out[2]}) {
      memory.push_back(
          backend->allocate(Memory::Device, shift + static_cast<std::size_t>(desc.bytes())));
      views.push_back({memory.back()->data() + shift, desc});
    }
    const Launch launch = row_of(*backend, "group_norm", "fused").prepare(op, signature);
    for (Calls* const calls : {&result.first, &result.second})
      *calls = calls_of(
          [&] { launch(*queue, std::span(views).first(1), std::span(views).subspan(1), {}); });
    queue->drain();
    return result;
  }
  std::size_t bytes_for(const Shape& shape) { return launched(shape).bytes; }
};

/// The launch asks for shared memory for the values of the group, and for 16 bytes per warp before
/// them. The blocks have 2 warps for 256 values and 16 warps for 12,544 values. The group of the
/// third shape does not fit, so its launch takes all 227 KiB. A launch fails if it needs more than
/// 48 KiB and the limit of its kernel was not raised.
TEST_F(SharedMemoryOfGroupNorm, HoldsAGroupWhereItFits) {
  EXPECT_EQ(bytes_for({256, 1, 16, 16}), 16 * 16 * 4 + 2 * 16);
  EXPECT_EQ(bytes_for({256, 1, 112, 112}), 112 * 112 * 4 + 16 * 16);
  EXPECT_EQ(bytes_for({256, 1, 256, 256}), std::size_t{227} << 10);
}

/// The runtime call that raises the limit of shared memory must not be timed. So the kernel row
/// makes it when it is prepared, and a launch of the row makes no other runtime call than the
/// launch itself.
TEST_F(SharedMemoryOfGroupNorm, IsAskedForBeforeTheFirstCall) {
  for (const std::size_t shift : {0, 4}) {
    const Launched group = launched({256, 1, 256, 256}, shift);
    EXPECT_GT(group.bytes, std::size_t{48} << 10);
    for (const Calls& calls : {group.first, group.second})
      EXPECT_THAT(calls, testing::ElementsAre(testing::StartsWith("cudaLaunchKernel ")));
  }
}

}  // namespace
}  // namespace normbench::group_norm_test
