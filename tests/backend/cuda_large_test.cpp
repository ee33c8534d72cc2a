/// Tests kernel bodies on tensors of more than 2^31 elements. The tensors are reserved address
/// ranges. Only the few pages that a test touches take memory.
#include <gtest/gtest.h>

#include "backend/cuda/fused.cuh"
#include "backend/cuda_fused_testing.h"
#include "backend/fenced.h"

namespace normbench::cuda::cuda_large_test {
namespace {

const Normalize kOp{.mean = {0, 1, 2}, .std = {1}};

/// A normalization of a large tensor. Tests run only a few of its threads.
class LargeNormalize {
 public:
  LargeNormalize(Layout from, const Shape& shape, Layout to, Flip flip)
      : in_desc_(dense(DType::UInt8, from, shape, Memory::Device)),
        out_desc_(dense(DType::Float32, to, shape, Memory::Device)),
        in_(static_cast<std::size_t>(in_desc_.bytes())),
        out_(static_cast<std::size_t>(out_desc_.bytes())) {
    Normalize op = kOp;
    if (shape.c == 1) op.mean = {0};
    op.flip = flip;
    const View in{in_.data(), in_desc_};
    arguments_.task =
        task_of(op, portions_of(op, std::span(&in, 1), {out_.data(), out_desc_}).at(0));
    set_constants(op, shape.c, arguments_);
  }

  std::uint8_t& in(std::int64_t element) {
    return reinterpret_cast<std::uint8_t*>(in_.data())[element];
  }
  float out(std::int64_t element) const {
    return reinterpret_cast<const float*>(out_.data())[element];
  }
  /// Runs the first 32 and the last 32 threads.
  void run_ends() {
    with_normalize<float>(arguments_, [](const auto& body) {
      for (std::int64_t i = 0; i < 32; ++i) {
        run_thread(body, i);
        run_thread(body, threads_of(body) - 1 - i);
      }
    });
  }

 private:
  const TensorDesc in_desc_, out_desc_;
  const Mapping in_, out_;
  NormalizeArguments arguments_;
};

constexpr std::int64_t kLine = (std::int64_t{1} << 31) + 5;

TEST(LargeNormalize, ReachesTheEndOfALine) {
  LargeNormalize line(Layout::Nchw, {1, 1, 1, kLine}, Layout::Nchw, Flip::None);
  line.in(0) = 11;
  line.in(kLine - 1) = 22;
  line.in(kLine - 5) = 33;
  line.run_ends();
  EXPECT_EQ(line.out(0), 11);
  EXPECT_EQ(line.out(kLine - 1), 22);
  EXPECT_EQ(line.out(kLine - 5), 33);
}

TEST(LargeNormalize, MirrorsALine) {
  LargeNormalize line(Layout::Nchw, {1, 1, 1, kLine}, Layout::Nchw, Flip::Horizontal);
  line.in(0) = 11;
  line.in(kLine - 1) = 22;
  line.run_ends();
  EXPECT_EQ(line.out(0), 22);
  EXPECT_EQ(line.out(kLine - 1), 11);
}

TEST(LargeNormalize, TakesPixelsApart) {
  const std::int64_t side = 30000, pixels = side * side;
  LargeNormalize image(Layout::Nhwc, {1, 3, side, side}, Layout::Nchw, Flip::None);
  for (int c = 0; c < 3; ++c) image.in(3 * (pixels - 1) + c) = static_cast<std::uint8_t>(10 + c);
  image.run_ends();
  EXPECT_EQ(image.out(pixels - 1), 10);
  EXPECT_EQ(image.out(2 * pixels - 1), 11 - 1);
  EXPECT_EQ(image.out(3 * pixels - 1), 12 - 2);
  EXPECT_EQ(image.out(2 * pixels), -2);
}

TEST(LargeNormalize, TakesWholeGroupsOfPixelsApart) {
  const std::int64_t side = 16000, pixels = side * side;
  for (const Flip flip : {Flip::None, Flip::Vertical}) {
    LargeNormalize image(Layout::Nhwc, {2, 3, side, side}, Layout::Nchw, flip);
    // The last output pixel of an image is made from its input pixel with the index last - 1.
    // Flip::Vertical moves the first row to the end, so that this pixel is the last one of the
    // first row.
    const std::int64_t last = flip == Flip::None ? pixels : side;
    for (int c = 0; c < 3; ++c)
      image.in(3 * (pixels + last - 1) + c) = static_cast<std::uint8_t>(10 + c);
    image.run_ends();
    EXPECT_EQ(image.out(4 * pixels - 1), 10);
    EXPECT_EQ(image.out(5 * pixels - 1), 11 - 1);
    EXPECT_EQ(image.out(6 * pixels - 1), 12 - 2);
  }
}

TEST(LargeNormalize, ReachesTheEndOfThePlanes) {
  const std::int64_t pixels = std::int64_t{20000} * 20000;
  LargeNormalize image(Layout::Nchw, {2, 3, 20000, 20000}, Layout::Nchw, Flip::None);
  image.in(6 * pixels - 1) = 12;
  image.in(0) = 7;
  image.run_ends();
  EXPECT_EQ(image.out(6 * pixels - 1), 12 - 2);
  EXPECT_EQ(image.out(0), 7);
}

TEST(LargeNormalize, KeepsChannelsApartPastThe32Bits) {
  const std::int64_t side = 38000, elements = 3 * side * side;  // 4,332,000,000 elements
  LargeNormalize image(Layout::Nhwc, {1, 3, side, side}, Layout::Nhwc, Flip::None);
  for (int c = 0; c < 3; ++c) image.in(elements - 3 + c) = static_cast<std::uint8_t>(10 + c);
  image.run_ends();
  for (int c = 0; c < 3; ++c) EXPECT_EQ(image.out(elements - 3 + c), 10);
}

TEST(LargeNormalize, PutsPixelsTogether) {
  const std::int64_t side = 30000, pixels = side * side;
  LargeNormalize image(Layout::Nchw, {1, 3, side, side}, Layout::Nhwc, Flip::None);
  for (int c = 0; c < 3; ++c) image.in((c + 1) * pixels - 1) = static_cast<std::uint8_t>(10 + c);
  image.run_ends();
  EXPECT_EQ(image.out(3 * pixels - 3), 10);
  EXPECT_EQ(image.out(3 * pixels - 2), 11 - 1);
  EXPECT_EQ(image.out(3 * pixels - 1), 12 - 2);
}

}  // namespace
}  // namespace normbench::cuda::cuda_large_test
