#include "report/own_config.h"

#include <gmock/gmock.h>

#include "backend/backend.h"
#include "plan/plan.h"

namespace normbench::own_config_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct OwnConfigTest : testing::Test {
  OwnConfig wanted{.name = "mine",
                   .object = "loader",
                   .words = {"python3", "-m", "normbench.peer", "my code.py:loader"},
                   .given = {.dtype = "float32",
                             .device = "cpu",
                             .shape = {16, 3, 224, 200},
                             .bytes = 4 * 16 * 3 * 224 * 200}};
  Backends backends = make_backends();

  /// Returns the cases that the planner makes of the config. Throws BadInput if it is wrong.
  std::vector<Case> cases() {
    PlanOptions options;
    options.allow_peers = true;
    return make_plan("mine.jsonc", own_config(wanted), backends, options).groups.at(0).cases;
  }
};

std::vector<std::string> variants(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  for (const Case& planned : cases) names.push_back(planned.variant);
  return names;
}

TEST_F(OwnConfigTest, OfALoaderSaysWhatItGave) {
  const std::vector<Case> planned = cases();
  EXPECT_THAT(variants(planned), ElementsAre("loader"));
  EXPECT_EQ(planned[0].result(),
            dense(DType::Float32, Layout::Nchw, {16, 3, 224, 200}, Memory::Pageable));
  EXPECT_THAT(own_config(wanted),
              HasSubstr(R"("mine": ["python3", "-m", "normbench.peer", "my code.py:loader"])"));
}

TEST_F(OwnConfigTest, WithAStepHasTheSameLoopWithoutLoading) {
  wanted.has_step = true;
  const std::vector<Case> planned = cases();
  EXPECT_THAT(variants(planned), ElementsAre("loader", "batches that take no time"));
  EXPECT_EQ(planned[1].stages[0].parameters.at("cached"), true);
  EXPECT_EQ(name_of(planned[1].stages[1].op), "step");
}

TEST_F(OwnConfigTest, OfADatasetComparesWorkers) {
  wanted.kind = OwnCodeKind::Dataset;
  wanted.workers = 2;
  EXPECT_THAT(variants(cases()), ElementsAre("in this process", "2 workers"));
  wanted.has_step = true;
  EXPECT_THAT(variants(cases()),
              ElementsAre("in this process", "2 workers", "batches that take no time"));
  EXPECT_THAT(own_config(wanted), HasSubstr(R"("my code.py:loader", "--workers", "2"])"));
}

TEST_F(OwnConfigTest, OfATransformHasAYardstickForFloats) {
  wanted.kind = OwnCodeKind::Transform;
  EXPECT_THAT(variants(cases()), ElementsAre("loader", "normbench, one pass"));
  wanted.given.dtype = "uint8";
  EXPECT_THAT(variants(cases()), ElementsAre("loader"));
}

TEST_F(OwnConfigTest, IsRightForEveryArray) {
  wanted.given.shape = {16, 224, 200, 3};
  EXPECT_EQ(cases()[0].result(),
            dense(DType::Float32, Layout::Nhwc, {16, 3, 224, 200}, Memory::Pageable));
  wanted.given.shape = {16, 3, 224, 200};
  wanted.given.order = ArrayOrder::ChannelsLast;
  EXPECT_EQ(cases()[0].result().layout, Layout::Nhwc);
  wanted.given = {.dtype = "int64", .device = "cpu", .shape = {16, 77}, .bytes = 8 * 16 * 77};
  EXPECT_EQ(cases()[0].result(),
            dense(DType::Float32, Layout::Nchw, {16, 1, 1, 77}, Memory::Pageable));
  wanted.given.shape = {};
  wanted.given.bytes = 8;
  EXPECT_EQ(cases()[0].result().elements(), 1);
}

TEST_F(OwnConfigTest, QuotesNames) {
  wanted.object = "a\"b";
  wanted.words.back() = "$x.py:a\"b";
  EXPECT_THAT(variants(cases()), ElementsAre("a\"b"));
}

}  // namespace
}  // namespace normbench::own_config_test
