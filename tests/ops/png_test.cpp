#include "ops/images/png.h"

#include <gmock/gmock.h>

#include "ops/decoding.h"

namespace normbench::png_test {
namespace {

using decoding::complaint;
using decoding::data;
using decoding::decoded;
using decoding::ramp;
using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(Png, SixteenBitsGiveTheHighByteAndAWord) {
  const Image gray = decoded(png_file({0xFF, 0x12}, 1, 1, {SPNG_COLOR_TYPE_GRAYSCALE, 16}));
  EXPECT_THAT(gray.rgb, ElementsAre(0x12, 0x12, 0x12));
  EXPECT_THAT(gray.remarks, ElementsAre(Remark::HighBytes));
  const Image colour =
      decoded(png_file({0xFF, 9, 0, 8, 0x80, 7}, 1, 1, {SPNG_COLOR_TYPE_TRUECOLOR, 16}));
  EXPECT_THAT(colour.remarks, ElementsAre(Remark::HighBytes));
  const Image depth = decoded(data("depth-16-bit.png"));  // 16-bit values below 256
  EXPECT_THAT(depth.rgb, testing::Each(0));
  EXPECT_THAT(depth.remarks, ElementsAre(Remark::HighBytes));
  EXPECT_THAT(decoded(png_file({7}, 1, 1, {SPNG_COLOR_TYPE_GRAYSCALE, 8})).remarks, IsEmpty());
}

TEST(Png, IsTurnedAsItsExifChunkSays) {
  const Image image = decoded(data("orientation6.png"));
  EXPECT_EQ(image.height, 64);
  EXPECT_EQ(image.width, 48);
  const Bytes stored = ramp(48, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 48; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(image.rgb[3 * (48 * y + x) + c], stored[3 * (64 * (47 - x) + y) + c]);
  EXPECT_THAT(image.remarks, IsEmpty());
}

Bytes first(const Bytes& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
}

Bytes with_byte(Bytes bytes, std::size_t at, int bits) {
  bytes[at] ^= static_cast<std::uint8_t>(bits);
  return bytes;
}

/// A PNG of 16x16 pixels for tests to damage. Its pixel data is followed only by the IEND chunk of
/// 12 bytes.
struct Damaged : testing::Test {
  const Bytes pixels = gradient(16, 16, 3);
  const Bytes whole = png_file(pixels, 16, 16);
  const std::size_t data = chunk_at(whole, "IDAT"), end = chunk_at(whole, "IEND");

  void expect_repaired(const Bytes& file) const {
    const Image image = decoded(file);
    EXPECT_EQ(image.rgb, pixels);
    EXPECT_THAT(image.remarks, ElementsAre(Remark::Repaired));
  }
};

TEST_F(Damaged, AnEndThatIsWrongIsReadWithAWord) {
  expect_repaired(with_byte(whole, whole.size() - 1, 1));  // the last chunk's checksum
  expect_repaired(first(whole, end));
  Bytes other = first(whole, end);
  append(other, bytes_of("garbage, as long as a chunk, in place of the end"));
  expect_repaired(other);
  other = first(whole, end);
  append(other, Bytes(100, 0));
  expect_repaired(other);
  other = first(whole, end);
  append(other, png_chunk("IEND", {1, 2, 3}));
  expect_repaired(other);
  other = whole;
  append(other, bytes_of("what follows is not looked at"));
  EXPECT_THAT(decoded(other).remarks, IsEmpty());
}

TEST_F(Damaged, EveryTruncationThatLeavesThePixelsIsRepaired) {
  const std::size_t checksum_of_data = end - 4, checksum_of_pixels = checksum_of_data - 4;
  for (std::size_t size = checksum_of_pixels; size < whole.size(); ++size)
    expect_repaired(first(whole, size));
  for (std::size_t size = 0; size < checksum_of_pixels - 2; ++size)
    EXPECT_EQ(complaint(first(whole, size)), size == 0 ? "empty file" : "premature end of PNG file")
        << size;
}

TEST_F(Damaged, AWrongChecksumIsReadWherePixelsHaveARightOne) {
  expect_repaired(with_byte(whole, end - 1, 1));  // the checksum of the pixel chunk
  expect_repaired(with_chunks(whole, "IDAT", with_byte(png_chunk("gAMA", {0, 0, 1, 1}), 9, 1)));
  expect_repaired(with_chunks(whole, "IEND", with_byte(png_chunk("tEXt", {'a', 0, 'b'}), 9, 1)));
  EXPECT_EQ(complaint(with_byte(whole, data + 20, 1)).substr(0, 13), "damaged PNG: ");
  EXPECT_EQ(complaint(with_byte(whole, data - 1, 1)), "damaged PNG: invalid chunk checksum");
  const Bytes sum_of_pixels = with_byte(whole, end - 5, 1);  // zlib checksum; the CRC is wrong, too
  EXPECT_EQ(complaint(sum_of_pixels).substr(0, 13), "damaged PNG: ");
}

TEST_F(Damaged, AWrongHeaderAllocatesNothing) {
  Bytes file = with_byte(whole, 21, 0xFF);  // adds 255 * 65536 rows
  Image image;
  DecodeMemory memory;
  EXPECT_THROW(decode_image(file, image, memory), std::runtime_error);
  EXPECT_EQ(image.rgb.capacity(), 0u);
}

TEST_F(Damaged, PixelsWithoutAnyChecksumAreBroken) {
  // The file ends within the checksum of the zlib stream. In this case the pixels count as right if
  // the checksums of all complete chunks are right.
  const std::size_t length = end - data - 12;
  const auto part = [&](std::size_t from, std::size_t count) {
    return Bytes(&whole[data + 8 + from], &whole[data + 8 + from] + count);
  };
  Bytes file = first(whole, data);
  append(file, png_chunk("IDAT", part(0, 9)));
  const std::size_t first_sum = file.size() - 1;
  append(file, png_chunk("IDAT", part(9, length - 9)));
  file.resize(file.size() - 6);
  expect_repaired(file);
  EXPECT_NE(complaint(with_byte(file, first_sum, 1)), "");
}

TEST_F(Damaged, AnExifChunkWithAWrongChecksumTurnsNothing) {
  const Bytes exif = with_byte(png_chunk("eXIf", exif_block(6, true)), 40, 1);
  for (const char* before : {"IDAT", "IEND"}) expect_repaired(with_chunks(whole, before, exif));
}

TEST_F(Damaged, AnUnknownCriticalChunkIsPassedOver) {
  expect_repaired(with_chunks(whole, "IDAT", png_chunk("ABCD", {1, 2, 3})));
  EXPECT_THAT(decoded(with_chunks(whole, "IDAT", png_chunk("abCd", {1, 2, 3}))).remarks, IsEmpty());
}

/// Returns the file with `bytes` as its uncompressed pixel data. The checksum of its pixel chunk is
/// wrong.
Bytes with_pixels(const Bytes& file, const Bytes& bytes) {
  Bytes other = first(file, chunk_at(file, "IDAT"));
  Bytes pixels = png_chunk("IDAT", deflated(bytes));
  pixels.back() ^= 1;
  append(other, pixels);
  append(other, png_chunk("IEND", {}));
  return other;
}

TEST_F(Damaged, NoMoreIsInflatedThanThePictureHas) {
  Bytes rows;
  for (int y = 0; y < 16; ++y) {
    rows.push_back(0);  // filter type: none
    rows.insert(rows.end(), pixels.begin() + 48 * y, pixels.begin() + 48 * (y + 1));
  }
  expect_repaired(with_pixels(whole, rows));
  rows.resize(std::size_t{1} << 26);  // the zlib checksum is far behind the pixels and not read
  EXPECT_EQ(complaint(with_pixels(whole, rows)), "damaged PNG: invalid chunk checksum");
}

TEST_F(Damaged, AnInterlacedPictureHasMoreRows) {
  // 5x5 pixels of one bit have seven passes, with 1, 1, 1, 2, 1, 3 and 2 rows. Each row has a
  // filter byte and a byte of pixels.
  const Bytes file = png_file({0, 0, 0, 0, 0}, 5, 5, {SPNG_COLOR_TYPE_GRAYSCALE, 1});
  Bytes header(&file[16], &file[16] + 13);
  header.back() = 1;
  Bytes interlaced = first(file, 8);
  append(interlaced, png_chunk("IHDR", header));
  append(interlaced, png_chunk("IDAT", {}));
  const Image image = decoded(with_pixels(interlaced, Bytes(22, 0)));
  EXPECT_EQ(image.rgb, Bytes(75, 0));
  EXPECT_THAT(image.remarks, ElementsAre(Remark::Repaired));
}

TEST(Png, APaletteMayHaveMoreColoursThanPixelsCanName) {
  const PngOptions options{SPNG_COLOR_TYPE_INDEXED, 2, {{1, 2, 3, 0}, {4, 5, 6, 0}}};
  const Bytes file = png_file({0b01000000}, 1, 2, options);
  const std::size_t at = chunk_at(file, "PLTE");
  Bytes longer = first(file, at);
  append(longer, png_chunk("PLTE", gradient(1, 9, 3)));
  longer.insert(longer.end(), file.begin() + static_cast<std::ptrdiff_t>(at) + 12 + 6, file.end());
  const Image image = decoded(longer);
  EXPECT_THAT(image.rgb, ElementsAre(23, 40, 57, 20, 37, 54));
  EXPECT_THAT(image.remarks, ElementsAre(Remark::Repaired));
}

TEST(Png, TheLastOrientationCounts) {
  Bytes chunks = png_chunk("eXIf", exif_block(6, true));
  append(chunks, png_chunk("eXIf", exif_block(3, true)));
  const Bytes file = png_file(gradient(2, 3, 3), 2, 3);
  EXPECT_EQ(decoded(with_chunks(file, "IDAT", chunks)).height, 2);
}

TEST(Png, ThatOfAppleIsNamed) {
  const Bytes file =
      with_chunks(png_file(gradient(2, 3, 3), 2, 3), "IHDR", png_chunk("CgBI", {0x50, 0, 0x20, 2}));
  EXPECT_EQ(complaint(file),
            "a PNG of Apple's own kind (CgBI), which is not read here (JPEG, PNG and WebP are)");
}

}  // namespace
}  // namespace normbench::png_test
