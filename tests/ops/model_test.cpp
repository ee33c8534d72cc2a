#include "ops/model.h"

#include "ops/op_testing.h"

namespace normbench::model_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TensorDesc images = nchw(DType::Float32, {2, 3, 5, 7});

TEST(Model, GivesAThousandLogitsAnImage) {
  const auto model = made<Model>(R"({"name": "resnet18"})");
  EXPECT_EQ(model.network, "resnet18");
  EXPECT_EQ(model.normalize, ModelNormalize::None);
  EXPECT_THAT(model.infer(std::vector{images}), ElementsAre(nchw(DType::Float32, {2, 1000, 1, 1})));
}

TEST(Model, KeepsTheDtypeAndTheMemoryAndWritesPlanes) {
  const TensorDesc in = dense(DType::BFloat16, Layout::Nhwc, {2, 3, 5, 7}, Memory::Device);
  EXPECT_THAT(Model{.network = "x"}.infer(std::vector{in}),
              ElementsAre(nchw(DType::BFloat16, {2, 1000, 1, 1}, Memory::Device)));
}

TEST(Model, NormalizesWithConstantsOnly) {
  EXPECT_THAT(mistakes("model", R"({"name": "resnet18"})"), IsEmpty());
  EXPECT_THAT(mistakes("model", R"({"name": "resnet18", "normalize": "before"})"),
              ElementsAre(testing::HasSubstr("\"mean\""), testing::HasSubstr("\"std\"")));
  const auto inside =
      made<Model>(R"({"name": "x", "normalize": "inside", "mean": [1, 2, 3], "std": 4})");
  EXPECT_EQ(inside.normalize, ModelNormalize::Inside);
  EXPECT_THAT(inside.mean, ElementsAre(1, 2, 3));
  EXPECT_THAT(inside.std, ElementsAre(4));
  // A config may give default values of `mean` and `std` for all models. They are no mistake for a
  // model that does not use them.
  EXPECT_THAT(mistakes("model", R"({"name": "x", "mean": 1, "std": 4})"), IsEmpty());
  EXPECT_THAT(mistakes("model", R"({"name": "x", "std": 0})"), testing::SizeIs(1));
}

TEST(Model, SaysWhatIsWrong) {
  EXPECT_THAT(mistakes("model", "{}"), ElementsAre(": no \"name\" (of the network: \"resnet18\")"));
  for (const std::string name : {R"("")", R"("resnet 18")"})
    EXPECT_THAT(mistakes("model", R"({"name": )" + name + "}"),
                ElementsAre("/name: expected a word: the network's name, \"resnet18\""));
  EXPECT_THAT(mistakes("model", R"({"name": 18})"),
              ElementsAre("/name: expected a string, got 18"));
  EXPECT_THAT(mistakes("model", R"({"name": "x", "normalize": "inide"})"), testing::SizeIs(1));
  const Model model{.network = "x"};
  EXPECT_EQ(infer_error(model, {nchw(DType::UInt8, {2, 3, 5, 7})}),
            "needs a floating-point input, got uint8 (cast first)");
  EXPECT_EQ(infer_error(model, {nchw(DType::Float32, {2, 4, 5, 7})}), "needs 3 channels, got 4");
  EXPECT_EQ(
      infer_error(
          Model{.network = "x", .normalize = ModelNormalize::Inside, .mean = {1, 2}, .std = {1}},
          {images}),
      "2 means for 3 channels (give 1 or 3)");
}

}  // namespace
}  // namespace normbench::model_test
