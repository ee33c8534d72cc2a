/// Tests of plans with stages that save files.
#include <gmock/gmock.h>

#include "fake_backends.h"
#include "plan/pipeline.h"

namespace normbench::save_plan_test {
namespace {

using fakes::config;
using fakes::mistakes;
using fakes::only_case;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns a config with one variant "v" of these stages on uint8 nhwc images.
std::string of_images(const std::string& list, const std::string& memory = "pageable") {
  return config(R"("source": {"batch": 2, "size": [4, 6], "layout": "nhwc", "memory": ")" + memory +
                R"("}, "variants": {"v": )" + list + "}");
}

TEST(SavePlan, PassesItsInputThroughAndHasALane) {
  const Case planned = only_case(of_images(
      R"({"stages": ["copy", {"op": "compute", "ms": 2}, {"op": "save", "format": "png"}],
          "in_flight": 2})"));
  EXPECT_EQ(planned.values.at(3).in_place_of, 2);
  EXPECT_EQ(planned.values.at(2).in_place_of, 1);
  std::vector<std::string> lanes;
  for (const Lane& lane : planned.pipeline->lanes) lanes.push_back(lane.name);
  EXPECT_THAT(lanes, ElementsAre("cpu", "save"));
  for (const std::size_t s : {1u, 2u}) {
    EXPECT_EQ(planned.stages[s].fewest.read_bytes + planned.stages[s].fewest.written_bytes, 0);
    EXPECT_EQ(planned.stages[s].place, Place::Cpu);
    EXPECT_FALSE(planned.skip.has_value());
  }
}

TEST(SavePlan, MistakesAreFoundAtTheirPlaces) {
  EXPECT_THAT(mistakes(of_images(R"([{"op": "cast", "to": "float32"}, "save"])")),
              ElementsAre("/experiments/0/variants/v/1: saves uint8 nhwc images, got 2x3x4x6 "
                          "float32 nhwc pageable (denormalize makes uint8 nhwc images)"));
  EXPECT_THAT(mistakes(of_images(R"(["save", "copy"])")),
              ElementsAre("/experiments/0/variants/v/0: saves what the variant does not end with "
                          "(put it last)"));
  EXPECT_THAT(mistakes(of_images(R"(["copy", "save", {"op": "cast", "to": "uint8",
                                                      "output": "in_place"}])")),
              ElementsAre("/experiments/0/variants/v/1: saves what the variant does not end with "
                          "(put it last)"));
  EXPECT_THAT(mistakes(of_images(R"(["copy", {"op": "save", "output": "fresh"}])")),
              ElementsAre(HasSubstr("/v/1/output: save passes its input through")));
  EXPECT_THAT(mistakes(of_images(R"(["h2d", "save"])"), {}, fakes::with_gpu()),
              ElementsAre(HasSubstr("/v/1: saves images in host memory, got")));
  EXPECT_THAT(
      mistakes(of_images(R"([{"op": "save", "place": "cuda"}])", "pinned"), {}, fakes::with_gpu()),
      ElementsAre("/experiments/0/variants/v/0/place: save runs at place cpu only (remove "
                  "this)"));
}

TEST(SavePlan, FilesOfPeersAreNotChecked) {
  EXPECT_THAT(
      mistakes(config(R"("source": {"layout": "nhwc"},
                         "variants": {"v": {"peer": "p", "stages": ["save"]}})",
                      R"("peers": {"p": ["p"]})")),
      ElementsAre("/experiments/0/variants/v/stages/0: files are saved in this process only (a "
                  "peer's are not checked)"));
}

}  // namespace
}  // namespace normbench::save_plan_test
