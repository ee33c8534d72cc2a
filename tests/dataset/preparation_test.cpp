#include "dataset/preparation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace normbench::preparation_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Preparation of(int images, const DatasetForm& form) {
  Preparation preparation{
      .sources = {}, .folder = "/nowhere/dataset", .form = form, .root = "/photos/"};
  for (int i = 0; i < images; ++i)
    preparation.sources.push_back("/photos/" + std::to_string(100 + i) + ".jpeg");
  return preparation;
}

const DatasetForm png{
    .storage = SaveFormat::Png, .height = {}, .width = {}, .quality = {}, .shards = {}};
const DatasetForm sharded{
    .storage = SaveFormat::Npy, .height = 2, .width = 3, .quality = {}, .shards = 4};

TEST(Outputs, AreAFileForEachImage) {
  std::vector<std::string> names;
  for (const SaveFormat storage :
       {SaveFormat::Jpeg, SaveFormat::Png, SaveFormat::Raw, SaveFormat::Npy}) {
    DatasetForm form{.storage = storage, .height = 1, .width = 1, .quality = {}, .shards = {}};
    const std::vector<Output> outputs = outputs_of(of(2, form));
    ASSERT_EQ(outputs.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(outputs[i].first, i);
      EXPECT_EQ(outputs[i].count, 1u);
      names.push_back(outputs[i].name);
    }
  }
  EXPECT_THAT(names, ElementsAre("100.jpg", "101.jpg", "100.png", "101.png", "100.raw", "101.raw",
                                 "100.npy", "101.npy"));
}

TEST(Outputs, AreShardsOfAllImagesInOrderThatDifferByOneAtMost) {
  for (const int images : {1, 2, 3, 7, 8, 100, 101})
    for (std::int64_t shards = 1; shards <= images; ++shards) {
      DatasetForm form = sharded;
      form.shards = shards;
      const std::vector<Output> outputs = outputs_of(of(images, form));
      ASSERT_EQ(std::ssize(outputs), shards);
      std::size_t next = 0;
      for (const Output& output : outputs) {
        EXPECT_EQ(output.first, next);
        EXPECT_GE(output.count, images / static_cast<std::size_t>(shards));
        EXPECT_LE(output.count, (images + shards - 1) / static_cast<std::size_t>(shards));
        next += output.count;
      }
      EXPECT_EQ(next, static_cast<std::size_t>(images));
    }
}

TEST(Outputs, LieInTheFoldersOfTheirClasses) {
  Preparation preparation = of(0, png);
  preparation.sources = {"/photos/cat/000.jpg", "/photos/cat/old/1.2.jpeg", "/photos/dog/000.webp"};
  EXPECT_THAT(mistakes_of(preparation), IsEmpty());
  std::vector<std::string> names;
  for (const Output& output : outputs_of(preparation)) names.push_back(output.name);
  EXPECT_THAT(names, ElementsAre("cat/000.png", "cat/old/1.2.png", "dog/000.png"));
}

TEST(Outputs, AreNamedByTheirNumber) {
  const std::vector<Output> outputs = outputs_of(of(9, sharded));
  EXPECT_EQ(outputs.front().name, "shard-0000-of-0004.npy");
  EXPECT_EQ(outputs.back().name, "shard-0003-of-0004.npy");
}

TEST(PreparationMistakes, AreAllTold) {
  EXPECT_THAT(mistakes_of(of(4, sharded)), IsEmpty());
  EXPECT_THAT(
      mistakes_of(of(
          3, {.storage = SaveFormat::Raw, .height = {}, .width = {}, .quality = 9, .shards = 4})),
      ElementsAre("--quality: is for --storage jpeg only",
                  "--storage raw: needs --size H W, since the files do not store their shape",
                  "--shards: needs --size H W, since a shard's images have one size",
                  "--shards 4: there are only 3 images"));
  EXPECT_THAT(
      mistakes_of(of(
          4,
          {.storage = SaveFormat::Jpeg, .height = 65501, .width = 1, .quality = {}, .shards = 2})),
      ElementsAre("--shards: is for --storage raw and npy only; jpeg stores a file for each image",
                  "--size 65501 1: a jpeg has at most 65500 pixels a side"));
  EXPECT_THAT(mistakes_of(of(4, {.storage = SaveFormat::Png,
                                 .height = 1 << 20,
                                 .width = 1 << 20,
                                 .quality = {},
                                 .shards = {}})),
              ElementsAre(HasSubstr("--size 1048576 1048576: are too many pixels")));
}

TEST(PreparationMistakes, AreSourcesOfOneNameAndNamesThatNoManifestCanHold) {
  Preparation preparation = of(0, {});
  preparation.sources = {"/photos/a/x.jpg", "/photos/a/x.png", "/photos/b/x.jpg",
                         "/photos/b/\xFF.jpg"};
  EXPECT_THAT(mistakes_of(preparation),
              ElementsAre("/photos/a/x.jpg and /photos/a/x.png have the same name without the "
                          "extension (rename one)",
                          "/photos/b/\xFF.jpg: its name is not UTF-8 (rename it)"));
  preparation.form = sharded;
  EXPECT_THAT(mistakes_of(preparation),
              ElementsAre("/photos/b/\xFF.jpg: its name is not UTF-8 (rename it)"));
}

TEST(PreparationMistakes, OfOneKindAreThreeAndACount) {
  Preparation preparation = of(0, {});
  for (int i = 0; i < 600; ++i)
    for (const char* end : {"jpg", "png"})
      preparation.sources.push_back(fmt::format("/photos/cat/{:03}.{}", i, end));
  EXPECT_THAT(
      mistakes_of(preparation),
      ElementsAre(HasSubstr("/photos/cat/000.jpg and /photos/cat/000.png have the same name"),
                  HasSubstr("001.png have"), HasSubstr("002.png have"),
                  "597 more pairs of images have the same name without the extension"));
}

TEST(PreparationMistakes, AreClassesThatAreCalledAsFilesAre) {
  Preparation preparation = of(0, png);
  preparation.sources = {"/photos/cat/a.jpg", "/photos/cat/a.png/b.jpg",
                         "/photos/manifest.json/a.jpg", "/photos/prepare.jsonl/a.jpg"};
  EXPECT_THAT(
      mistakes_of(preparation),
      ElementsAre(
          "/photos/manifest.json: has the name of a file that the dataset needs (rename it)",
          "/photos/prepare.jsonl: has the name of a file that the dataset needs (rename it)",
          "/photos/cat/a.jpg would become cat/a.png, which is the name of a folder "
          "(rename one)"));
}

TEST(PreparationMistakes, AreDatasetsAmongClasses) {
  Preparation preparation = of(0, {});
  preparation.sources = {"/photos/cat/a.jpg"};
  preparation.folder = "/photos/set";
  EXPECT_THAT(mistakes_of(preparation),
              ElementsAre("/photos/set: lies in /photos/, whose folders are classes (give another "
                          "folder)"));
  preparation.folder = "/photos2";
  EXPECT_THAT(mistakes_of(preparation), IsEmpty());
}

TEST(PreparationMistakes, AreSourcesInTheDataset) {
  for (const std::string folder : {"/photos", "/photos/", "/photos/../photos/.", "/"}) {
    Preparation preparation = of(2, {});
    preparation.folder = folder;
    EXPECT_THAT(mistakes_of(preparation), ElementsAre(HasSubstr("/photos/100.jpeg: lies in")))
        << folder;
  }
  for (const std::string folder : {"/photo", "/photos2", "/photos/dataset"}) {
    Preparation preparation = of(2, {});
    preparation.folder = folder;
    EXPECT_THAT(mistakes_of(preparation), IsEmpty()) << folder;
  }
}

TEST(PreparationDifferences, AreNamedOneByOne) {
  DatasetForm other = sharded;
  EXPECT_THAT(differences(sharded, other, {"a", "b"}, {"b", "a"}), IsEmpty());
  other.storage = SaveFormat::Jpeg;
  other.quality = 90;
  other.shards = {};
  EXPECT_THAT(
      differences(sharded, other, {"a", "b", "c", "d", "e"}, {"b", "f"}),
      ElementsAre("storage was npy, is jpeg", "quality was not given, is 90",
                  "shards was 4, is not given", "no longer among the images: a, c, d and 1 more",
                  "not in the dataset: f"));
}

}  // namespace
}  // namespace normbench::preparation_test
