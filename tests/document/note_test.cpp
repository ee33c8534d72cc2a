#include "document/note.h"

#include <gtest/gtest.h>

namespace normbench::note_test {
namespace {

using Kind = Note::Kind;

TEST(Notes, AreSentences) {
  EXPECT_EQ(sentence({.kind = Kind::ImagesOfATurn, .count = 16, .of = 40}),
            "a turn loads 16 of 40 images");
  EXPECT_EQ(sentence({.kind = Kind::ImagesOfTurns, .count = 96, .of = 2000}),
            "all turns load 96 of 2000 images");
  EXPECT_EQ(sentence({.kind = Kind::FewerIterations, .count = 1, .of = 16}),
            "a turn is 1 of 16 iterations long, to keep max_seconds_per_group: single files weigh "
            "more, and so does the start of a pipeline; intervals are wider");
  EXPECT_EQ(sentence({.kind = Kind::ChecksInTime}),
            "max_seconds_per_group leaves no time to check whole outputs");
  EXPECT_EQ(sentence({.kind = Kind::SmallDataset, .count = 3, .of = 8}),
            "only 3 images for a batch of 8: some images are loaded more than once, from a cache");
  EXPECT_EQ(sentence({.kind = Kind::NoReference, .names = {"model"}}),
            "not checked: model has no reference, and no other variant has the same output");
  EXPECT_EQ(sentence({.kind = Kind::Undefined, .names = {"stream"}}),
            "not checked: what stream writes is undefined");
  EXPECT_EQ(
      sentence({.kind = Kind::PartOfAnEpoch, .names = {"2 workers"}, .count = 3, .of = 12}),
      "2 workers: a turn takes 3 of the 12 batches of an epoch, so the start of the loader, which "
      "your loop has once an epoch, weighs 4.0 times as much (a longer time limit mends that)");
  EXPECT_EQ(sentence({.kind = Kind::OwnCode, .names = {"batches", "step"}}),
            "not checked: batches, step are your own code");
  EXPECT_EQ(sentence({.kind = Kind::Rounding}),
            "not checked: rounding alone may be as large as the values");
  EXPECT_EQ(sentence({.kind = Kind::RoundingOfSome, .names = {"x", "y"}}),
            "outputs not checked: x, y (rounding alone may be as large as the values)");
  EXPECT_EQ(
      sentence({.kind = Kind::Allowance, .names = {"constants", "difference"}}),
      "bounds allow for constants, difference that the peer keeps in the dtype of the output");
  EXPECT_EQ(sentence({.kind = Kind::SameInput, .names = {"torch"}}),
            "torch is given the same input in every call: a result that it only remembered would "
            "pass");
  EXPECT_EQ(sentence(NoLimit::NothingRuns), "no variant of the group could run");
  EXPECT_EQ(sentence(NoLimit::NothingTimed), "nothing is measured");
}

}  // namespace
}  // namespace normbench::note_test
