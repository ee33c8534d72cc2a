#include "ops/images/ycbcr_image.h"

#include <gmock/gmock.h>

#include "ops/decoding.h"
#include "ops/images/jpeg.h"
#include "ops/ycbcr.h"

namespace normbench {
namespace {

struct Sampling {
  PixelFormat format;
  int across, down;
};
constexpr std::array samplings{
    Sampling{PixelFormat::Ycbcr444, 1, 1}, Sampling{PixelFormat::Ycbcr422, 2, 1},
    Sampling{PixelFormat::Ycbcr440, 1, 2}, Sampling{PixelFormat::Ycbcr420, 2, 2},
    Sampling{PixelFormat::Ycbcr411, 4, 1}};

/// Returns pixels of many colours.
Bytes colours(int height, int width) {
  Bytes pixels;
  std::uint32_t state = 7;
  for (int i = 0; i < 3 * height * width; ++i) {
    state = state * 1664525 + 1013904223;
    pixels.push_back(static_cast<std::uint8_t>((i * 7 + (state >> 27) * 6) & 255));
  }
  return pixels;
}

YcbcrImage planes_of(const Bytes& file, const LeastSize& least = {}) {
  YcbcrImage image;
  DecodeMemory memory;
  Image pixels;
  decode_planes(file, image, memory, pixels, least);
  return image;
}

/// Returns the decoded planes as one tensor. They must have the sizes that their format says.
Tensor64 tensor_of(YcbcrImage& image) {
  Tensor64 all{.shape = {1, 3, image.height, image.width, image.format}, .values = {}};
  for (std::int64_t c = 0; c < 3; ++c) {
    const View plane = view_of(image, c);
    EXPECT_EQ(plane.desc.shape, all.shape.plane(c));
    const Tensor64 values = to_double(plane, 0, 1);
    all.values.insert(all.values.end(), values.values.begin(), values.values.end());
  }
  return all;
}

/// Compares an RGB tensor with a decoded picture. No value may be further off than `most`.
void expect_pixels(const Tensor64& rgb, const Image& image, const std::string& name,
                   double most = 0) {
  ASSERT_EQ(rgb.shape, (Shape{1, 3, image.height, image.width})) << name;
  const std::int64_t pixels = image.height * image.width;
  for (std::int64_t i = 0; i < 3 * pixels; ++i)
    ASSERT_NEAR(rgb.values[static_cast<std::size_t>(i % 3 * pixels + i / 3)],
                image.rgb[static_cast<std::size_t>(i)], most)
        << name << ", element " << i;
}

TEST(DecodePlanes, ThenToRgbGivesLibjpegsPixels) {
  for (const Sampling& sampling : samplings)
    for (const auto& [height, width] :
         {std::pair(1, 1), {2, 3}, {3, 5}, {8, 8}, {5, 17}, {16, 16}, {33, 47}, {64, 50}})
      for (const bool progressive : {false, true}) {
        const Bytes file = jpeg_file(colours(height, width), height, width,
                                     {.quality = 80,
                                      .progressive = progressive,
                                      .across = sampling.across,
                                      .down = sampling.down});
        YcbcrImage image = planes_of(file);
        EXPECT_EQ(image.format, sampling.format);
        const std::string name =
            std::string(name_of(sampling.format)) + " " + std::to_string(width);
        expect_pixels(jpeg_rgb_of(tensor_of(image)), decoding::decoded(file), name);
      }
}

// libjpeg rounds ties of chroma up or down by the place of the pixel before it is turned, so chroma
// may be off by 1, and red, green and blue by 2.
TEST(DecodePlanes, TurnsThemUpright) {
  for (const Sampling& sampling : samplings)
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const JpegOptions options{.quality = 80,
                                .app1 = exif_segment(orientation, true),
                                .across = sampling.across,
                                .down = sampling.down};
      const Bytes file = jpeg_file(colours(32, 24), 32, 24, options);
      YcbcrImage image = planes_of(file);
      EXPECT_EQ(image.height, orientation < 5 ? 32 : 24);
      if (image.format == PixelFormat::Rgb) continue;  // 4:1:1 has no name after it was turned
      expect_pixels(jpeg_rgb_of(tensor_of(image)), decoding::decoded(file),
                    std::string(name_of(sampling.format)) + std::to_string(orientation),
                    orientation == 1 ? 0 : 2);
    }
}

TEST(DecodePlanes, OfATurnedPictureBeginWithinASample) {
  const Bytes file =
      jpeg_file(colours(9, 15), 9, 15,
                {.quality = 80, .app1 = exif_segment(3, true), .across = 2, .down = 2});
  const YcbcrImage image = planes_of(file);  // turned by 180 degrees
  EXPECT_EQ(image.planes[1].rows.begin, 0.5);
  EXPECT_EQ(image.planes[1].rows.length, 4.5);
  EXPECT_EQ(image.planes[1].columns.begin, 0.5);
  EXPECT_EQ(image.planes[0].rows.begin, 0);
  YcbcrImage turned = image, stored = planes_of(jpeg_file(colours(9, 15), 9, 15,
                                                          {.quality = 80, .across = 2, .down = 2}));
  for (std::int64_t c = 0; c < 3; ++c) {
    std::vector<double> reversed = to_double(view_of(stored, c), 0, 1).values;
    std::ranges::reverse(reversed);
    EXPECT_EQ(to_double(view_of(turned, c), 0, 1).values, reversed);
  }
}

TEST(DecodePlanes, SayWhichPartThePictureFills) {
  const YcbcrImage image =
      planes_of(jpeg_file(colours(9, 15), 9, 15, {.quality = 80, .across = 2, .down = 2}));
  EXPECT_EQ(image.planes[1].height, 5);
  EXPECT_EQ(image.planes[1].width, 8);
  EXPECT_EQ(image.planes[1].rows.length, 4.5);
  EXPECT_EQ(image.planes[1].columns.length, 7.5);
  EXPECT_EQ(image.planes[0].columns.length, 15);
}

TEST(DecodePlanes, GrayHasOneSampleOfChroma) {
  const Bytes file =
      jpeg_file(gradient(9, 15, 1), 9, 15, {.pixels = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE});
  YcbcrImage image = planes_of(file);
  EXPECT_EQ(image.format, PixelFormat::Rgb);
  EXPECT_EQ(to_double(view_of(image, 1), 0, 1).values, std::vector{128.0});
  EXPECT_EQ(to_double(view_of(image, 2), 0, 1).values, std::vector{128.0});
  const Image pixels = decoding::decoded(file);
  const Tensor64 y = to_double(view_of(image, 0), 0, 1);
  for (std::size_t i = 0; i < y.values.size(); ++i) EXPECT_EQ(y.values[i], pixels.rgb[3 * i]);
}

TEST(DecodePlanes, OtherFilesAreConverted) {
  const Bytes cmyk = decoding::data("cmyk-with-adobe-marker.jpg"),
              rgb = jpeg_file(colours(12, 9), 12, 9, {.stored = JCS_RGB}),
              png = png_file(colours(12, 9), 12, 9);
  for (const Bytes& file : {cmyk, rgb, png}) {
    YcbcrImage image = planes_of(file);
    EXPECT_EQ(image.format, PixelFormat::Rgb);
    const Image pixels = decoding::decoded(file);
    image.format = PixelFormat::Ycbcr444;
    const Tensor64 back = rgb_of(tensor_of(image));
    const std::int64_t count = pixels.height * pixels.width;
    for (std::int64_t i = 0; i < 3 * count; ++i)
      // Y, Cb and Cr are rounded, and their weights are at most 1, 1.402 and 1.772.
      ASSERT_NEAR(back.values[static_cast<std::size_t>(i % 3 * count + i / 3)],
                  pixels.rgb[static_cast<std::size_t>(i)], 1.4);
  }
}

TEST(DecodePlanes, AtAReducedSizeKeepTheirShares) {
  const Bytes file = jpeg_file(colours(64, 97), 64, 97, {.quality = 80, .across = 2, .down = 2});
  const YcbcrImage image = planes_of(file, {.height = 16, .width = 16});
  EXPECT_EQ(image.height, 64);  // of the picture
  EXPECT_EQ(image.planes[0].height, 16);
  EXPECT_EQ(image.planes[0].width, 25);
  EXPECT_EQ(image.planes[0].columns.length, 97 / 4.0);
  EXPECT_EQ(image.planes[1].columns.length * 64, image.planes[1].rows.length * 97);
}

TEST(DecodePlanes, RefuseWhatDecodingToPixelsRefuses) {
  Bytes file = jpeg_file(colours(64, 64), 64, 64, {.quality = 80, .across = 2, .down = 2});
  EXPECT_EQ(jpeg_pixel_format(file), PixelFormat::Ycbcr420);
  file.resize(file.size() / 2);
  EXPECT_THROW(planes_of(file), std::runtime_error);
  EXPECT_THROW(planes_of({}), std::runtime_error);
  EXPECT_THROW(planes_of(bytes_of("no picture")), std::runtime_error);
}

}  // namespace
}  // namespace normbench
