/// Tests that numbers beyond what any machine has are mistakes, and that each mistake is reported
/// at its place in the config.
#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::overflow_test {
namespace {

using fakes::config;
using fakes::mistakes;
using fakes::stages;
using testing::ElementsAre;

/// Returns the mistakes of a config whose only variant copies a source with these members.
std::vector<std::string> of_source(const std::string& members) {
  return mistakes(
      config(fmt::format(R"("source": {{{}}}, "variants": {{"v": ["copy"]}})", members)));
}

TEST(Overflow, OfASourceIsToldAtTheNumber) {
  EXPECT_THAT(of_source(R"("batch": 9223372036854775807)"),
              ElementsAre("/experiments/0/source/batch: must be at most 2147483647, got "
                          "9223372036854775807"));
  EXPECT_THAT(of_source(R"("batch": 18446744073709551615)"),
              ElementsAre("/experiments/0/source/batch: must be at most 2147483647, got "
                          "18446744073709551615"));
  EXPECT_THAT(of_source(R"("batch": 1e300)"),
              ElementsAre("/experiments/0/source/batch: must be at most 2147483647, got 1e+300"));
  EXPECT_THAT(of_source(R"("batch": -9223372036854775808, "channels": 0, "size": [0, 4])"),
              ElementsAre("/experiments/0/source/batch: must be at least 1, got "
                          "-9223372036854775808",
                          "/experiments/0/source/channels: must be at least 1, got 0",
                          "/experiments/0/source/size/0: must be from 1 to 2147483647, got 0"));
}

TEST(Overflow, OfAProductIsToldAtTheSource) {
  EXPECT_THAT(of_source(R"("batch": 2147483647, "channels": 2147483647,
                           "size": [2147483647, 2147483647])"),
              ElementsAre("/experiments/0/source: shape overflows: "
                          "2147483647x2147483647x2147483647x2147483647 uint8 (must be under 2^62 "
                          "bytes)"));
  EXPECT_THAT(of_source(R"("batch": 2147483647, "channels": 1, "size": [2147483647, 1])"),
              ElementsAre("/experiments/0/source: 2147483647x1x2147483647x1 uint8 nchw pageable is "
                          "4612 PB, more than a machine holds"));
}

TEST(Overflow, OfASweepIsToldAtEachValueAndOtherPointsArePlanned) {
  EXPECT_THAT(mistakes(config(R"("sweep": {"b": [1, 9223372036854775807, 2147483648]},
                                 "source": {"batch": "$b"}, "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/sweep/b/1: must be at most 2147483647, got "
                          "9223372036854775807",
                          "/experiments/0/sweep/b/2: must be at most 2147483647, got 2147483648"));
}

TEST(Overflow, OfAStageIsToldAtTheStage) {
  EXPECT_THAT(mistakes(stages(R"([{"op": "resize", "size": [2147483647, 2147483647]}])")),
              ElementsAre("/experiments/0/variants/v/0: shape overflows: "
                          "2x3x2147483647x2147483647 uint8 (must be under 2^62 bytes)"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "resize", "size": [2147483647, 200000]}])")),
              ElementsAre("/experiments/0/variants/v/0: 2x3x2147483647x200000 uint8 nchw pageable "
                          "is 2.58 PB, more than a machine holds"));
  EXPECT_THAT(
      mistakes(stages(R"([{"op": "crop", "size": [2, 2],
                                   "at": [2147483647, 2147483647]}])")),
      ElementsAre("/experiments/0/variants/v/0: window 2x2 at [2147483647, 2147483647] does "
                  "not fit in 4x6"));
}

TEST(Overflow, OfCountsIsToldAtTheCount) {
  std::string many = "[";
  for (int i = 0; i < 1001; ++i) many += i == 0 ? R"("copy")" : R"(,"copy")";
  EXPECT_THAT(mistakes(stages(many + "]")),
              ElementsAre("/experiments/0/variants/v: has 1001 stages (at most 1000)"));
  EXPECT_THAT(mistakes(config(R"("threads": 2147483647, "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/threads: must be at most 4096, got 2147483647"));
}

TEST(Overflow, ScratchMemoryCountsToo) {
  std::vector<Kernel> rows = fakes::cpu_rows();
  for (Kernel& row : rows)
    if (row.op == "copy")
      row.scratch = [](const Op&, const Signature& s) -> std::size_t {
        return s.in.at(0).shape.n == 2 ? SIZE_MAX : 0;
      };
  Backends all;
  all.list.push_back(std::make_unique<fakes::FakeBackend>(Place::Cpu, std::nullopt, rows));
  EXPECT_THAT(mistakes(stages(R"(["copy"])"), {}, all),
              ElementsAre("/experiments/0/variants/v/0: 18447 PB of temporary memory for 2x3x4x6 "
                          "uint8 nchw pageable, more than a machine holds"));
}

TEST(Overflow, WorkBetweenThePassesOfAResizeIsBounded) {
  const Case planned =
      fakes::only_case(config(R"("source": {"batch": 1, "channels": 1, "size": [1, 2147483647]},
                "variants": {"v": [{"op": "resize", "size": [2147483647, 1]}]})"));
  EXPECT_EQ(planned.stages[0].fewest.flops, std::int64_t{1} << 60);
}

}  // namespace
}  // namespace normbench::overflow_test
