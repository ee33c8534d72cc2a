#include "ops/ycbcr.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/input_file.h"
#include "ops/array_file.h"
#include "ops/npy_header.h"
#include "ops/op_testing.h"
#include "ops/stored_images.h"
#include "ops/to_rgb.h"

namespace normbench {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Tensor64 image(PixelFormat format, std::int64_t h, std::int64_t w, std::vector<double> values) {
  return {.shape = {1, 3, h, w, format}, .values = std::move(values)};
}

std::vector<double> red_of(const Tensor64& rgb) {
  return {rgb.values.begin(), rgb.values.begin() + rgb.shape.h * rgb.shape.w};
}

TEST(Ycbcr, HasPlanesOfWholeSamples) {
  const Shape shape{2, 3, 5, 7, PixelFormat::Ycbcr420};
  EXPECT_EQ(shape.plane(0), (Shape{2, 1, 5, 7}));
  EXPECT_EQ(shape.plane(1), (Shape{2, 1, 3, 4}));
  EXPECT_EQ(shape.image_elements(), 35 + 2 * 12);
  EXPECT_EQ(shape.elements(), 2 * (35 + 2 * 12));
  EXPECT_EQ((Shape{1, 3, 5, 7, PixelFormat::Ycbcr411}.plane(2)), (Shape{1, 1, 5, 2}));
  EXPECT_EQ((Shape{1, 3, 5, 7, PixelFormat::Ycbcr440}.plane(2)), (Shape{1, 1, 3, 7}));
  EXPECT_EQ((Shape{1, 3, 5, 7, PixelFormat::Ycbcr422}.plane(2)), (Shape{1, 1, 5, 4}));
  EXPECT_EQ((Shape{1, 3, 5, 7, PixelFormat::Ycbcr444}.image_elements()), 105);
}

TEST(Ycbcr, PixelsAreConvertedAsInJfif) {
  // Gray, and the primary colours, whose Cb and Cr are 0.5 (B - Y) / (1 - 0.114) and 0.5 (R - Y) /
  // (1 - 0.299) from 128.
  const auto rgb = [](double y, double cb, double cr) {
    return rgb_of(image(PixelFormat::Ycbcr444, 1, 1, {y, cb, cr})).values;
  };
  const auto is = [](double r, double g, double b) {
    return ElementsAre(DoubleNear(r, 1e-9), DoubleNear(g, 1e-9), DoubleNear(b, 1e-9));
  };
  EXPECT_THAT(rgb(77, 128, 128), is(77, 77, 77));
  const double red = 0.299 * 200, blue = 0.114 * 200;
  EXPECT_THAT(rgb(red, 128 - red / 1.772, 128 + (200 - red) / 1.402), is(200, 0, 0));
  EXPECT_THAT(rgb(blue, 128 + (200 - blue) / 1.772, 128 - blue / 1.402), is(0, 0, 200));
  EXPECT_THAT(rgb(255, 128, 255), is(255, 255 - green_cr * 127, 255));  // 433 is clamped
  EXPECT_THAT(rgb(0, 0, 128), is(0, 128 * green_cb, 0));
}

TEST(Ycbcr, ChromaLiesBetweenSamples) {
  // Cr is 128 + c, so red is Y + 1.402 c. A pixel has 3/4 of its own sample.
  const Tensor64 wide =
      image(PixelFormat::Ycbcr422, 1, 6, {0, 0, 0, 0, 0, 0, 128, 128, 128, 128, 168, 208});
  std::vector<double> expected;
  for (const double c : {0.0, 10.0, 30.0, 50.0, 70.0, 80.0}) expected.push_back(red_cr * c);
  EXPECT_THAT(red_of(rgb_of(wide)), Pointwise(DoubleNear(1e-9), expected));
  const Tensor64 tall = image(PixelFormat::Ycbcr440, 4, 1, {0, 0, 0, 0, 128, 128, 128, 168});
  EXPECT_THAT(red_of(rgb_of(tall)),
              Pointwise(DoubleNear(1e-9), std::vector{0.0, red_cr * 10, red_cr * 30, red_cr * 40}));
}

TEST(Ycbcr, FewSamplesOrFoursAreReplicated) {
  const Tensor64 narrow = image(PixelFormat::Ycbcr422, 1, 4, {0, 0, 0, 0, 128, 128, 128, 168});
  EXPECT_THAT(red_of(rgb_of(narrow)),
              Pointwise(DoubleNear(1e-9), std::vector{0.0, 0.0, 40 * red_cr, 40 * red_cr}));
  const Tensor64 fours = image(PixelFormat::Ycbcr411, 1, 5, {0, 0, 0, 0, 0, 128, 128, 128, 168});
  EXPECT_THAT(red_of(rgb_of(fours)),
              Pointwise(DoubleNear(1e-9), std::vector{0.0, 0.0, 0.0, 0.0, 40 * red_cr}));
}

TEST(Ycbcr, BytesLieNearTheExactValues) {
  for (const PixelFormatRow& format : pixel_format_rows) {
    if (format.value == PixelFormat::Rgb) continue;
    Tensor64 images{.shape = {2, 3, 9, 13, format.value}, .values = {}};
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < images.shape.elements(); ++i) {
      state = state * 1664525 + 1013904223;
      images.values.push_back(state >> 24);
    }
    const Tensor64 exact = rgb_of(images), bytes = jpeg_rgb_of(images);
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      EXPECT_EQ(bytes.values[i], std::round(bytes.values[i]));
      EXPECT_NEAR(bytes.values[i], exact.values[i], 2) << format.name << " at " << i;
    }
  }
}

TEST(Ycbcr, ErrorsAreSumsOfThoseOfTheSamples) {
  const Shape shape{1, 3, 2, 6, PixelFormat::Ycbcr422};
  const Errors same = errors_of_rgb(shape, Errors(2));
  EXPECT_NEAR(same.at(0), 2 * (1 + blue_cb), 1e-3);
  std::vector<double> each(static_cast<std::size_t>(shape.elements()), 0);
  each[1] = 5;   // of Y of the second pixel
  each[12] = 4;  // of the first sample of Cb: 3/4 of it and 1/4 in the neighbour's pixels
  const Errors found = errors_of_rgb(shape, each);
  const auto at = [&](std::int64_t channel, std::size_t pixel) {
    return found.at(static_cast<std::size_t>(12 * channel) + pixel);
  };
  EXPECT_NEAR(at(0, 0), 0, 1e-3);
  EXPECT_NEAR(at(0, 1), 5, 1e-3);
  EXPECT_NEAR(at(1, 0), 4 * green_cb, 1e-3);
  EXPECT_NEAR(at(2, 0), 4 * blue_cb, 1e-3);
  EXPECT_NEAR(at(2, 1), 5 + 3 * blue_cb, 1e-3);
  EXPECT_NEAR(at(2, 2), 1 * blue_cb, 1e-3);
  EXPECT_NEAR(at(2, 3), 0, 1e-3);
}

TEST(Ycbcr, ElementsHaveAPlaceInTheirPlane) {
  const Shape shape{2, 3, 5, 7, PixelFormat::Ycbcr420};  // 35 + 12 + 12 samples
  const auto is = [&](std::int64_t index, std::vector<std::int64_t> expected) {
    const ElementPlace at = place_of(shape, index);
    EXPECT_EQ((std::vector{at.n, at.c, at.h, at.w}), expected);
  };
  is(0, {0, 0, 0, 0});
  is(34, {0, 0, 4, 6});
  is(35, {0, 1, 0, 0});
  is(35 + 12 + 5, {0, 2, 1, 1});
  is(59, {1, 0, 0, 0});
  const ElementPlace rgb = place_of({2, 3, 5, 7}, 105 + 35 + 8);
  EXPECT_EQ((std::vector{rgb.n, rgb.c, rgb.h, rgb.w}), (std::vector<std::int64_t>{1, 1, 1, 1}));
}

TEST(ToRgb, TakesOnlyYcbcr) {
  const TensorDesc rgb = dense(DType::UInt8, Layout::Nchw, {1, 3, 4, 4}, Memory::Pageable);
  EXPECT_THROW(infer(ToRgb{}, std::array{rgb}), Invalid);
  TensorDesc planes = rgb;
  planes.shape.format = PixelFormat::Ycbcr420;
  const TensorDesc out = infer(ToRgb{}, std::array{planes})[0];
  EXPECT_EQ(out, dense(DType::UInt8, Layout::Nhwc, {1, 3, 4, 4}, Memory::Pageable));
}

TEST(PixelFormats, OfASourceNeedThreeChannelsOfBytesInPlanes) {
  const auto op = made<Source>(R"({"pixel_format": "ycbcr420", "batch": 2, "size": [5, 7]})");
  EXPECT_EQ(op.shape, (Shape{2, 3, 5, 7, PixelFormat::Ycbcr420}));
  EXPECT_EQ(op.desc().bytes(), 2 * (35 + 24));
  EXPECT_THAT(
      mistakes(
          "source",
          R"({"pixel_format": "ycbcr420", "dtype": "float32", "layout": "nhwc", "channels": 4})"),
      ElementsAre("/dtype: ycbcr420 has uint8 samples (remove \"dtype\", or \"pixel_format\")",
                  "/pixel_format: ycbcr420 needs 3 channels, not 4"));
  EXPECT_THAT(mistakes("source", R"({"pixel_format": "nv12"})"),
              ElementsAre(testing::HasSubstr("ycbcr420")));
}

TEST(PixelFormats, RandomSamplesAreThoseOfTheirReference) {
  const Source op{.shape = {3, 3, 5, 7, PixelFormat::Ycbcr420}};
  std::vector<std::byte> bytes(static_cast<std::size_t>(op.desc().bytes()));
  const View view{bytes.data(), op.desc()};
  op.fill(view, Source::default_seed);
  std::vector<Tensor64> images{{.shape = {1, 3, 5, 7, PixelFormat::Ycbcr420}, .values = {}}};
  op.reference({}, images, 2);
  EXPECT_EQ(images[0].values, to_double(view, 2, 1).values);
}

TEST(PixelFormats, FilesHaveARowOfBytesForEachImage) {
  const std::string path = testing::TempDir() + "/planes.npy";
  const TensorDesc desc =
      dense(DType::UInt8, Layout::Nchw, {2, 3, 5, 7, PixelFormat::Ycbcr420}, Memory::Pageable);
  std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()), std::byte{7});
  write_npy(path, {bytes.data(), desc});
  EXPECT_EQ(parse_npy(MappedFile(path).bytes()).shape, (std::vector<std::int64_t>{2, 59}));
  EXPECT_EQ(ArrayFile(path, desc).range(), std::pair(7.0, 7.0));
  TensorDesc other = desc;
  other.shape.format = PixelFormat::Ycbcr422;
  try {
    const ArrayFile file(path, other);
    FAIL();
  } catch (const Invalid& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("has the shape (2, 59), expected (2, 75) as ycbcr422"));
  }
  TensorDesc image = desc;
  image.shape.n = 1;
  EXPECT_EQ(look_into_array(path, Storage::Npy, image).images, 2);
}

TEST(PixelFormats, OfALoaderDecideTheLayout) {
  const auto op = made<Load>(R"({"pixel_format": "ycbcr420", "size": [5, 7], "batch": 2})");
  EXPECT_EQ(infer(op, {})[0], dense(DType::UInt8, Layout::Nchw, {2, 3, 5, 7, PixelFormat::Ycbcr420},
                                    Memory::Pageable));
  EXPECT_EQ(made<Load>(R"({"pixel_format": "ycbcr420", "layout": "nhwc"})").layout, Layout::Nchw);
}

TEST(PixelFormats, OtherOpsSayWhatToDo) {
  const TensorDesc planes =
      dense(DType::UInt8, Layout::Nchw, {1, 3, 4, 4, PixelFormat::Ycbcr420}, Memory::Pageable);
  try {
    infer(Cast{.to = DType::Float32}, std::array{planes});
    FAIL();
  } catch (const Invalid& error) {
    EXPECT_STREQ(error.what(), "cast does not take ycbcr420 (add {\"op\": \"to_rgb\"} before it)");
  }
}

TEST(PixelFormats, WindowsBeginAtSamples) {
  const Shape shape{1, 3, 8, 10, PixelFormat::Ycbcr420};
  const Window centred{.height = 5, .width = 3, .top = {}, .left = {}};  // origin (1, 3)
  EXPECT_EQ(centred.of_plane(shape, 0).top, 0);
  EXPECT_EQ(centred.of_plane(shape, 0).left, 2);
  const Window chroma = centred.of_plane(shape, 2);
  EXPECT_EQ(chroma.height, 3);
  EXPECT_EQ(chroma.width, 2);
  EXPECT_EQ(chroma.left, 1);
  const Window odd{.height = 2, .width = 2, .top = 1, .left = 2};
  EXPECT_THROW(odd.of_plane(shape, 0), Invalid);
  EXPECT_EQ(odd.of_plane({1, 3, 8, 10, PixelFormat::Ycbcr422}, 1).left, 1);
}

TEST(PixelFormats, OnlyWholeSamplesAreMirrored) {
  const auto mirrored_as = [](std::int64_t w, PixelFormat format) {
    return infer(FlipOp{}, std::array{dense(DType::UInt8, Layout::Nchw, {1, 3, 4, w, format},
                                            Memory::Pageable)});
  };
  EXPECT_NO_THROW(mirrored_as(6, PixelFormat::Ycbcr420));
  EXPECT_THROW(mirrored_as(5, PixelFormat::Ycbcr420), Invalid);
  EXPECT_NO_THROW(mirrored_as(5, PixelFormat::Ycbcr440));
}

}  // namespace
}  // namespace normbench
