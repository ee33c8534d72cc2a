#include "backend/kernel_testing.h"
#include "cuda/cuda_fixture.h"

namespace normbench::pixels_test {
namespace {

/// Tests every CUDA kernel row (implementation) of an op that computes pixels, from device memory
/// to device memory. The row must pass the right addresses, strides, windows, flips, dtypes and
/// constants to its kernel.
class PixelsTest : public CudaBackendTest, public ::testing::WithParamInterface<Op> {
 protected:
  static std::vector<Signature> signatures(const Op& op);
  void expect_right(const Kernel& kernel, const Op& op, const Signature& s);
  /// Runs the kernel row on `in` and returns its output.
  std::vector<std::byte> run(const Kernel& kernel, const Op& op, const Signature& s, Guarded& in);
};

const Shape image{2, 3, 6, 10};
const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};

std::vector<TensorDesc> sources() {
  std::vector<TensorDesc> all;
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{}))
      all.push_back(dense(dtype.value, layout.value, image, Memory::Device));
  return all;
}

std::vector<Signature> PixelsTest::signatures(const Op& op) {
  std::vector<Signature> all;
  for (const TensorDesc& in : sources()) try {
      all.push_back({.in = {in}, .out = infer(op, std::span(&in, 1))});
    } catch (const Invalid&) {  // `sub` and `div` do not take uint8
    }
  return all;
}

std::vector<std::byte> PixelsTest::run(const Kernel& kernel, const Op& op, const Signature& s,
                                       Guarded& in) {
  const auto bytes = [](const TensorDesc& desc) { return static_cast<std::size_t>(desc.bytes()); };
  const auto from = backend->allocate(Memory::Device, bytes(s.in[0]));
  const auto to = backend->allocate(Memory::Device, bytes(s.out[0]));
  backend->copy(from->data(), in.view().data, from->bytes());
  BoundStage stage = bind(kernel, op, {from->data(), s.in[0]}, {to->data(), s.out[0]});
  stage.submit(*queue);
  EXPECT_TRUE(cuda.read(to->data(), to->bytes()) == Bytes(to->bytes(), FakeMemory::poison));
  queue->drain();
  std::vector<std::byte> made(to->bytes());
  backend->copy(made.data(), to->data(), made.size());
  return made;
}

void PixelsTest::expect_right(const Kernel& kernel, const Op& op, const Signature& s) {
  SCOPED_TRACE(std::string(kernel.name) + ": " + describe(s.in[0]) + " -> " + describe(s.out[0]));
  Guarded in(s.in[0]);
  fill(in.view());
  std::vector<std::byte> made = run(kernel, op, s, in);
  EXPECT_EQ(mismatch(expected_of(op, in.view(), s.out[0]), {made.data(), s.out[0]},
                     bounds_of(op, in.view(), s.out[0])),
            std::nullopt);
}

TEST_P(PixelsTest, AreWhatTheOpMeans) {
  const Op& op = GetParam();
  int reference = 0, other = 0;
  for (const Signature& s : signatures(op))
    for (const Kernel& kernel : backend->kernels())
      if (kernel.op == name_of(op) && kernel.accepts(op, s)) {
        expect_right(kernel, op, s);
        ++(kernel.name == "reference" ? reference : other);
      }
  EXPECT_EQ(static_cast<std::size_t>(reference), signatures(op).size());
  EXPECT_GT(other, 0);
}

std::vector<Op> normalizations() {
  const Window window{.height = 4, .width = 7, .top = 1, .left = 2};
  std::vector<Op> ops;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16})
    for (const auto layout :
         {std::optional<Layout>(), std::optional(Layout::Nchw), std::optional(Layout::Nhwc)})
      for (const Flip flip : {Flip::None, Flip::Horizontal, Flip::Both})
        ops.push_back(
            Normalize{.mean = mean,
                      .std = deviation,
                      .to = to,
                      .layout = layout,
                      .crop = flip == Flip::None ? std::vector<Window>{} : std::vector{window},
                      .flip = flip});
  ops.push_back(Normalize{.mean = {0.5}, .std = {0.25}, .scale = 1 / 255.0});
  ops.push_back(Normalize{.mean = mean, .std = deviation, .constants = Constants::PerCall});
  ops.push_back(Normalize{.mean = mean, .std = deviation, .flip = Flip::Vertical});
  return ops;
}

std::vector<Op> plain_ops() {
  std::vector<Op> ops{Crop{.window = {.height = 4, .width = 7, .top = 1, .left = 2}},
                      FlipOp{.axis = Flip::Horizontal},
                      FlipOp{.axis = Flip::Vertical},
                      FlipOp{.axis = Flip::Both},
                      LayoutOp{.to = Layout::Nchw},
                      LayoutOp{.to = Layout::Nhwc},
                      Copy{},
                      Resize{.height = 3, .width = 17}};
  for (const auto& to : words(DType{})) ops.push_back(Cast{.to = to.value});
  for (const auto& constants : words(Constants{})) {
    ops.push_back(Sub{.mean = mean, .constants = constants.value});
    ops.push_back(Div{.std = deviation, .constants = constants.value});
    ops.push_back(Div{.std = {7.25}, .constants = constants.value});
  }
  return ops;
}

std::string op_name(const ::testing::TestParamInfo<Op>& info) {
  return std::string(name_of(info.param)) + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Normalize, PixelsTest, ::testing::ValuesIn(normalizations()), op_name);
INSTANTIATE_TEST_SUITE_P(Plain, PixelsTest, ::testing::ValuesIn(plain_ops()), op_name);

}  // namespace
}  // namespace normbench::pixels_test
