#include "ops/images/image.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "ops/decoding.h"
#include "webp_files.h"

namespace normbench::image_test {
namespace {

using decoding::complaint;
using decoding::data;
using decoding::decoded;
using decoding::ramp;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

/// Returns the largest difference between two images of equal size.
int difference(const Bytes& a, const Bytes& b) {
  EXPECT_EQ(a.size(), b.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Returns 8x8 pixels of one colour. JPEG stores a block of one colour almost exactly.
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
  EXPECT_EQ(size_at_least(file, 5, 8), Size(5, 8));      // one eighth, rounded up
  EXPECT_EQ(size_at_least(file, 5, 9), Size(10, 16));    // two eighths
  EXPECT_EQ(size_at_least(file, 15, 20), Size(15, 24));  // three eighths
  EXPECT_EQ(size_at_least(file, 20, 32), Size(20, 32));  // half
  EXPECT_EQ(size_at_least(file, 21, 32), Size(40, 63));  // more than half: not scaled
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

TEST(Jpeg, InksAreStoredInverted) {
  // A stored 255 means no ink: red = 200 * 250 / 255, green and blue likewise.
  const Bytes pixels = plain({200, 100, 50, 250});
  for (const bool adobe : {true, false}) {
    const JpegOptions cmyk{.pixels = JCS_CMYK, .stored = JCS_CMYK, .adobe = adobe};
    EXPECT_THAT(first_pixel(decoded(jpeg_file(pixels, 8, 8, cmyk))), ElementsAre(196, 98, 49));
  }
  const JpegOptions ycck{.pixels = JCS_CMYK, .stored = JCS_YCCK, .adobe = true};
  EXPECT_LE(difference(decoded(jpeg_file(pixels, 8, 8, ycck)).rgb, plain({196, 98, 49})), 2);
}

TEST(Jpeg, InksOfOtherProgramsHaveTheirColours) {
  for (const char* name : {"cmyk-with-adobe-marker.jpg", "cmyk-without-adobe-marker.jpg"}) {
    const Image image = decoded(data(name));
    for (std::size_t i = 0; i < image.rgb.size(); i += 3)
      ASSERT_THAT(Bytes(&image.rgb[i], &image.rgb[i] + 3), ElementsAre(200, 50, 100)) << name;
  }
}

/// Returns the offsets of the restart markers of a JPEG.
std::vector<std::size_t> restarts(const Bytes& jpeg) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i + 1 < jpeg.size(); ++i)
    if (jpeg[i] == 0xFF && jpeg[i + 1] >= JPEG_RST0 && jpeg[i + 1] < JPEG_RST0 + 8)
      found.push_back(i);
  return found;
}

TEST(Jpeg, AWrongRestartNumberIsReadWhereNothingIsLost) {
  const Bytes whole = jpeg_file(gradient(40, 48, 3), 40, 48, {.blocks_to_restart = 2});
  const auto markers = restarts(whole);
  ASSERT_EQ(markers.size(), 14u);
  for (const std::size_t which : {0, 5, 13})
    for (const int off : {1, 2, 3, 4, 5, 6, 7}) {
      Bytes file = whole;
      std::uint8_t& number = file[markers[which] + 1];
      number = static_cast<std::uint8_t>(JPEG_RST0 + (number - JPEG_RST0 + off) % 8);
      if (off < 3 || off > 5) {  // off by -2 to 2: an interval may be missing
        EXPECT_EQ(complaint(file), "corrupt JPEG data: a restart marker is missing") << off;
        continue;
      }
      const Image image = decoded(file);
      EXPECT_EQ(image.rgb, decoded(whole).rgb) << off;
      EXPECT_THAT(image.remarks, ElementsAre(Remark::Repaired)) << off;
    }
  Bytes lost = whole;
  lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(markers[5]),
             lost.begin() + static_cast<std::ptrdiff_t>(markers[6]));
  EXPECT_EQ(complaint(lost), "corrupt JPEG data: a restart marker is missing");
}

TEST(Jpeg, BytesThatBelongToNothingArePassedOver) {
  const Bytes whole = jpeg_file(gradient(16, 16, 3), 16, 16);
  const auto table = std::ranges::search(whole, Bytes{0xFF, 0xDB});
  const auto with = [&](std::ptrdiff_t at, const Bytes& more) {
    Bytes file = whole;
    file.insert(file.begin() + at, more.begin(), more.end());
    return decoded(file);
  };
  const Image between = with(table.begin() - whole.begin(), {0, 1, 2});
  EXPECT_EQ(between.rgb, decoded(whole).rgb);
  EXPECT_THAT(between.remarks, ElementsAre(Remark::Repaired));
  // A JPEG ends at its end marker. Some cameras append a second JPEG, which must be ignored.
  const Image behind = with(std::ssize(whole), whole);
  EXPECT_EQ(behind.rgb, decoded(whole).rgb);
  EXPECT_THAT(behind.remarks, IsEmpty());
}

/// Returns the JPEG with one byte replaced, `at` bytes after the second byte of its frame marker.
/// An `at` of 0 replaces the second byte of the marker, and 3 the bits per sample.
Bytes with_frame(Bytes jpeg, std::size_t at, std::uint8_t byte) {
  const auto frame = std::ranges::search(jpeg, Bytes{0xFF, 0xC0});
  *(frame.begin() + 1 + static_cast<std::ptrdiff_t>(at)) = byte;
  return jpeg;
}

TEST(Jpeg, OtherProcessesAreNamed) {
  const Bytes file = jpeg_file(gradient(16, 16, 3), 16, 16);
  for (const std::uint8_t marker : {0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF})
    EXPECT_THAT(complaint(with_frame(file, 0, marker)),
                MatchesRegex("a hierarchical JPEG, which libjpeg-turbo [0-9.]+ does not read"));
  const Bytes rgb = jpeg_file(gradient(16, 16, 3), 16, 16, {.stored = JCS_RGB, .adobe = true});
  EXPECT_THAT(
      complaint(with_frame(rgb, 0, 0xCB)),
      MatchesRegex("an? (lossless )?arithmetic JPEG, which .*libjpeg-turbo.* does not read"));
  EXPECT_EQ(complaint(with_frame(file, 0, 0xC8)), "a JPEG of an unknown process");
  EXPECT_EQ(complaint(with_frame(file, 0, 0xF7)),
            "a JPEG-LS picture, which is not read here (JPEG, PNG and WebP are)");
  EXPECT_EQ(complaint(with_frame(file, 3, 12)),
            "a JPEG with samples of 12 bits, which is not read here (those of 8 are)");
  const JpegOptions two{.pixels = JCS_UNKNOWN, .stored = JCS_UNKNOWN};
  EXPECT_EQ(complaint(jpeg_file(gradient(16, 16, 2), 16, 16, two)),
            "a JPEG of 2 colour components, which is not read here (those of 1, 3 and 4 are)");
}

TEST(Jpeg, LosslessIsReadExactlyOrNamed) {
  const Bytes file = data("lossless-rgb.jpg");
  const std::string why = complaint(file);
  if (LIBJPEG_TURBO_VERSION_NUMBER < 3000000 && !why.empty()) {
    EXPECT_THAT(why, MatchesRegex("a lossless JPEG, which libjpeg-turbo reads from 3.0 on; this "
                                  "one is [0-9.]+"));
    return;
  }
  ASSERT_EQ(why, "");
  EXPECT_EQ(decoded(file).rgb, ramp(48, 64));
}

TEST(Jpeg, EqualFaultsHaveEqualTexts) {
  const Bytes file = jpeg_file(gradient(16, 16, 3), 16, 16);
  const auto table = std::ranges::search(file, Bytes{0xFF, 0xC4}).begin() - file.begin();
  for (const std::uint8_t index : {0x07, 0x15}) {
    Bytes damaged = file;
    damaged[static_cast<std::size_t>(table) + 4] = index;
    EXPECT_EQ(complaint(damaged), "bogus DHT index");
  }
  for (const std::uint8_t marker : {0xF1, 0xF3}) {
    Bytes damaged = file;
    damaged[static_cast<std::size_t>(table) + 1] = marker;
    EXPECT_EQ(complaint(damaged), "unsupported marker type");
  }
}

TEST(Image, SaysWhatItCannotRead) {
  EXPECT_EQ(complaint({}), "empty file");
  EXPECT_EQ(complaint({'G', 'I', 'F', '8', '9', 'a'}),
            "a GIF picture, which is not read here (JPEG, PNG and WebP are)");
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
    if (file[i] == 0xFF && file[i + 1] == 0xC0) {  // big-endian height at i + 5, width at i + 7
      file[i + 5] = file[i + 7] = 0x80;
      break;
    }
  EXPECT_EQ(complaint(file), "32776x32776 pixels are too many (at most 268435456 in all)");
}

TEST(Image, EveryTruncationIsBroken) {
  const Bytes pixels = gradient(9, 10, 3);
  for (const Bytes& file :
       {jpeg_file(pixels, 9, 10), jpeg_file(pixels, 9, 10, {.progressive = true}),
        webp_file(pixels, 9, 10), webp_file(pixels, 9, 10, {.lossless = false}),
        webp_with_exif(webp_file(pixels, 9, 10), 9, 10, exif_block(6, true))}) {
    ASSERT_EQ(complaint(file), "");
    for (std::size_t size = 0; size < file.size(); ++size)
      EXPECT_NE(complaint({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}), "")
          << size << " of " << file.size();
  }
}

TEST(Image, TheSamePictureIsTurnedAlikeInBothFormats) {
  const Image jpeg = decoded(data("orientation6.jpg")), png = decoded(data("orientation6.png"));
  EXPECT_EQ(jpeg.height, 64);
  EXPECT_EQ(jpeg.width, 48);
  EXPECT_LE(difference(jpeg.rgb, png.rgb), 3);
}

TEST(Image, RemarksAreThoseOfTheLastImage) {
  Image image;
  DecodeMemory memory;
  decode_image(data("depth-16-bit.png"), image, memory);
  EXPECT_THAT(image.remarks, ElementsAre(Remark::HighBytes));
  decode_image(jpeg_file(gradient(8, 8, 3), 8, 8), image, memory);
  EXPECT_THAT(image.remarks, IsEmpty());
}

TEST(Image, EveryDamageIsSurvived) {
  const Bytes pixels = gradient(9, 10, 3);
  const std::vector<Bytes> files{jpeg_file(pixels, 9, 10, {.quality = 60}),
                                 jpeg_file(pixels, 9, 10, {.quality = 60, .progressive = true}),
                                 png_file(pixels, 9, 10), webp_file(pixels, 9, 10),
                                 webp_file(pixels, 9, 10, {.lossless = false})};
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
