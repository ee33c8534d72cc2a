#include "ops/images/image.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>

#include "image_files.h"

namespace normbench::image_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Image decoded(const Bytes& file) {
  Image image;
  decode_image(file, image);
  return image;
}

/// What decoding says, or "" when it succeeds.
std::string complaint(const Bytes& file) try {
  decoded(file);
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

/// The largest difference of two images of equal size.
int difference(const Bytes& a, const Bytes& b) {
  EXPECT_EQ(a.size(), b.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// One colour everywhere, as a JPEG whose coefficients hold it exactly enough.
Bytes plain(const Bytes& colour) {
  Bytes pixels;
  for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), colour.begin(), colour.end());
  return pixels;
}

Bytes first_pixel(const Image& image) { return {image.rgb.begin(), image.rgb.begin() + 3}; }

TEST(Jpeg, BaselineAndProgressiveGiveTheSamePixels) {
  const Bytes pixels = gradient(21, 13, 3);
  const Image baseline = decoded(jpeg_file(pixels, 21, 13));
  const Image progressive = decoded(jpeg_file(pixels, 21, 13, {.progressive = true}));
  EXPECT_EQ(baseline.height, 21);
  EXPECT_EQ(baseline.width, 13);
  EXPECT_LE(difference(baseline.rgb, pixels), 3);
  EXPECT_EQ(progressive.rgb, baseline.rgb);
}

TEST(Jpeg, MemoryThatIsKeptIsUsedForOtherImages) {
  DecodeMemory memory;
  Image image;
  for (const int size : {40, 9, 64, 16}) {
    const Bytes file =
        jpeg_file(gradient(size, size + 3, 3), size, size + 3, {.progressive = true});
    decode_image(file, image, memory);
    EXPECT_EQ(image.rgb, decoded(file).rgb) << size;
  }
  EXPECT_GE(memory.coefficients.capacity(), 64u * 64 * 3 * 2);
}

TEST(Jpeg, IsDecodedSmallerWhereItMayBe) {
  const auto size_at_least = [](const Bytes& file, std::int64_t height, std::int64_t width) {
    DecodeMemory memory;
    Image image;
    decode_image(file, image, memory, {.height = height, .width = width});
    return std::pair(image.height, image.width);
  };
  const Bytes file = jpeg_file(gradient(40, 63, 3), 40, 63);
  using Size = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(size_at_least(file, 5, 8), Size(5, 8));      // an eighth, rounded up
  EXPECT_EQ(size_at_least(file, 5, 9), Size(10, 16));    // two eighths
  EXPECT_EQ(size_at_least(file, 15, 20), Size(15, 24));  // three
  EXPECT_EQ(size_at_least(file, 20, 32), Size(20, 32));  // half
  EXPECT_EQ(size_at_least(file, 21, 32), Size(40, 63));  // more than half
  EXPECT_EQ(size_at_least(file, 0, 0), Size(40, 63));
  EXPECT_EQ(size_at_least(png_file(gradient(16, 16, 3), 16, 16), 2, 2), Size(16, 16));
}

TEST(Jpeg, GrayGivesThreeEqualChannels) {
  const Image image =
      decoded(jpeg_file(plain({77}), 8, 8, {.pixels = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}));
  EXPECT_EQ(image.rgb, plain({77, 77, 77}));
}

TEST(Jpeg, RgbStoredWithoutConversion) {
  const Image image =
      decoded(jpeg_file(plain({200, 100, 50}), 8, 8, {.stored = JCS_RGB, .adobe = true}));
  EXPECT_EQ(image.rgb, plain({200, 100, 50}));
}

TEST(Jpeg, InksOfAdobeAreInverted) {
  // Stored 255 means no ink: red = 200 * 250 / 255 and so on.
  const Bytes pixels = plain({200, 100, 50, 250});
  const JpegOptions cmyk{.pixels = JCS_CMYK, .stored = JCS_CMYK, .adobe = true};
  EXPECT_THAT(first_pixel(decoded(jpeg_file(pixels, 8, 8, cmyk))), ElementsAre(196, 98, 49));
  const JpegOptions ycck{.pixels = JCS_CMYK, .stored = JCS_YCCK, .adobe = true};
  EXPECT_LE(difference(decoded(jpeg_file(pixels, 8, 8, ycck)).rgb, plain({196, 98, 49})), 2);
}

TEST(Jpeg, InksWithoutAdobeAreNotInverted) {
  const JpegOptions cmyk{.pixels = JCS_CMYK, .stored = JCS_CMYK};
  EXPECT_THAT(first_pixel(decoded(jpeg_file(plain({55, 155, 205, 5}), 8, 8, cmyk))),
              ElementsAre(196, 98, 49));
}

TEST(Png, GrayOfEveryDepth) {
  const auto gray = [](const Bytes& row, int width, int depth) {
    return decoded(png_file(row, 1, width, {SPNG_COLOR_TYPE_GRAYSCALE, depth})).rgb;
  };
  EXPECT_THAT(gray({0b01000000}, 2, 1), ElementsAre(0, 0, 0, 255, 255, 255));
  EXPECT_THAT(gray({0b01100000}, 2, 2), ElementsAre(85, 85, 85, 170, 170, 170));
  EXPECT_THAT(gray({0x1F}, 2, 4), ElementsAre(17, 17, 17, 255, 255, 255));
  EXPECT_THAT(gray({7, 130}, 2, 8), ElementsAre(7, 7, 7, 130, 130, 130));
  EXPECT_THAT(gray({0xFF, 0x12}, 1, 16), ElementsAre(0x12, 0x12, 0x12));
}

TEST(Png, ColourAndAlphaOfEveryDepth) {
  const auto pixel = [](const Bytes& samples, int type, int depth) {
    return decoded(png_file(samples, 1, 1, {type, depth})).rgb;
  };
  EXPECT_THAT(pixel({9, 8, 7}, SPNG_COLOR_TYPE_TRUECOLOR, 8), ElementsAre(9, 8, 7));
  EXPECT_THAT(pixel({0xFF, 9, 0, 8, 0x80, 7}, SPNG_COLOR_TYPE_TRUECOLOR, 16), ElementsAre(9, 8, 7));
  EXPECT_THAT(pixel({9, 8, 7, 0}, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 8), ElementsAre(9, 8, 7));
  EXPECT_THAT(pixel({0, 9, 0, 8, 0, 7, 1, 2}, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 16),
              ElementsAre(9, 8, 7));
  EXPECT_THAT(pixel({40, 128}, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, 8), ElementsAre(40, 40, 40));
  EXPECT_THAT(pixel({0, 40, 0, 1}, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, 16), ElementsAre(40, 40, 40));
}

TEST(Png, PaletteWithAndWithoutTransparency) {
  PngOptions options{SPNG_COLOR_TYPE_INDEXED, 4, {{1, 2, 3, 0}, {4, 5, 6, 0}}};
  EXPECT_THAT(decoded(png_file({0x10}, 1, 2, options)).rgb, ElementsAre(4, 5, 6, 1, 2, 3));
  options.palette_alpha = {0, 128};
  EXPECT_THAT(decoded(png_file({0x10}, 1, 2, options)).rgb, ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(Image, SaysWhatItCannotRead) {
  EXPECT_EQ(complaint({}), "empty file");
  EXPECT_EQ(complaint({'G', 'I', 'F', '8', '9', 'a'}),
            "not an image this version reads (JPEG and PNG; the file starts with 47 49 46 38)");
  EXPECT_EQ(complaint({'h'}),
            "not an image this version reads (JPEG and PNG; the file starts with 68)");
  Bytes jpeg = jpeg_file(gradient(16, 16, 3), 16, 16);
  jpeg.resize(jpeg.size() / 2 + 20);
  EXPECT_EQ(complaint(jpeg), "premature end of JPEG file");
  Bytes png = png_file(gradient(16, 16, 3), 16, 16);
  Bytes cut(png.begin(), png.begin() + png.size() / 2);
  EXPECT_EQ(complaint(cut), "premature end of PNG file");
  png[png.size() / 2] ^= 1;
  EXPECT_THAT(complaint(png), HasSubstr("damaged PNG: "));
}

TEST(Image, RefusesHugeSizes) {
  Bytes file = jpeg_file(gradient(8, 8, 3), 8, 8);
  for (std::size_t i = 0; i + 8 < file.size(); ++i)
    if (file[i] == 0xFF && file[i + 1] == 0xC0) {  // precision, then height and width, big-endian
      file[i + 5] = file[i + 7] = 0x80;
      break;
    }
  EXPECT_EQ(complaint(file), "32776x32776 pixels are too many (at most 268435456 in all)");
}

TEST(Image, EveryTruncationIsBroken) {
  const Bytes pixels = gradient(9, 10, 3);
  const Bytes png = png_file(pixels, 9, 10);
  const Bytes png_without_last_checksum(png.begin(),
                                        png.end() - 4);  // nothing of the image is lost
  for (const Bytes& file :
       {jpeg_file(pixels, 9, 10), jpeg_file(pixels, 9, 10, {.progressive = true}),
        png_without_last_checksum}) {
    ASSERT_EQ(complaint(file), "");
    for (std::size_t size = 0; size < file.size(); ++size)
      EXPECT_NE(complaint({file.begin(), file.begin() + size}), "")
          << size << " of " << file.size();
  }
}

TEST(Image, EveryDamageIsSurvived) {
  const Bytes pixels = gradient(9, 10, 3);
  const std::vector<Bytes> files{jpeg_file(pixels, 9, 10, {.quality = 60}),
                                 jpeg_file(pixels, 9, 10, {.quality = 60, .progressive = true}),
                                 png_file(pixels, 9, 10)};
  for (const Bytes& file : files)
    for (std::size_t i = 0; i < file.size(); ++i)
      for (const int bits : {0x01, 0xFF}) {
        Bytes damaged = file;
        damaged[i] ^= static_cast<std::uint8_t>(bits);
        Image image;
        try {
          decode_image(damaged, image);
          EXPECT_EQ(static_cast<std::int64_t>(image.rgb.size()), 3 * image.height * image.width);
        } catch (const std::runtime_error& error) {
          EXPECT_STRNE(error.what(), "");
        }
      }
}

}  // namespace
}  // namespace normbench::image_test
