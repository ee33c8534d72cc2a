#include "ops/images/exif.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "image_files.h"
#include "ops/images/image.h"
#include "webp_files.h"

namespace normbench::exif_test {
namespace {

Image decoded(const Bytes& file) {
  Image image;
  decode_image(file, image);
  return image;
}

TEST(Exif, ReadsBothByteOrdersAndBothSizes) {
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool little : {false, true})
      for (const std::uint32_t type : {3, 4})
        EXPECT_EQ(exif_orientation(exif_block(orientation, little, type)), orientation) << type;
}

TEST(Exif, ReadsABlockBehindItsMark) {
  Bytes marked = exif_segment(6, true);
  EXPECT_EQ(exif_orientation(marked), 6);
  marked.insert(marked.begin(), {'E', 'x', 'i', 'f', 0, 0});
  EXPECT_EQ(exif_orientation(marked), 6);
}

TEST(Exif, OtherNumbersAreUpright) {
  for (const int orientation : {0, 9, 255, 65535}) {
    EXPECT_EQ(exif_orientation(exif_block(orientation, true)), 1);
    EXPECT_EQ(exif_orientation(exif_block(orientation, false, 4)), 1);
  }
  EXPECT_EQ(exif_orientation(exif_block(6 << 16 | 3, true, 4)), 1);
  EXPECT_EQ(exif_orientation(exif_block(6, true, 5)), 1);  // type RATIONAL is no whole number
}

TEST(Exif, NumbersOfOtherTypesCountAsInPillow) {
  // The expected results are those of Pillow 13.0.0 for a JPEG whose Exif block has the orientation
  // `value`, and whose XMP has the orientation 3. Orientation 1 is upright.
  const auto turned = [](std::uint32_t type, const Bytes& value, std::uint32_t count = 1) {
    Bytes block = exif_block(0, true, type, count);
    if (value.size() > 4) block[30] = static_cast<std::uint8_t>(block.size());
    if (value.size() > 4)
      append(block, value);
    else
      std::ranges::copy(value, block.begin() + 30);
    return orientation_of(block, R"(tiff:Orientation="3")");
  };
  EXPECT_EQ(turned(1, {6}), 1);            // BYTE
  EXPECT_EQ(turned(2, {'6', 0}, 2), 1);    // ASCII
  EXPECT_EQ(turned(6, {6}), 6);            // SBYTE
  EXPECT_EQ(turned(7, {6}), 1);            // UNDEFINED
  EXPECT_EQ(turned(13, {6, 0, 0, 0}), 6);  // IFD
  EXPECT_EQ(turned(14, {6, 0, 0, 0}), 3);  // no type of TIFF
  for (const std::uint32_t rational : {5, 10}) {
    EXPECT_EQ(turned(rational, {6, 0, 0, 0, 1, 0, 0, 0}), 6);
    EXPECT_EQ(turned(rational, {12, 0, 0, 0, 2, 0, 0, 0}), 6);
    EXPECT_EQ(turned(rational, {13, 0, 0, 0, 2, 0, 0, 0}), 1);
    EXPECT_EQ(turned(rational, {0, 0, 0, 0, 0, 0, 0, 0}), 1);
  }
  EXPECT_EQ(turned(11, {0, 0, 0xC0, 0x40}), 6);  // 6 as FLOAT; the next line has 6.5
  EXPECT_EQ(turned(11, {0, 0, 0xD0, 0x40}), 1);
  EXPECT_EQ(turned(12, {0, 0, 0, 0, 0, 0, 0x18, 0x40}), 6);  // DOUBLE
}

TEST(Exif, TheFirstOfSeveralNumbersCounts) {
  EXPECT_EQ(exif_orientation(exif_block(6, true, 3, 2)), 6);
  EXPECT_EQ(exif_orientation(exif_block(6, true, 3, 0)), std::nullopt);
  Bytes elsewhere = exif_block(0, true, 3, 3);
  elsewhere[30] = static_cast<std::uint8_t>(elsewhere.size());  // the offset of the three numbers
  append(elsewhere, {8, 0, 1, 0, 3, 0});
  EXPECT_EQ(exif_orientation(elsewhere), 8);
  elsewhere.pop_back();
  EXPECT_EQ(exif_orientation(elsewhere), std::nullopt);
}

TEST(Exif, MalformedDataSaysNothing) {
  EXPECT_EQ(exif_orientation({}), std::nullopt);
  Bytes far = exif_block(6, true);
  far[4] = far[5] = far[6] = far[7] = 0xFF;  // the offset of the directory, far behind the block
  EXPECT_EQ(exif_orientation(far), std::nullopt);
  for (const std::size_t at : {0, 1, 2}) {
    Bytes no_exif = exif_block(6, true);
    no_exif[at] = 'X';
    EXPECT_EQ(exif_orientation(no_exif), std::nullopt) << at;
  }
  Bytes many = exif_block(6, true);
  many[8] = many[9] = 0xFF;  // the number of entries: more than the block has
  EXPECT_EQ(exif_orientation(many), 6);
}

TEST(Exif, EveryTruncationIsSurvived) {
  const Bytes whole = exif_block(6, false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = exif_orientation(std::span(whole).first(size));
    EXPECT_TRUE(!found || found == 6) << size;
  }
}

TEST(Xmp, ReadsAttributesAndElements) {
  EXPECT_EQ(xmp_orientation(R"(<rdf tiff:Orientation="6"/>)"), 6);
  EXPECT_EQ(xmp_orientation("<tiff:Orientation>8</tiff:Orientation>"), 8);
  EXPECT_EQ(xmp_orientation(R"(<tiff:Orientation/> tiff:Orientation="3")"), 3);
  EXPECT_EQ(xmp_orientation(R"(tiff:Orientation="9")"), 1);
  for (const char* other : {"", "tiff:Orientation", "tiff:Orientation=\"", "tiff:Orientation='6'"})
    EXPECT_EQ(xmp_orientation(other), std::nullopt) << other;
}

TEST(Xmp, CountsWhereExifSaysNothing) {
  const std::string_view xmp = R"(tiff:Orientation="6")";
  EXPECT_EQ(orientation_of({}, xmp), 6);
  EXPECT_EQ(orientation_of(exif_block(3, true), xmp), 3);
  EXPECT_EQ(orientation_of(exif_block(1, true), xmp), 1);
  EXPECT_EQ(orientation_of(exif_block(6, true, 3, 0), xmp), 6);
  EXPECT_EQ(orientation_of({}, ""), 1);
}

/// Returns the row and column, in the stored image of height x width pixels, of the pixel that is
/// at (y, x) when the image is shown upright.
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

/// Returns the stored image as it is shown upright.
Image turned(const Image& stored, int orientation) {
  const int height = static_cast<int>(stored.height), width = static_cast<int>(stored.width);
  Image out;
  set_size(out, orientation < 5 ? height : width, orientation < 5 ? width : height);
  out.rgb.clear();
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const auto [from_y, from_x] = seen(orientation, y, x, height, width);
      const auto pixel = stored.rgb.begin() + 3 * (from_y * width + from_x);
      out.rgb.insert(out.rgb.end(), pixel, pixel + 3);
    }
  return out;
}

void expect_turned(const Image& image, const Image& stored, int orientation) {
  const Image expected = turned(stored, orientation);
  EXPECT_EQ(image.height, expected.height);
  EXPECT_EQ(image.width, expected.width);
  EXPECT_EQ(image.rgb, expected.rgb) << "orientation " << orientation;
}

constexpr int height = 5, width = 3;

TEST(Exif, TurnsJpegs) {
  const Bytes pixels = gradient(height, width, 3);
  const Image stored = decoded(jpeg_file(pixels, height, width));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes app1 = exif_segment(orientation, orientation % 2 == 0);
    expect_turned(decoded(jpeg_file(pixels, height, width, {.app1 = app1})), stored, orientation);
  }
}

TEST(Exif, TurnsPngsWithItBeforeAndBehindThePixels) {
  const Bytes png = png_file(gradient(height, width, 3), height, width);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes exif = png_chunk("eXIf", exif_block(orientation, orientation % 2 == 0));
    for (const char* before : {"IDAT", "IEND"})
      expect_turned(decoded(with_chunks(png, before, exif)), decoded(png), orientation);
  }
}

TEST(Exif, TurnsWebPs) {
  const Bytes webp = webp_file(gradient(height, width, 3), height, width);
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool marked : {false, true}) {
      const Bytes exif = marked ? exif_segment(orientation, false) : exif_block(orientation, true);
      expect_turned(decoded(webp_with_exif(webp, height, width, exif)), decoded(webp), orientation);
    }
}

TEST(Exif, TurnsGray) {
  const Bytes pixels = gradient(height, width, 1);
  JpegOptions options{.pixels = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE};
  const Image stored = decoded(jpeg_file(pixels, height, width, options));
  for (std::size_t i = 0; i < pixels.size(); ++i)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(stored.rgb[3 * i + c], pixels[i], 2);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    options.app1 = exif_segment(orientation, true);
    expect_turned(decoded(jpeg_file(pixels, height, width, options)), stored, orientation);
  }
}

TEST(Exif, TurnsInks) {
  const JpegOptions options{
      .pixels = JCS_CMYK, .stored = JCS_CMYK, .adobe = true, .app1 = exif_segment(6, true)};
  const Bytes pixels = gradient(4, 2, 4);
  JpegOptions upright = options;
  upright.app1 = {};
  expect_turned(decoded(jpeg_file(pixels, 4, 2, options)),
                decoded(jpeg_file(pixels, 4, 2, upright)), 6);
}

/// Inserts the segments as APP1 markers at the start of a JPEG.
Bytes with_segments(Bytes jpeg, const std::vector<Bytes>& segments) {
  Bytes markers;
  for (const Bytes& segment : segments) {
    append(markers, {0xFF, 0xE1, static_cast<std::uint8_t>((segment.size() + 2) >> 8),
                     static_cast<std::uint8_t>(segment.size() + 2)});
    append(markers, segment);
  }
  jpeg.insert(jpeg.begin() + 2, markers.begin(), markers.end());
  return jpeg;
}

TEST(Exif, TheFirstOfSeveralSegmentsCounts) {
  const Bytes jpeg = jpeg_file(gradient(height, width, 3), height, width);
  const Image stored = decoded(jpeg);
  const auto expect = [&](const std::vector<Bytes>& segments, int orientation) {
    expect_turned(decoded(with_segments(jpeg, segments)), stored, orientation);
  };
  const Bytes three = exif_segment(3, true), six = exif_segment(6, false);
  expect({three, six}, 3);
  expect({six, three}, 6);
  expect({exif_segment(1, true), six}, 1);
  const auto half = three.begin() + 20;
  Bytes rest{'E', 'x', 'i', 'f', 0, 0};
  rest.insert(rest.end(), half, three.end());
  expect({{three.begin(), half}, rest}, 3);  // a block may continue in the next segment
}

TEST(Xmp, TurnsEveryFormat) {
  const Bytes pixels = gradient(height, width, 3);
  const std::string text = R"(<x tiff:Orientation="6"/>)";
  const Bytes jpeg = jpeg_file(pixels, height, width);
  const Bytes segment = bytes_of(std::string("http://ns.adobe.com/xap/1.0/\0", 29) + text);
  expect_turned(decoded(with_segments(jpeg, {segment})), decoded(jpeg), 6);
  expect_turned(decoded(with_segments(jpeg, {segment, exif_segment(3, true)})), decoded(jpeg), 3);

  const Bytes png = png_file(pixels, height, width);
  const Bytes chunk =
      png_chunk("iTXt", bytes_of(std::string("XML:com.adobe.xmp\0\0\0\0\0", 22) + text));
  for (const char* before : {"IDAT", "IEND"})
    expect_turned(decoded(with_chunks(png, before, chunk)), decoded(png), 6);

  const Bytes webp = webp_file(pixels, height, width);
  Bytes chunks = webp_payload(webp);
  append(chunks, webp_chunk("XMP ", bytes_of(text)));
  expect_turned(decoded(extended_webp(WebPXmp, height, width, chunks)), decoded(webp), 6);
}

TEST(Exif, TurnsPngsByARawProfile) {
  const Bytes png = png_file(gradient(height, width, 3), height, width);
  std::string profile = "\nexif\n      44\n";
  for (const std::uint8_t byte : exif_segment(6, true)) profile += fmt::format("{:02x}", byte);
  const std::string keyword("Raw profile type exif\0", 22);
  expect_turned(decoded(with_chunks(png, "IDAT", png_chunk("tEXt", bytes_of(keyword + profile)))),
                decoded(png), 6);

  Bytes text = bytes_of(keyword + std::string(1, '\0'));
  append(text, deflated(bytes_of(profile)));
  const Bytes chunk = png_chunk("zTXt", text);
  expect_turned(decoded(with_chunks(png, "IEND", chunk)), decoded(png), 6);
  const Bytes exif = png_chunk("eXIf", exif_block(3, true));
  expect_turned(decoded(with_chunks(with_chunks(png, "IDAT", exif), "IEND", chunk)), decoded(png),
                3);
  for (const char* bad : {"", "\n", "\nexif\n", "\nexif\n 2\nxy"})
    expect_turned(decoded(with_chunks(png, "IDAT", png_chunk("tEXt", bytes_of(keyword + bad)))),
                  decoded(png), 1);
}

}  // namespace
}  // namespace normbench::exif_test
