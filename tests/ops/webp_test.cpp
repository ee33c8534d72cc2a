#include "ops/images/webp.h"

#include <gmock/gmock.h>
#include <webp/decode.h>

#include <algorithm>

#include "ops/decoding.h"
#include "webp_files.h"

namespace normbench::webp_test {
namespace {

using decoding::complaint;
using decoding::data;
using decoding::decoded;
using testing::ElementsAre;

Bytes rgb_of(const Bytes& rgba) {
  Bytes rgb;
  for (std::size_t i = 0; i < rgba.size(); i += 4)
    rgb.insert(rgb.end(), rgba.begin() + static_cast<std::ptrdiff_t>(i),
               rgba.begin() + static_cast<std::ptrdiff_t>(i) + 3);
  return rgb;
}

TEST(WebP, LosslessGivesThePixels) {
  const Bytes pixels = gradient(21, 13, 3);
  const Image image = decoded(webp_file(pixels, 21, 13));
  EXPECT_EQ(image.height, 21);
  EXPECT_EQ(image.width, 13);
  EXPECT_EQ(image.rgb, pixels);
}

TEST(WebP, AlphaIsDroppedAndWhatLiesUnderItKept) {
  const Bytes rgba = gradient(9, 70, 4);  // all alpha values from 0 to 255
  EXPECT_EQ(decoded(webp_file(rgba, 9, 70)).rgb, rgb_of(rgba));
}

TEST(WebP, LossyGivesWhatLibwebpMakesOfIt) {
  for (const int channels : {3, 4}) {
    const Bytes file = webp_file(gradient(21, 33, channels), 21, 33, {.lossless = false});
    int width = 0, height = 0;
    std::uint8_t* const rgba = WebPDecodeRGBA(file.data(), file.size(), &width, &height);
    ASSERT_NE(rgba, nullptr);
    const Bytes expected(rgba, rgba + std::ptrdiff_t{4} * width * height);
    WebPFree(rgba);
    EXPECT_EQ(decoded(file).rgb, rgb_of(expected));
  }
}

TEST(WebP, IsReadUnderAnyName) {
  const Image image = decoded(data("webp-named.jpg"));  // lossy; the pixels below are Pillow's
  EXPECT_EQ(image.height, 24);
  EXPECT_EQ(image.width, 32);
  const auto pixel = [&](std::ptrdiff_t y, std::ptrdiff_t x) {
    return Bytes(&image.rgb[3 * (32 * y + x)], &image.rgb[3 * (32 * y + x)] + 3);
  };
  EXPECT_THAT(pixel(0, 0), ElementsAre(0, 2, 8));
  EXPECT_THAT(pixel(0, 31), ElementsAre(243, 3, 125));
  EXPECT_THAT(pixel(23, 0), ElementsAre(4, 224, 93));
  EXPECT_THAT(pixel(23, 31), ElementsAre(254, 230, 213));
  EXPECT_THAT(pixel(11, 17), ElementsAre(136, 111, 113));
}

TEST(WebP, OfAnAnimationTheFirstFrameIsShownOnBlack) {
  const Bytes small = gradient(3, 5, 3), other = Bytes(12 * 3, 200);
  Bytes frames = webp_frame(webp_file(small, 3, 5), 2, 4, 3, 5);
  append(frames, webp_frame(webp_file(other, 3, 4), 0, 0, 3, 4));
  const Bytes file = animated_webp(7, 11, frames);
  Bytes expected(7 * 11 * 3, 0);
  for (int y = 0; y < 3; ++y)
    std::copy_n(small.begin() + 15 * y, 15, expected.begin() + 3 * (11 * (y + 2) + 4));
  Image image;
  image.rgb.assign(7 * 11 * 3, 99);  // memory of an earlier image
  DecodeMemory memory;
  decode_image(file, image, memory);
  EXPECT_EQ(image.height, 7);
  EXPECT_EQ(image.width, 11);
  EXPECT_EQ(image.rgb, expected);
}

TEST(WebP, MemoryThatIsKeptIsUsedForOtherImages) {
  DecodeMemory memory;
  Image image;
  for (const int size : {40, 9, 64, 16})
    for (const int orientation : {1, 6}) {
      const Bytes file = webp_with_exif(webp_file(gradient(size, size + 3, 3), size, size + 3),
                                        size, size + 3, exif_block(orientation, true));
      decode_image(file, image, memory);
      EXPECT_EQ(image.rgb, decoded(file).rgb) << size;
      EXPECT_EQ(image.width, orientation == 6 ? size : size + 3);
    }
  EXPECT_GE(memory.stored.capacity(), 64u * 67 * 3);
}

TEST(WebP, HugeSizesAreRefused) {
  const Bytes frame = webp_frame(webp_file(gradient(3, 5, 3), 3, 5), 0, 0, 3, 5);
  EXPECT_EQ(complaint(animated_webp(65000, 65000, frame)),
            "65000x65000 pixels are too many (at most 268435456 in all)");
}

TEST(WebP, DamageIsNamed) {
  const Bytes file = webp_file(gradient(16, 16, 3), 16, 16);
  EXPECT_EQ(complaint({file.begin(), file.end() - 1}), "premature end of WebP file");
  EXPECT_EQ(complaint({file.begin(), file.begin() + 10}), "premature end of WebP file");
  // The canvas has another size than the only picture on it.
  EXPECT_EQ(complaint(extended_webp(0, 17, 16, webp_payload(file))), "damaged WebP");
  EXPECT_EQ(complaint(animated_webp(16, 16, {})), "damaged WebP");  // without a frame
  Bytes longer = file;
  append(longer, bytes_of("what follows is not looked at"));
  EXPECT_EQ(decoded(longer).rgb, decoded(file).rgb);
}

}  // namespace
}  // namespace normbench::webp_test
