/// Tests of plans with `compute` stages, which imitate a network: they keep a processor busy for a
/// given time.
#include <gmock/gmock.h>

#include "fake_backends.h"
#include "plan/pipeline.h"

namespace normbench::compute_plan_test {
namespace {

using fakes::config;
using fakes::mistakes;
using fakes::only_case;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns a config with one variant "v" of these stages.
std::string of_images(const std::string& list, const std::string& memory = "pageable") {
  return config(R"("source": {"batch": 2, "size": [4, 6], "memory": ")" + memory +
                R"("}, "variants": {"v": )" + list + "}");
}

TEST(ComputePlan, MistakesAreFoundAtTheirPlaces) {
  EXPECT_THAT(mistakes(of_images(R"([{"op": "compute", "ms": 1, "fill": 0.5}])")),
              ElementsAre("/experiments/0/variants/v/0/fill: is a share of a GPU's multiprocessors, "
                          "but this runs on the CPU (remove this)"));
  EXPECT_THAT(mistakes(of_images(R"(["compute"])")),
              ElementsAre(HasSubstr("/experiments/0/variants/v/0: no \"ms\" or")));
}

TEST(ComputePlan, RunsWhereItsInputIs) {
  const Case planned =
      only_case(of_images(R"({"stages": ["h2d", {"op": "compute", "ms": 1, "fill": 0.5}, "d2h",
                               {"op": "compute", "ms": 1}], "in_flight": 2})"),
                fakes::with_gpu());
  EXPECT_EQ(planned.stages[1].place, Place::Cuda);
  EXPECT_EQ(planned.values[2].desc.memory, Memory::Device);
  EXPECT_EQ(planned.stages[3].place, Place::Cpu);
  std::vector<std::string> lanes;
  for (const Lane& lane : planned.pipeline->lanes) lanes.push_back(lane.name);
  EXPECT_THAT(lanes, ElementsAre("h2d", "gpu", "d2h", "cpu"));
  const Case reached = only_case(
      of_images(R"([{"op": "compute", "ms": 1, "place": "cuda"}])", "pinned"), fakes::with_gpu());
  EXPECT_EQ(reached.stages[0].place, Place::Cuda);
  EXPECT_EQ(reached.values[1].desc.memory, Memory::Pinned);
}

}  // namespace
}  // namespace normbench::compute_plan_test
