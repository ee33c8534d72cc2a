/// Group norm of a GPU on groups of every kind, its kernels run by their host bodies.
#include "cuda/cuda_fixture.h"
#include "cuda/group_norm_shapes.h"

namespace normbench::group_norm_test {
namespace {

class GroupNormOfCuda : public CudaTest,
                        public testing::WithParamInterface<std::tuple<DType, Layout>> {
 protected:
  void expect_right(const RandomValues& values, std::int64_t most_elements) {
    const auto [dtype, layout] = GetParam();
    for (const auto& [shape, groups] : group_norm_shapes) {
      if (shape.elements() > most_elements) continue;
      const TensorDesc x = dense(dtype, layout, shape, Memory::Pageable);
      EXPECT_THAT(group_norm_failures({.x = x, .groups = groups, .values = values}),
                  testing::Each(""));
    }
  }
};

/// Shared memory for no group, for some of one, for most.
TEST_P(GroupNormOfCuda, KeepsToTheReferenceOnStandardNormalValues) {
  for (const int shared : {0, 8 << 10, 227 << 10}) {
    cuda.attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] = shared;
    expect_right({Distribution::Normal, 0, 1}, 200'000);
  }
}
TEST_P(GroupNormOfCuda, KeepsToTheReferenceFarFromZero) {
  expect_right({Distribution::Normal, 1e4, 1}, 20'000);
}
TEST_P(GroupNormOfCuda, KeepsToTheReferenceOnConstantValues) {
  expect_right({Distribution::Uniform, 3.7, 3.7}, 20'000);
}

INSTANTIATE_TEST_SUITE_P(Cuda, GroupNormOfCuda,
                         testing::Combine(testing::Values(DType::Float32, DType::Float16,
                                                          DType::BFloat16),
                                          testing::Values(Layout::Nchw, Layout::Nhwc)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", name_of(std::get<0>(info.param)),
                                              name_of(std::get<1>(info.param)));
                         });

/// Shared memory that is asked for: what a group takes, and no more than there is.
class SharedMemoryOfGroupNorm : public CudaBackendTest {
 protected:
  /// Of a launch of a forward pass over one group, unless it is the usual one.
  std::string asked_for(const Shape& shape) {
    const TensorDesc x = dense(DType::Float32, Layout::Nchw, shape, Memory::Device);
    const Op op = GroupNorm{.affine = false};
    const Signature signature{.in = {x}, .out = infer(op, std::vector{x})};
    std::vector<std::unique_ptr<Allocation>> memory;
    std::vector<View> views;
    for (const TensorDesc& desc : {x, signature.out[0], signature.out[1], signature.out[2]}) {
      memory.push_back(backend->allocate(Memory::Device, static_cast<std::size_t>(desc.bytes())));
      views.push_back({memory.back()->data(), desc});
    }
    backend->fill(views[0].data, std::byte{0}, static_cast<std::size_t>(x.bytes()));
    const Launch launch = row_of(*backend, "group_norm", "fused").prepare(op, signature);
    const Calls calls = calls_of(
        [&] { launch(*queue, std::span(views).first(1), std::span(views).subspan(1), {}); });
    queue->drain();
    return calls.size() > 1 ? calls[0] : "";
  }
};

TEST_F(SharedMemoryOfGroupNorm, HoldsAGroupWhereItFits) {
  cuda.runs = [](std::int64_t) { return false; };
  EXPECT_EQ(asked_for({256, 1, 16, 16}), "");
  // Behind 16 bytes for each of 16 warps.
  EXPECT_EQ(asked_for({256, 1, 112, 112}),
            fmt::format("cudaFuncSetAttribute 8 {}", 112 * 112 * 4 + 256));
  EXPECT_EQ(asked_for({256, 1, 256, 256}), fmt::format("cudaFuncSetAttribute 8 {}", 227 << 10));
}

}  // namespace
}  // namespace normbench::group_norm_test
