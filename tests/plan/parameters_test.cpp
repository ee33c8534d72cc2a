/// Tests of the parameters that stages keep from the config.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "fake_backends.h"

namespace normbench::parameters_test {
namespace {

using fakes::config;
using fakes::only_case;
using testing::ElementsAre;

std::vector<std::string> shown(const Case& one) {
  std::vector<std::string> texts;
  for (const Stage& stage : one.stages) texts.push_back(stage.parameters.dump());
  return texts;
}

TEST(Parameters, AreWhatIsSaidOfTheOpAfterDefaultsAndAxes) {
  EXPECT_THAT(
      shown(only_case(config(
          R"("sweep": {"when": ["per_call"]}, "source": {"dtype": "float32"},
             "variants": {"v": [{"op": "sub", "constants": "$when", "output": "fresh", "as": ["y"]},
                                {"op": "div", "memory": "pageable_huge", "in": ["y"]},
                                "copy", {"op": "cast", "to": "float16", "place": "cpu",
                                         "kernel": "simd"}]})",
          R"("defaults": {"normalize": {"mean": [1, 2, 3], "std": 4}, "div": {"output": "fresh"}})"))),
      ElementsAre(R"({"constants":"per_call","mean":[1,2,3]})", R"({"std":4})", "null",
                  R"({"to":"float16"})"));
}

TEST(Parameters, HoldPathsAsTheyWereWritten) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "parameters";
  std::filesystem::create_directories(dir / "photos");
  std::ofstream(dir / "photos" / "a.jpg");
  PlanOptions options;
  options.base_dir = dir;
  const auto of = [&](const std::string& load) {
    const std::string text = config(R"("variants": {"v": [)" + load + R"(, "copy"]})");
    return shown(make_plan("c.json", text, fakes::without_gpu(), options).groups[0].cases[0]);
  };
  EXPECT_THAT(of(R"({"op": "load", "path": "photos"})"),
              ElementsAre(R"({"path":"photos"})", "null"));
  options.images_dir = dir / "photos";
  EXPECT_THAT(of(R"("load")"), ElementsAre("null", "null"));
}

}  // namespace
}  // namespace normbench::parameters_test
