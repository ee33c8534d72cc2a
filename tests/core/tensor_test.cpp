#include "core/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/dtype.h"

namespace normbench::tensor_test {
namespace {

using testing::ElementsAre;

/// A tensor that owns its memory. The value of each element is its index in NCHW order.
struct Owned {
  Owned(DType dtype, Layout layout, Shape shape)
      : bytes(static_cast<std::size_t>(shape.elements() * size_of(dtype))),
        view{bytes.data(), dense(dtype, layout, shape, Memory::Pageable)} {
    Tensor64 values{shape, std::vector<double>(static_cast<std::size_t>(shape.elements()))};
    std::iota(values.values.begin(), values.values.end(), 0.0);
    from_double(values, view, 0);
  }

  std::vector<std::byte> bytes;
  View view;
};

TEST(Tensor, DenseStridesOfBothLayouts) {
  const Shape shape{2, 3, 4, 5};
  EXPECT_EQ(dense_strides(shape, Layout::Nchw), (Strides{60, 20, 5, 1}));
  EXPECT_EQ(dense_strides(shape, Layout::Nhwc), (Strides{60, 1, 15, 3}));
}

TEST(Tensor, DescribesItself) {
  auto desc = dense(DType::UInt8, Layout::Nchw, {10, 3, 720, 1280}, Memory::Pageable);
  EXPECT_EQ(describe(desc), "10x3x720x1280 uint8 nchw pageable");
  EXPECT_EQ(desc.bytes(), 27'648'000);
  const View window = crop_view({nullptr, desc}, 1, 2, 100, 200);
  EXPECT_EQ(describe(window.desc), "10x3x100x200 uint8 nchw pageable strided");
}

TEST(Tensor, ValuesAreInLogicalOrderWhateverTheLayout) {
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{})) {
      const Owned tensor(dtype.value, layout.value, {2, 2, 2, 2});  // values of 0 to 15
      EXPECT_THAT(to_double(tensor.view, 1, 1).values, ElementsAre(8, 9, 10, 11, 12, 13, 14, 15))
          << describe(tensor.view.desc);
    }
}

TEST(Tensor, NhwcStoresChannelsSideBySide) {
  const Owned tensor(DType::UInt8, Layout::Nhwc, {1, 3, 1, 2});
  std::vector<int> stored;
  for (const std::byte byte : tensor.bytes) stored.push_back(std::to_integer<int>(byte));
  EXPECT_THAT(stored, ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Tensor, CropsAndFlipsWithoutCopying) {
  for (const auto& layout : words(Layout{})) {
    const Owned tensor(DType::Float32, layout.value, {1, 2, 3, 4});
    const View window = crop_view(tensor.view, 1, 1, 2, 3);
    EXPECT_THAT(to_double(window, 0, 1).values,
                ElementsAre(5, 6, 7, 9, 10, 11, 17, 18, 19, 21, 22, 23));
    EXPECT_THAT(to_double(flip_view(window, Flip::None), 0, 1).values,
                ElementsAre(5, 6, 7, 9, 10, 11, 17, 18, 19, 21, 22, 23));
    EXPECT_THAT(to_double(flip_view(window, Flip::Horizontal), 0, 1).values,
                ElementsAre(7, 6, 5, 11, 10, 9, 19, 18, 17, 23, 22, 21));
    EXPECT_THAT(to_double(flip_view(window, Flip::Vertical), 0, 1).values,
                ElementsAre(9, 10, 11, 5, 6, 7, 21, 22, 23, 17, 18, 19));
    EXPECT_THAT(to_double(flip_view(window, Flip::Both), 0, 1).values,
                ElementsAre(11, 10, 9, 7, 6, 5, 23, 22, 21, 19, 18, 17));
    EXPECT_EQ(flip_view(flip_view(window, Flip::Both), Flip::Both).data, window.data);
  }
}

TEST(Tensor, WritesThroughNegativeStrides) {
  const Owned tensor(DType::Float16, Layout::Nhwc, {2, 1, 2, 2});
  const View flipped = flip_view(tensor.view, Flip::Both);
  from_double({{1, 1, 2, 2}, {10, 20, 30, 40}}, flipped, 1);
  EXPECT_THAT(to_double(tensor.view, 0, 2).values, ElementsAre(0, 1, 2, 3, 40, 30, 20, 10));
}

TEST(Tensor, ReadsAndWritesUnalignedMemory) {
  std::vector<std::byte> bytes(17);
  const View view{bytes.data() + 1,
                  dense(DType::Float32, Layout::Nchw, {1, 1, 2, 2}, Memory::Pageable)};
  from_double({{1, 1, 2, 2}, {1.5, -2, 3e38, 1e39}}, view, 0);
  EXPECT_THAT(to_double(view, 0, 1).values, ElementsAre(1.5, -2, static_cast<double>(3e38f),
                                                        std::numeric_limits<double>::infinity()));
}

TEST(Tensor, Uint8RoundsToNearestEvenAndSaturates) {
  const Owned tensor(DType::UInt8, Layout::Nchw, {1, 1, 1, 12});
  const double infinity = std::numeric_limits<double>::infinity();
  from_double(
      {{1, 1, 1, 12},
       {0.5, 1.5, 2.5, 2.5000001, 254.5, 255.5, 300, -0.4, -7, infinity, -infinity, std::nan("")}},
      tensor.view, 0);
  EXPECT_THAT(to_double(tensor.view, 0, 1).values,
              ElementsAre(0, 2, 2, 3, 254, 255, 255, 0, 0, 255, 0, 0));
}

TEST(Tensor, FloatsRoundToNearestEven) {
  const Owned floats(DType::Float32, Layout::Nchw, {1, 1, 1, 2});
  from_double({{1, 1, 1, 2}, {1 + 0x1p-24, 1 + 0x3p-24}}, floats.view, 0);
  EXPECT_THAT(to_double(floats.view, 0, 1).values, ElementsAre(1, 1 + 0x1p-22));
  const Owned brains(DType::BFloat16, Layout::Nchw, {1, 1, 1, 2});
  from_double({{1, 1, 1, 2}, {1 + 0x1p-8, 1 + 0x3p-8}}, brains.view, 0);
  EXPECT_THAT(to_double(brains.view, 0, 1).values, ElementsAre(1, 1 + 0x1p-6));
}

}  // namespace
}  // namespace normbench::tensor_test
