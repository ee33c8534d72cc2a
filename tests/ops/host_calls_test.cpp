/// Tests of the ops that call the CUDA runtime: `pin`, `register`, `unregister`, `launch`, `sync`.
#include "ops/op_testing.h"

namespace normbench::host_calls_test {
namespace {

using testing::ElementsAre;

const Shape shape{2, 3, 4, 5};
const TensorDesc pageable = nchw(DType::Float16, shape);
const TensorDesc huge = nchw(DType::Float16, shape, Memory::PageableHuge);
const TensorDesc registered = nchw(DType::Float16, shape, Memory::Registered);
const TensorDesc device = nchw(DType::UInt8, shape, Memory::Device);

TEST(HostCalls, KeepValuesAndAccuracy) {
  const Tensor64 x{{1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  const Accuracy a{.low = -1, .high = 2, .errors = 0.5, .whole = true};
  for (const Op& op :
       {Op(Pin{}), Op(Register{}), Op(Unregister{}), Op(EmptyLaunch{}), Op(Sync{})}) {
    std::vector<Tensor64> out(1);
    reference(op, std::vector{x, x}, out, 0);
    EXPECT_EQ(out[0].values, x.values) << name_of(op);
    EXPECT_EQ(accuracies(op, std::vector<Known>{{x, a}, {x, a}}, out, std::vector{pageable}),
              std::vector{a})
        << name_of(op);
  }
}

TEST(Pin, CopiesPageableMemory) {
  const TensorDesc pinned = nchw(DType::Float16, shape, Memory::Pinned);
  EXPECT_THAT(infer(Pin{}, std::vector{pageable}), ElementsAre(pinned));
  EXPECT_THAT(infer(Pin{}, std::vector{huge}), ElementsAre(pinned));
  EXPECT_EQ(infer_error(Pin{}, {}), "needs 1 input, got 0");
  EXPECT_EQ(infer_error(Pin{}, {pinned}),
            "input is in pinned memory, which the GPU reaches already (remove this)");
  EXPECT_EQ(infer_error(Pin{}, {device}), "input is in device memory (add a d2h stage)");
}

TEST(Register, TurnsTheSameBytesIntoRegisteredMemory) {
  TensorDesc strided = pageable;
  strided.strides.h += 3;
  TensorDesc expected = strided;
  expected.memory = Memory::Registered;
  EXPECT_THAT(infer(Register{}, std::vector{strided}), ElementsAre(expected));
  EXPECT_EQ(infer_error(Register{}, {registered}),
            "input is in registered memory, which the GPU reaches already (remove this)");
  EXPECT_EQ(infer_error(Register{}, {device}), "input is in device memory (add a d2h stage)");
}

TEST(Unregister, PassesItsFirstInputThrough) {
  EXPECT_THAT(infer(Unregister{}, std::vector{device, registered}), ElementsAre(device));
  EXPECT_THAT(infer(Unregister{}, std::vector{registered, registered}), ElementsAre(pageable));
  EXPECT_EQ(infer_error(Unregister{}, {device}),
            "needs 2 inputs, what passes through and what is registered, got 1");
  EXPECT_EQ(infer_error(Unregister{}, {device, pageable}),
            "second input is in pageable memory, not registered (give what register gave)");
}

TEST(EmptyLaunch, PassesItsInputThrough) {
  EXPECT_THAT(infer(made<EmptyLaunch>("{}"), std::vector{device}), ElementsAre(device));
  EXPECT_EQ(made<EmptyLaunch>("{}").count, 1);
  EXPECT_EQ(made<EmptyLaunch>(R"({"count": 8})").count, 8);
  EXPECT_THAT(mistakes("launch", R"({"count": 0})"),
              ElementsAre("/count: must be at least 1, got 0"));
  EXPECT_EQ(infer_error(EmptyLaunch{}, {device, device}), "needs 1 input, got 2");
}

TEST(Sync, PassesItsInputThrough) {
  EXPECT_THAT(infer(Sync{}, std::vector{pageable}), ElementsAre(pageable));
  EXPECT_EQ(infer_error(Sync{}, {}), "needs 1 input, got 0");
}

}  // namespace
}  // namespace normbench::host_calls_test
