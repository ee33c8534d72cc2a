#include "ops/own_code.h"

#include "ops/op_testing.h"

namespace normbench::own_code_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TensorDesc images = nchw(DType::UInt8, {2, 3, 5, 7});

TEST(OwnBatches, AreWhatTheConfigSays) {
  const auto op = made<OwnBatches>(
      R"({"batch": 4, "channels": 1, "size": [5, 7], "dtype": "uint8", "layout": "nhwc"})");
  EXPECT_FALSE(op.cached);
  EXPECT_THAT(op.infer({}),
              ElementsAre(dense(DType::UInt8, Layout::Nhwc, {4, 1, 5, 7}, Memory::Pageable)));
  EXPECT_THAT(made<OwnBatches>("{}").infer({}),
              ElementsAre(nchw(DType::Float32, {32, 3, 224, 224})));
  EXPECT_TRUE(made<OwnBatches>(R"({"cached": true})").cached);
}

TEST(OwnBatches, SayWhatIsWrong) {
  EXPECT_THAT(mistakes("batches", R"({"batch": 0, "dtype": "float64", "cached": 1})"),
              ElementsAre(testing::HasSubstr("/batch"), testing::HasSubstr("/dtype"),
                          testing::HasSubstr("/cached")));
}

TEST(OwnTransform, HasAResultLikeItsInputUnlessTheConfigSaysMore) {
  EXPECT_THAT(made<OwnTransform>("{}").infer(std::vector{images}), ElementsAre(images));
  const auto op = made<OwnTransform>(
      R"({"dtype": "float16", "layout": "nhwc", "channels": 1, "size": [3, 4]})");
  EXPECT_THAT(op.infer(std::vector{images}),
              ElementsAre(dense(DType::Float16, Layout::Nhwc, {2, 1, 3, 4}, Memory::Pageable)));
  EXPECT_THAT(mistakes("transform", R"({"size": [3]})"), testing::SizeIs(1));
}

TEST(OwnStep, PassesTheBatchThrough) {
  EXPECT_THAT(mistakes("step", "{}"), IsEmpty());
  EXPECT_THAT(infer(Op(OwnStep()), std::vector{images}), ElementsAre(images));
  EXPECT_EQ(fewest(Op(OwnStep()), std::vector{images}, std::vector{images}).moved(), 0);
}

}  // namespace
}  // namespace normbench::own_code_test
