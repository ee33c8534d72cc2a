#include "ops/save.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <random>

#include "core/issue.h"
#include "image_files.h"
#include "ops/images/encode.h"
#include "ops/images/image.h"

namespace normbench::save_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> mistakes_of(const Json& json) {
  std::vector<Issue> issues;
  Reader reader(json, "/0", issues);
  Save::read(reader);
  reader.finish();
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(issue.pointer + ": " + issue.text);
  return texts;
}

TEST(SaveRead, ReportsMistakes) {
  EXPECT_THAT(mistakes_of(Json::object()), IsEmpty());
  EXPECT_THAT(mistakes_of({{"format", "jpeg"}, {"quality", 1}}), IsEmpty());
  EXPECT_THAT(mistakes_of({{"format", "png"}, {"quality", 90}}),
              ElementsAre("/0/quality: goes with \"format\": \"jpeg\""));
  EXPECT_THAT(
      mistakes_of({{"format", "gif"}, {"quality", 101}}),
      ElementsAre(HasSubstr("/0/format: unknown value \"gif\""), HasSubstr("/0/quality: ")));
}

std::string refusal(const Save& op, const TensorDesc& in) try {
  EXPECT_THAT(op.infer({&in, 1}), ElementsAre(in));
  return "";
} catch (const Invalid& mistake) {
  return mistake.what();
}

TensorDesc images(DType dtype, Layout layout, const Shape& shape, Memory memory) {
  return dense(dtype, layout, shape, memory);
}

TEST(SaveInfer, TakesUInt8NhwcInHostMemory) {
  const Shape shape{2, 3, 4, 5};
  const auto u8 = DType::UInt8;
  EXPECT_EQ(refusal({}, images(u8, Layout::Nhwc, shape, Memory::Pageable)), "");
  EXPECT_EQ(refusal({}, images(DType::Float32, Layout::Nchw, shape, Memory::Pageable)),
            "saves uint8 nhwc images, got 2x3x4x5 float32 nchw pageable (denormalize makes uint8 "
            "nhwc images)");
  EXPECT_EQ(refusal({}, images(u8, Layout::Nchw, shape, Memory::Pageable)),
            R"(saves uint8 nhwc images, got 2x3x4x5 uint8 nchw pageable (add {"op": "layout", )"
            R"("to": "nhwc"}))");
  EXPECT_THAT(refusal({}, images(u8, Layout::Nhwc, shape, Memory::Device)),
              HasSubstr("(add a d2h stage)"));
  const TensorDesc four = images(u8, Layout::Nhwc, {1, 4, 2, 2}, Memory::Pageable);
  EXPECT_THAT(refusal({.format = SaveFormat::Png}, four), HasSubstr("a png needs 3 channels"));
  EXPECT_EQ(refusal({.format = SaveFormat::Npy}, four), "");
  const TensorDesc long_row = images(u8, Layout::Nhwc, {1, 3, 1, 65501}, Memory::Pageable);
  EXPECT_THAT(refusal({}, long_row), HasSubstr("at most 65500 pixels a side"));
  EXPECT_EQ(refusal({.format = SaveFormat::Png}, long_row), "");
}

Bytes noise(std::int64_t pixels, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(static_cast<std::size_t>(3 * pixels));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

View view_of(Bytes& pixels, std::int64_t height, std::int64_t width) {
  return {reinterpret_cast<std::byte*>(pixels.data()),
          dense(DType::UInt8, Layout::Nhwc, {1, 3, height, width}, Memory::Pageable)};
}

class SaveTest : public testing::Test {
 protected:
  SaveTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SaveTest() override { fs::remove_all(folder_); }

  /// Saves the image `saved`. Returns how the file differs from what saving `pixels` gives, or ""
  /// if the file is right.
  std::string outcome(const Save& op, Bytes saved, Bytes pixels, std::int64_t height,
                      std::int64_t width) {
    const std::string path = op.saved_file((folder_ / "2-0").string(), 7);
    save_image(op, path, view_of(saved, height, width), memory_);
    return op.why_not_saved(path, view_of(pixels, height, width));
  }

  const fs::path folder_;
  std::vector<std::uint8_t> memory_;
};

TEST_F(SaveTest, WhatIsSavedIsRight) {
  for (const auto& [height, width] : {std::pair{1, 1}, {7, 9}, {8, 16}, {33, 50}})
    for (const Bytes& pixels : {noise(height * width, 1), gradient(height, width, 3)}) {
      SCOPED_TRACE(testing::Message() << height << 'x' << width);
      for (const auto format : {SaveFormat::Png, SaveFormat::Raw, SaveFormat::Npy})
        EXPECT_EQ(outcome({.format = format}, pixels, pixels, height, width), "");
      for (const int quality : {1, 10, 50, 75, 95, 100})
        EXPECT_EQ(outcome({.quality = quality}, pixels, pixels, height, width), "") << quality;
    }
}

TEST_F(SaveTest, OneOtherByteIsWrong) {
  const Bytes pixels = noise(20 * 30, 1);
  Bytes other = pixels;
  other[100] ^= 1;
  for (const auto format : {SaveFormat::Png, SaveFormat::Raw})
    EXPECT_THAT(outcome({.format = format}, other, pixels, 20, 30), HasSubstr("byte 100 is"));
  EXPECT_THAT(outcome({.format = SaveFormat::Npy}, other, pixels, 20, 30),
              HasSubstr("byte 228 is"));
}

TEST_F(SaveTest, AnotherImageInAJpegIsWrong) {
  const Bytes pixels = noise(32 * 32, 1);
  EXPECT_THAT(outcome({}, noise(32 * 32, 2), pixels, 32, 32),
              testing::MatchesRegex("PSNR [0-9.]+ dB, at least 2[0-9.]+ of quality 95"));
  Bytes swapped = pixels;  // red and blue are swapped
  for (std::size_t i = 0; i < swapped.size(); i += 3) std::swap(swapped[i], swapped[i + 2]);
  EXPECT_THAT(outcome({}, swapped, pixels, 32, 32), HasSubstr("PSNR"));
  EXPECT_THAT(outcome({}, noise(16 * 64, 1), pixels, 32, 32), "");  // the same bytes as `pixels`
  Bytes wide = noise(16 * 64, 1);
  save_image({}, folder_ / "0-0-0.jpeg", view_of(wide, 16, 64), memory_);
  Bytes square = pixels;
  EXPECT_EQ(Save().why_not_saved(folder_ / "0-0-0.jpeg", view_of(square, 32, 32)),
            "16x64 pixels, not 32x32");
}

TEST(JpegErrorBound, IsOfTheQuality) {
  const auto psnr = [](int quality) {
    return 20 * std::log10(255 / jpeg_error_bound(64, 64, quality));
  };
  EXPECT_NEAR(psnr(95), 27.2, 1);
  EXPECT_NEAR(psnr(75), 14.7, 1);
  EXPECT_GT(psnr(100), 35);
  EXPECT_EQ(jpeg_error_bound(1, 1, 95), 8 * jpeg_error_bound(8, 8, 95));
}

TEST_F(SaveTest, ChromaIsNotSubsampled) {
  Bytes pixels;  // alternating red and blue columns
  for (int i = 0; i < 16 * 16; ++i)
    for (const int value : i % 2 == 0 ? std::array{200, 30, 30} : std::array{30, 30, 200})
      pixels.push_back(static_cast<std::uint8_t>(value));
  Bytes memory;
  Image decoded;
  decode_image(encode_jpeg(pixels, 16, 16, 100, memory), decoded);
  for (std::size_t i = 0; i < pixels.size(); ++i) ASSERT_NEAR(decoded.rgb[i], pixels[i], 6);
}

TEST_F(SaveTest, FilesAreMadeAnewAndNamed) {
  EXPECT_EQ(Save().saved_file("/x/2-0", 7), "/x/2-0-7.jpeg");
  Bytes pixels = noise(4, 1);
  const std::string path = folder_ / "2-0-7.raw", linked = folder_ / "linked";
  const Save raw{.format = SaveFormat::Raw};
  write_file(path, Bytes(1000, 1));
  fs::create_hard_link(path, linked);
  save_image(raw, path, view_of(pixels, 2, 2), memory_);
  EXPECT_EQ(fs::file_size(path), 12);
  EXPECT_EQ(fs::file_size(linked), 1000);
}

TEST_F(SaveTest, SaysWhyAFileCannotBeSaved) {
  Bytes pixels = noise(4, 1);
  fs::remove_all(folder_);
  EXPECT_THAT([&] { save_image({}, folder_ / "2-0-7.jpeg", view_of(pixels, 2, 2), memory_); },
              testing::ThrowsMessage<std::runtime_error>(
                  "cannot save 2-0-7.jpeg: No such file or directory"));
  EXPECT_EQ(Save().why_not_saved(folder_ / "2-0-7.jpeg", view_of(pixels, 2, 2)),
            "No such file or directory");
}

}  // namespace
}  // namespace normbench::save_test
