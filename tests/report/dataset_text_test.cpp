#include "report/dataset_text.h"

#include <gmock/gmock.h>

namespace normbench::dataset_text_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Beside beside{.others = {{PictureKind::Avif, 3}, {PictureKind::JpegXl, 1200}},
                    .in_folders = 120};

TEST(DatasetText, NamesThreeFilesOfAKind) {
  EXPECT_EQ(left_out_text({}, 5), "");
  const std::vector<BrokenFiles> broken{{"a GIF picture", 1600, {"a.jpg", "b.jpg", "c.jpg"}},
                                        {"empty file", 1, {"d.jpg"}}};
  EXPECT_EQ(left_out_text(broken, 2000),
            "1,601 of 2,000 files left out: a.jpg, b.jpg, c.jpg and 1,597 more (a GIF picture); "
            "d.jpg (empty file)");
}

TEST(DatasetText, SaysEachRemarkOnce) {
  const std::vector<RemarkedFiles> many{{Remark::HighBytes, 3, {"a.png", "b.png", "c.png"}},
                                        {Remark::Repaired, 5, {"a.jpg", "b.jpg", "c.jpg"}}};
  EXPECT_THAT(
      remark_texts(many, 1000),
      ElementsAre(
          "3 of 1,000 images have 16 bits a sample, of which the upper 8 are used: a.png, b.png, "
          "c.png",
          "5 of 1,000 images are damaged or unusual, with all their pixels there: a.jpg, b.jpg, "
          "c.jpg and 2 "
          "more"));
  const std::vector<RemarkedFiles> single{{Remark::HighBytes, 1, {"a.png"}},
                                          {Remark::Repaired, 1, {"x.jpg"}}};
  EXPECT_THAT(
      remark_texts(single, 7),
      ElementsAre("1 of 7 images has 16 bits a sample, of which the upper 8 are used: a.png",
                  "1 of 7 images is damaged or unusual, with all its pixels there: x.jpg"));
}

TEST(DatasetText, CountsWhatIsNotTaken) {
  EXPECT_THAT(beside_texts({}), IsEmpty());
  EXPECT_THAT(
      beside_texts(beside),
      ElementsAre("1,203 other pictures there are not read: 3 AVIF, 1,200 JPEG XL",
                  "120 files in folders there are not taken, only those beside the folders (a glob "
                  "takes others: '*/*.jpg')"));
  EXPECT_THAT(beside_texts({.others = {{PictureKind::Gif, 1}}, .in_folders = 1}),
              ElementsAre("1 other picture there is not read: 1 GIF",
                          "1 file in folders there is not taken, only those beside the folders (a "
                          "glob takes others: '*/*.jpg')"));
}

TEST(DatasetText, FollowsACasesOwnNotes) {
  CaseResult result;
  result.notes = {"a turn loads 16 of 40 images"};
  EXPECT_THAT(notes_of(result), ElementsAre("a turn loads 16 of 40 images"));
  result.dataset = DatasetResult{.images = 39,
                                 .files = 39,
                                 .left_out = {{"empty file", 1, {"d.jpg"}}},
                                 .remarks = {{Remark::Repaired, 1, {"x.jpg"}}},
                                 .beside = {.others = {{PictureKind::Gif, 2}}}};
  EXPECT_THAT(
      notes_of(result),
      ElementsAre("a turn loads 16 of 40 images", "2 other pictures there are not read: 2 GIF",
                  "1 of 40 files left out: d.jpg (empty file)",
                  "1 of 39 images is damaged or unusual, with all its pixels there: x.jpg"));
}

}  // namespace
}  // namespace normbench::dataset_text_test
