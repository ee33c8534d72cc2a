/// Tests which variants CUDA graphs can capture.
#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::graph_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Plans a variant with the stages `list` and "graph": true. Returns the mistakes.
std::vector<std::string> mistakes(const std::string& list, const std::string& more = "",
                                  const Backends& all = fakes::with_gpu()) {
  return fakes::mistakes(
      fakes::stages(fmt::format(R"({{"stages": {}, "graph": true{}}})", list, more)), {}, all);
}

TEST(Graph, NeedsStagesOnTheGpu) {
  EXPECT_THAT(mistakes(R"(["copy"])"),
              ElementsAre("/experiments/0/variants/v/graph: graph needs stages on the GPU"));
}

TEST(Graph, NeedsAStageThatCanBeCaptured) {
  const auto none = ElementsAre(
      "/experiments/0/variants/v/graph: none of its stages can be captured (sync, pageable "
      "transfers and per_call constants cannot)");
  EXPECT_THAT(mistakes(R"(["h2d", "sync"])"), none);
  EXPECT_THAT(mistakes(R"(["h2d", "sync"])", "", fakes::without_device()), none);
  EXPECT_THAT(mistakes(R"([{"op": "source", "dtype": "float32", "memory": "device"},
                           {"op": "sub", "mean": 1, "constants": "per_call"}])"),
              none);
  // A build without CUDA does not know the GPU's kernel rows, so it finds no mistake.
  EXPECT_THAT(mistakes(R"(["h2d", "sync"])", "", fakes::without_gpu()), IsEmpty());
}

TEST(Graph, TakesCallsThatPassThroughBetweenItsRuns) {
  EXPECT_THAT(mistakes(R"(["pin", "h2d", "sync", {"op": "cast", "to": "float32"}, "launch"])"),
              IsEmpty());
  EXPECT_THAT(mistakes(R"(["register", "h2d", "unregister"])"), IsEmpty());
}

TEST(Graph, AllocatesNothing) {
  EXPECT_THAT(mistakes(R"([{"op": "h2d", "output": "fresh"},
                           {"op": "cast", "to": "float32", "output": "fresh"},
                           {"op": "copy", "output": "cuda_malloc"}])"),
              ElementsAre("/experiments/0/variants/v/stages/1/output: a graph cannot allocate its "
                          "outputs anew (use reuse)",
                          "/experiments/0/variants/v/stages/2/output: a graph cannot allocate its "
                          "outputs anew (use reuse)"));
  EXPECT_THAT(mistakes(R"([{"op": "pin", "output": "fresh"}, "h2d"])"), IsEmpty());
}

TEST(Graph, RefusesAllocationWrittenInDefaultsThere) {
  EXPECT_THAT(fakes::mistakes(fakes::config(R"("variants": {"v": {
                "stages": ["h2d", {"op": "cast", "to": "float32"}], "graph": true}})",
                                            R"("defaults": {"cast": {"output": "fresh"}})"),
                              {}, fakes::with_gpu()),
              ElementsAre("/defaults/cast/output: a graph cannot allocate its outputs anew (use "
                          "reuse)"));
}

TEST(Graph, IsNotWaitedForWithin) {
  EXPECT_THAT(
      mistakes(R"(["pin", "h2d"])", R"(, "wait": "stage")"),
      ElementsAre("/experiments/0/variants/v/graph: a graph runs its stages as one: the host "
                  "cannot wait after each (use \"wait\": \"iteration\" or \"turn\")"));
  EXPECT_THAT(mistakes(R"(["pin", "h2d"])", R"(, "wait": "iteration")"), IsEmpty());
}

TEST(Wait, IsOneOfThree) {
  EXPECT_THAT(fakes::mistakes(fakes::stages(R"({"stages": ["h2d"], "wait": "never"})")),
              ElementsAre("/experiments/0/variants/v/wait: unknown value \"never\" (known: stage, "
                          "iteration, turn)"));
}

}  // namespace
}  // namespace normbench::graph_test
