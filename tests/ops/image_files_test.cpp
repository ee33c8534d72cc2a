#include "ops/images/image_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "core/issue.h"
#include "ops/images/manifest.h"

namespace normbench::image_files_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A fixture that has an empty folder for each test.
class FindFiles : public testing::Test {
 protected:
  FindFiles()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FindFiles() override { fs::remove_all(folder_); }

  void write(std::initializer_list<const char*> names) const {
    for (const char* const name : names) {
      fs::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name) << name;
    }
  }
  FoundFiles find(const std::string& said) const {
    return find_files(folder_.string(), said, image_endings());
  }
  /// Returns the names of the files that find() returns, relative to the root that it returns.
  std::vector<std::string> found(const std::string& said) const {
    const FoundFiles all = find(said);
    std::vector<std::string> names;
    for (const std::string& file : all.files) {
      EXPECT_THAT(file, StartsWith(all.root));
      EXPECT_TRUE(fs::exists(fs::symlink_status(file))) << file;
      names.push_back(file.substr(all.root.size()));
    }
    return names;
  }
  std::string complaint(const std::string& said) const try {
    find(said);
    return "";
  } catch (const Invalid& mistake) {
    return mistake.what();
  }

  const fs::path folder_;
};

TEST_F(FindFiles, TakesAllEndsOfPicturesThatAreReadAndCountsOthers) {
  write({"a.jpg", "b.jpeg", "c.JPG", "d.jfif", "e.jpe", "f.webp", "g.bmp", "h.tif", "i.gif",
         "j.avif", "k.PNG", "l.TIFF", "notes.txt", "m"});
  fs::create_directories(folder_ / "n.gif");
  EXPECT_THAT(found("."),
              ElementsAre("a.jpg", "b.jpeg", "c.JPG", "d.jfif", "e.jpe", "f.webp", "k.PNG"));
  const Beside beside = find(".").beside;
  EXPECT_EQ(kinds_text(beside.others), "2 TIFF, 1 AVIF, 1 BMP, 1 GIF");
  EXPECT_EQ(counted_others(beside.others), "5 other pictures");
  EXPECT_EQ(beside.in_folders, 0);
}

TEST_F(FindFiles, SaysWhatLiesThereWhereNothingIsRead) {
  write({"x/a.tif", "x/b.tif", "y/notes.txt", "z/deep/a.gif", "npy/a.npy"});
  const std::string endings = "no .jpg, .jpeg, .jpe, .jfif, .png, .webp file in ";
  EXPECT_EQ(complaint("x"), endings + "x; 2 other pictures there: 2 TIFF");
  EXPECT_EQ(complaint("y"), endings + "y");
  EXPECT_EQ(complaint("z"), endings + "z or the folders in it; 1 other picture there: 1 GIF");
  EXPECT_EQ(complaint("nowhere"), "no such folder or file: nowhere");
  EXPECT_EQ(complaint("x/*.png"), "no file matches: x/*.png");
  EXPECT_EQ(complaint("?"), "no file matches: ? (it matches folders; files in them: ?/*.jpg)");
}

TEST_F(FindFiles, FoldersOfAFolderWithoutPicturesAreItsClasses) {
  write({"cat/000.jpg", "cat/001.jpg", "dog/000.jpg", "dog/notes.txt", "dog/1.gif", "none/a.txt",
         "top.bmp", ".hidden/000.jpg"});
  EXPECT_THAT(found("."), ElementsAre("cat/000.jpg", "cat/001.jpg", "dog/000.jpg"));
  EXPECT_EQ(kinds_text(find(".").beside.others), "1 BMP, 1 GIF");
  EXPECT_THAT(found("*/*.jpg"), ElementsAre("cat/000.jpg", "cat/001.jpg", "dog/000.jpg"));
  EXPECT_THAT(found("./*//*.jpg"), ElementsAre("cat/000.jpg", "cat/001.jpg", "dog/000.jpg"));
  EXPECT_THAT(found("cat"), ElementsAre("000.jpg", "001.jpg"));
  EXPECT_THAT(found("cat/00*"), ElementsAre("000.jpg", "001.jpg"));
  EXPECT_THAT(found("cat/000.jpg"), ElementsAre("000.jpg"));
  EXPECT_EQ(complaint("*/../*/*.jpg"), "\"..\" follows a wildcard: */../*/*.jpg");
}

TEST_F(FindFiles, OrderIsThatOfTorchvision) {
  // torchvision 0.29.2 sorts the classes, then the folders of each class (by the whole paths that
  // os.walk gives), then the files of each folder. Sorting the whole paths of all files would give
  // another order, with "a b/" before "a/", and "a/b c/" before "a/b/".
  write({"a/z.jpg", "a/b.jpg", "a/b/y.jpg", "a/b/c/x.jpg", "a/b c/w.jpg", "a b/v.jpg", "B/u.jpg"});
  EXPECT_THAT(found("."), ElementsAre("B/u.jpg", "a/b.jpg", "a/z.jpg", "a/b/y.jpg", "a/b c/w.jpg",
                                      "a/b/c/x.jpg", "a b/v.jpg"));
}

TEST_F(FindFiles, PicturesBesideFoldersAreTakenAndThoseInThemCounted) {
  write({"a.jpg", "cat/000.jpg", "cat/old/1.jpg", "cat/2.gif", ".cache/a.jpg", "set/000.jpg",
         "set/manifest.json", "begun/000.jpg", "begun/prepare.jsonl"});
  EXPECT_THAT(found("."), ElementsAre("a.jpg"));
  EXPECT_EQ(find(".").beside.in_folders, 1);  // only cat/000.jpg counts
  EXPECT_THAT(find(".").beside.others, IsEmpty());
}

TEST_F(FindFiles, LinksToFoldersAreFollowedUnlessTheyLeadBack) {
  write({"photos/cat/000.jpg", "elsewhere/1.jpg"});
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "photos/dog");
  EXPECT_THAT(found("photos"), ElementsAre("cat/000.jpg", "dog/1.jpg"));
  fs::create_directory_symlink("..", folder_ / "photos/cat/loop");
  EXPECT_EQ(complaint("photos"), "cat/loop leads back to a folder that it is in (remove it)");
  fs::remove(folder_ / "photos/cat/loop");
  fs::create_directory_symlink(folder_ / "photos/cat", folder_ / "elsewhere/there");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "photos/cat/back");
  EXPECT_THAT(complaint("photos"), HasSubstr("leads back to a folder that it is in"));
  write({"photos/top.jpg"});
  EXPECT_EQ(find("photos").beside.in_folders, 2);
}

TEST_F(FindFiles, LinksDoNotMultiplyFolders) {
  write({"photos/cat/0.jpg", "photos/dog/0.jpg", "0/x.jpg"});
  for (int i = 1; i <= 10; ++i) {
    const fs::path folder = folder_ / std::to_string(i);
    fs::create_directory(folder);
    for (const char* link : {"a", "b"})
      fs::create_directory_symlink(folder_ / std::to_string(i - 1), folder / link);
  }
  fs::create_directory_symlink(folder_ / "0", folder_ / "photos/cat/more");
  fs::create_directory_symlink(folder_ / "0", folder_ / "photos/dog/more");  // folder 0 of cat, too
  EXPECT_THAT(found("photos"),
              ElementsAre("cat/0.jpg", "cat/more/x.jpg", "dog/0.jpg", "dog/more/x.jpg"));
  fs::create_directory_symlink(folder_ / "10", folder_ / "photos/fox");
  const std::string first = "fox/a/a/a/a/a/a/a/a/a/";
  EXPECT_EQ(complaint("photos"),
            first + "a and " + first + "b are one folder (remove one of them)");
  write({"photos/top.jpg"});
  EXPECT_EQ(find("photos").beside.in_folders, 2);
}

TEST_F(FindFiles, AWildcardThatIsMeantAsItIsBeginsNoName) {
  write({"a*b/x.jpg", "acb/x.jpg"});
  EXPECT_THAT(found("a\\*b/*.jpg"), ElementsAre("x.jpg"));
  EXPECT_THAT(found("a\\*b/x.jpg"), ElementsAre("x.jpg"));
  EXPECT_THAT(found("a?b/x.jpg"), ElementsAre("a*b/x.jpg", "acb/x.jpg"));
}

TEST(Classes, AreTheFirstFolderOfAName) {
  EXPECT_EQ(class_of("cat/old/1.jpg"), "cat");
  EXPECT_EQ(class_of("cat/1.jpg"), "cat");
  EXPECT_EQ(class_of("1.jpg"), "");
}

TEST(Broken, FilesOfOneReasonAreTogether) {
  std::vector<std::string> names, reasons;
  for (int i = 0; i < 600; ++i) {
    names.push_back(fmt::format("{}.jpg", i));
    reasons.push_back(i == 0 ? "empty file" : i % 2 == 0 ? "a GIF picture" : "");
  }
  names.push_back("2.jpg");  // the same file again
  reasons.push_back("a GIF picture");
  const std::vector<BrokenFiles> broken = broken_of(names, reasons);
  EXPECT_THAT(broken, ElementsAre(BrokenFiles{"a GIF picture", 299, {"2.jpg", "4.jpg", "6.jpg"}},
                                  BrokenFiles{"empty file", 1, {"0.jpg"}}));
  EXPECT_THAT(broken_texts(broken), ElementsAre("2.jpg, 4.jpg, 6.jpg and 296 more (a GIF picture)",
                                                "0.jpg (empty file)"));
  try {
    throw_if_broken(names, reasons, " here");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "300 of 600 files cannot be read here: 2.jpg, 4.jpg, 6.jpg and 296 more (a GIF "
                 "picture); 0.jpg (empty file)");
  }
}

TEST(Broken, ManyReasonsAreCounted) {
  std::vector<std::string> names, reasons;
  for (int i = 0; i < 3000; ++i) {
    names.push_back(fmt::format("{:04}.jpg", i));
    reasons.push_back(i < 1000 ? "cut" : fmt::format("damaged at byte {}", i));
  }
  const std::vector<std::string> texts = broken_texts(broken_of(names, reasons));
  EXPECT_EQ(texts.size(), 8u);
  EXPECT_EQ(texts.front(), "0000.jpg, 0001.jpg, 0002.jpg and 997 more (cut)");
  EXPECT_EQ(texts[1], "1000.jpg (damaged at byte 1000)");
  EXPECT_EQ(texts.back(), "1,994 more for 1,994 other reasons");
}

TEST(Remarks, AreSaidOfAllTheirFiles) {
  EXPECT_THAT(
      remarked_of({"a", "b", "c"}, {{Remark::Repaired}, {}, {Remark::HighBytes, Remark::Repaired}}),
      ElementsAre(RemarkedFiles{Remark::Repaired, 2, {"a", "c"}},
                  RemarkedFiles{Remark::HighBytes, 1, {"c"}}));
}

TEST(PictureKinds, AreToldByTheEndsOfNames) {
  EXPECT_THAT(std::vector(image_endings().begin(), image_endings().end()),
              ElementsAre(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp"));
  using enum PictureKind;
  for (const auto& [ending, kind] :
       {std::pair(".bmp", Bmp), std::pair(".heif", Heic), std::pair(".jxl", JpegXl),
        std::pair(".jp2", Jpeg2000), std::pair(".pgm", Pnm), std::pair(".nef", CameraRaw)})
    EXPECT_EQ(kind_of_ending(ending), kind) << ending;
  EXPECT_EQ(kind_of_ending(".raw"), std::nullopt);  // pixels that `prepare` wrote, without a header
  EXPECT_EQ(kind_of_ending(""), std::nullopt);
}

}  // namespace
}  // namespace normbench::image_files_test
