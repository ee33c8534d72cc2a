#include "ops/images/recognise.h"

#include <gmock/gmock.h>

#include "ops/decoding.h"

namespace normbench::recognise_test {
namespace {

using namespace std::string_view_literals;
using decoding::complaint;
using decoding::data;

std::string why(std::string_view text) { return why_not_read(bytes_of(text)); }

TEST(Recognise, PicturesOfOtherKinds) {
  const auto expect = [](std::string_view name, std::initializer_list<std::string_view> files) {
    for (const std::string_view file : files)
      EXPECT_EQ(why(file), not_read_here(name)) << testing::PrintToString(file);
  };
  EXPECT_EQ(not_read_here("a GIF picture"),
            "a GIF picture, which is not read here (JPEG, PNG and WebP are)");
  expect("a GIF picture", {"GIF87a"sv, "GIF89a"sv});
  expect("a BMP picture", {"BM\x36\x09\0\0\0\0\0\0\x36\0\0\0"sv});
  expect("a TIFF picture", {"II*\0\x08\0\0\0"sv, "MM\0*\0\0\0\x08"sv, "II+\0\x08\0\0\0"sv});
  expect("an AVIF picture", {"\0\0\0\x20"
                             "ftypavif"sv,
                             "\0\0\0\x2C"
                             "ftypavis"sv});
  expect("a HEIC picture", {"\0\0\0\x18"
                            "ftypheic"sv,
                            "\0\0\0\x18"
                            "ftyphevc"sv});
  expect("a JPEG XL picture", {"\xFF\x0A\x10"sv, "\0\0\0\x0CJXL \r\n\x87\n"sv});
  expect("a JPEG 2000 picture", {"\xFF\x4F\xFF\x51\0"sv, "\0\0\0\x0CjP  \r\n\x87\n"sv});
  expect("a PNM picture", {"P6\n2 2\n255\n"sv, "P5 2 2 255 "sv, "P1\n# made by hand\n"sv});
  expect("a PSD picture", {"8BPS\0\1"sv});
  expect("an ICO picture", {"\0\0\1\0\1\0"sv});
  expect("an SVG picture",
         {"<svg xmlns='x'/>"sv, "<?xml version='1.0'?>\n<!-- drawn -->\n<svg width='9'/>"sv});
  expect("a PDF document", {"%PDF-1.7"sv});
  expect("a TGA picture", {"\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0"
                           "abcTRUEVISION-XFILE.\0"sv});
}

TEST(Recognise, WhatIsNoPicture) {
  const auto expect = [](std::string_view name, std::initializer_list<std::string_view> files) {
    for (const std::string_view file : files)
      EXPECT_EQ(why(file), std::string(name) + ", not a picture") << testing::PrintToString(file);
  };
  expect("an HTML page",
         {"<!DOCTYPE html>\n<html>"sv, "\n <HTML><body><svg/>"sv, "\xEF\xBB\xBF<html lang=en>"sv,
          "<?xml version='1.0'?><html xmlns='x'>"sv, "<head><title>404</title>"sv});
  expect("an XML text", {"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"sv});
  expect("a text", {"hello"sv, "h"sv, "{\"error\": 404}\n"sv, "caf\xC3\xA9"sv, "<3"sv,
                    "\xFF\xFEh\0"sv, "BMW"sv, "RIFFS"sv});
  expect("a macOS ._ file (AppleDouble)", {"\0\5\x16\7\0\2\0\0Mac OS X"sv});
  expect("a gzip archive", {"\x1F\x8B\x08\0"sv});
  expect("a zip archive", {"PK\3\4\x14"sv});
  expect("an MP4 or QuickTime video", {"\0\0\0\x20"
                                       "ftypisom"sv});
  std::string tar(512, '\0');
  tar.replace(0, 5, "a.jpg");
  tar.replace(257, 5, "ustar");
  expect("a tar archive", {tar});
}

TEST(Recognise, AnythingElseIsShownAsItStarts) {
  EXPECT_EQ(why(std::string(100, '\0')), "a file of zeros");
  const std::string start =
      "not an image this version reads (JPEG, PNG and WebP; the file starts with ";
  EXPECT_EQ(why("\0\0\0\0\1"sv), start + "00 00 00 00)");
  EXPECT_EQ(why("\x01"sv), start + "01)");
  EXPECT_EQ(why("a\x80"sv), start + "61 80)");
  EXPECT_EQ(why("\xFF\xD8\0\1\2"sv), start + "ff d8 00 01)");
}

TEST(Recognise, FilesOfAScrapedFolder) {
  EXPECT_EQ(complaint(data("gif-named.jpg")), not_read_here("a GIF picture"));
  EXPECT_EQ(complaint(data("bmp-named.jpg")), not_read_here("a BMP picture"));
  EXPECT_EQ(complaint(data("tiff-named.jpg")), not_read_here("a TIFF picture"));
  EXPECT_EQ(complaint(data("avif-named.jpg")), not_read_here("an AVIF picture"));
  EXPECT_EQ(complaint(data("html-named.jpg")), "an HTML page, not a picture");
  EXPECT_EQ(complaint(data("lfs-pointer-named.jpg")),
            "a Git LFS pointer, not a picture (git lfs pull fetches it)");
  EXPECT_EQ(complaint(data("apple-double-named.jpg")),
            "a macOS ._ file (AppleDouble), not a picture");
}

}  // namespace
}  // namespace normbench::recognise_test
