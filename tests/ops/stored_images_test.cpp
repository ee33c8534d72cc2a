#include "ops/stored_images.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "image_files.h"
#include "ops/array_file.h"

namespace normbench::stored_images_test {
namespace {

namespace fs = std::filesystem;

const TensorDesc nhwc = dense(DType::UInt8, Layout::Nhwc, {1, 3, 2, 4}, Memory::Pageable);

struct StoredImagesTest : testing::Test {
  StoredImagesTest() { fs::create_directories(folder); }
  ~StoredImagesTest() override { fs::remove_all(folder); }

  FileContents look(const std::string& name, const Bytes& bytes, const TensorDesc& image = nhwc) {
    write_file(folder / name, bytes);
    return look_into_array(folder / name, name.ends_with(".raw") ? Storage::Raw : Storage::Npy,
                           image);
  }
  FileContents look_npy(std::string_view descr, const std::vector<std::int64_t>& shape,
                        std::size_t bytes, const TensorDesc& image = nhwc) {
    std::string file = npy_header(descr, shape);
    file.resize(file.size() + bytes);
    return look("x.npy", Bytes(file.begin(), file.end()), image);
  }

  const fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(StoredImagesTest, RawFilesHoldWholeImages) {
  EXPECT_EQ(look("a.raw", Bytes(24)).images, 1);
  EXPECT_EQ(look("a.raw", Bytes(72)).images, 3);
  EXPECT_EQ(look("a.raw", Bytes(72)).offset, 0);
  EXPECT_EQ(look("a.raw", Bytes(25)).why_broken, "25 bytes are no multiple of an image's 24");
  EXPECT_EQ(look("a.raw", {}).why_broken, "");  // the dataset left out all images
  EXPECT_EQ(look("a.raw", {}).images, 0);
}

TEST_F(StoredImagesTest, ArraysHoldOneImageOrSeveral) {
  EXPECT_EQ(look_npy("|u1", {2, 4, 3}, 24).images, 1);
  EXPECT_EQ(look_npy("|u1", {2, 4, 3}, 24).offset, 128);
  EXPECT_EQ(look_npy("<u1", {2, 4, 3}, 24).images, 1);
  EXPECT_EQ(look_npy("|u1", {5, 2, 4, 3}, 120).images, 5);
  const TensorDesc nchw = dense(DType::UInt8, Layout::Nchw, {1, 3, 2, 4}, Memory::Pageable);
  EXPECT_EQ(look_npy("|u1", {3, 2, 4}, 24, nchw).images, 1);
}

TEST_F(StoredImagesTest, OtherArraysAreRefused) {
  EXPECT_EQ(look_npy("<f4", {2, 4, 3}, 96).why_broken, "holds float32, expected uint8");
  EXPECT_EQ(look_npy("|u1", {4, 2, 3}, 24).why_broken,
            "has the shape (4, 2, 3), expected (2, 4, 3) or (n, 2, 4, 3) as nhwc");
  EXPECT_EQ(look_npy(">f4", {4, 2, 3}, 96).why_broken,
            "holds big-endian float32, expected uint8; it has the shape (4, 2, 3), expected (2, 4, "
            "3) or (n, 2, 4, 3) as nhwc");
  EXPECT_EQ(look_npy("|u1", {0, 2, 4, 3}, 0).why_broken, "");
  EXPECT_EQ(look_npy("|u1", {0, 2, 4, 3}, 0).images, 0);
  EXPECT_EQ(look_npy("|u1", {2, 2, 4, 3}, 47).why_broken,
            "47 bytes of data, but its header says 2 images of 24");
  EXPECT_EQ(look_npy("|u1", {2, 4, 3}, 24).why_broken, "");
  EXPECT_THAT(look("x.npy", Bytes(24)).why_broken, testing::StartsWith("not a .npy file"));
  EXPECT_EQ(look_into_array(folder / "none.npy", Storage::Npy, nhwc).images, 0);
}

}  // namespace
}  // namespace normbench::stored_images_test
