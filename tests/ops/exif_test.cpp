#include <gmock/gmock.h>

#include "image_files.h"
#include "ops/images/image.h"
#include "ops/images/jpeg.h"

namespace normbench::exif_test {
namespace {

/// An APP1 payload with the orientation as the second of two entries.
Bytes exif(int orientation, bool little) {
  Bytes bytes{'E', 'x', 'i', 'f', 0, 0};
  const auto put = [&](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (little ? i : size - 1 - i)));
  };
  put(little ? 0x4949 : 0x4D4D, 2);
  put(42, 2);
  put(8, 4);
  put(2, 2);
  for (const std::uint32_t tag : {0x010Fu, 0x0112u}) {
    put(tag, 2);
    put(3, 2);
    put(1, 4);
    put(tag == 0x0112u ? orientation : 5, 2);
    put(0, 2);
  }
  put(0, 4);
  return bytes;
}

Image decoded(const Bytes& file) {
  Image image;
  decode_image(file, image);
  return image;
}

TEST(Exif, ReadsBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool little : {false, true})
      EXPECT_EQ(exif_orientation(exif(orientation, little)), orientation);
}

TEST(Exif, MalformedDataIsUpright) {
  EXPECT_EQ(exif_orientation({}), 1);
  EXPECT_EQ(exif_orientation(exif(0, true)), 1);
  EXPECT_EQ(exif_orientation(exif(9, false)), 1);
  Bytes far = exif(6, true);
  far[10] = far[11] = far[12] = far[13] = 0xFF;  // the directory's offset
  EXPECT_EQ(exif_orientation(far), 1);
  Bytes no_exif = exif(6, true);
  no_exif[0] = 'X';
  EXPECT_EQ(exif_orientation(no_exif), 1);
}

TEST(Exif, EveryTruncationIsSurvived) {
  const Bytes whole = exif(6, false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const int found = exif_orientation(std::span(whole).first(size));
    EXPECT_TRUE(found == 1 || found == 6) << size;
  }
}

/// The pixel of the stored image (height x width) that an upright viewer sees at (y, x).
std::pair<int, int> seen(int orientation, int y, int x, int height, int width) {
  switch (orientation) {
    case 2:
      return {y, width - 1 - x};
    case 3:
      return {height - 1 - y, width - 1 - x};
    case 4:
      return {height - 1 - y, x};
    case 5:
      return {x, y};
    case 6:
      return {height - 1 - x, y};
    case 7:
      return {height - 1 - x, width - 1 - y};
    case 8:
      return {x, width - 1 - y};
    default:
      return {y, x};
  }
}

TEST(Exif, TurnsThePixels) {
  constexpr int height = 5, width = 3;
  const Bytes pixels = gradient(height, width, 3);
  const Image stored = decoded(jpeg_file(pixels, height, width));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const bool little = orientation % 2 == 0;
    const Image turned =
        decoded(jpeg_file(pixels, height, width, {.app1 = exif(orientation, little)}));
    const int rows = orientation < 5 ? height : width, columns = orientation < 5 ? width : height;
    ASSERT_EQ(turned.height, rows);
    ASSERT_EQ(turned.width, columns);
    Bytes expected;
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        const auto [from_y, from_x] = seen(orientation, y, x, height, width);
        const auto pixel = stored.rgb.begin() + 3 * (from_y * width + from_x);
        expected.insert(expected.end(), pixel, pixel + 3);
      }
    EXPECT_EQ(turned.rgb, expected) << "orientation " << orientation;
  }
}

TEST(Exif, TurnsInks) {
  const JpegOptions options{
      .pixels = JCS_CMYK, .stored = JCS_CMYK, .adobe = true, .app1 = exif(6, true)};
  const Image image = decoded(jpeg_file(gradient(4, 2, 4), 4, 2, options));
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.width, 4);
}

}  // namespace
}  // namespace normbench::exif_test
