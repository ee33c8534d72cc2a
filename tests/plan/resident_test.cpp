#include <gmock/gmock.h>

#include "fake_backends.h"
#include "plan/buffers.h"

namespace normbench::resident_test {
namespace {

/// "cast sub" of the stages that find their input in a cache of so many bytes, from 1,000 bytes of
/// source on.
std::string resident(const std::string& list, const Sides& cache_bytes,
                     const std::string& source = "") {
  const std::string text = fakes::config(fmt::format(
      R"("source": {{"batch": 1, "channels": 1, "size": [1, 1000]{}}}, "variants": {{"v": {}}})",
      source, list));
  Case work = fakes::only_case(text, fakes::with_gpu());
  mark_resident(work, cache_bytes);
  std::vector<std::string> names;
  for (const Stage& stage : work.stages)
    if (stage.resident) names.push_back(stage.label);
  return fmt::format("{}", fmt::join(names, " "));
}

const std::string chain = R"([{"op": "cast", "to": "float32"}, {"op": "sub", "mean": 1},
    {"op": "div", "std": 2}])";
const std::string in_place = R"([{"op": "cast", "to": "float32"},
    {"op": "sub", "mean": 1, "output": "in_place"},
    {"op": "div", "std": 2, "output": "in_place"}])";

// 4,000 bytes of cast's output and 4,000 of sub's; of sub's and div's as many.
TEST(Resident, WhatIsWrittenSinceTheInputWasMadeMustFit) {
  EXPECT_EQ(resident(chain, {.host = 8000}), "sub div");
  EXPECT_EQ(resident(chain, {.host = 7999}), "");
}

TEST(Resident, ABufferCountsOnceHoweverOftenItIsWritten) {
  EXPECT_EQ(resident(in_place, {.host = 4000}), "sub div");
  EXPECT_EQ(resident(in_place, {.host = 3999}), "");
}

TEST(Resident, WhatLiesBetweenCounts) {
  // The last stage reads what the first wrote: 1,000 bytes, then 4,000 and 4,000, then 1,000 more.
  const std::string skipping = R"([{"op": "copy", "as": ["early"]}, {"op": "cast", "to": "float32"},
      {"op": "sub", "mean": 1}, {"op": "copy", "in": ["early"]}])";
  EXPECT_EQ(resident(skipping, {.host = 10'000}), "cast sub copy");
  EXPECT_EQ(resident(skipping, {.host = 9'999}), "cast sub");
}

TEST(Resident, TheSourceNeverIs) {
  EXPECT_EQ(resident(R"(["copy"])", {.host = 1 << 30}), "");
  // What passes the source on did not write it.
  EXPECT_EQ(resident(R"(["register", "copy", "unregister"])", {.host = 1 << 30}), "");
}

TEST(Resident, EachSideHasItsCache) {
  // h2d writes 1,000 bytes of device memory, cast reads them and writes 4,000.
  const std::string sent = R"(["copy", "h2d", {"op": "cast", "to": "float32"}])";
  EXPECT_EQ(resident(sent, {.host = 0, .device = 5000}), "cast");
  EXPECT_EQ(resident(sent, {.host = 1000, .device = 4999}), "h2d");
}

TEST(Resident, ALaunchBetweenTouchesNothing) {
  EXPECT_EQ(resident(R"(["h2d", "launch", "sync", {"op": "cast", "to": "float32"}])",
                     {.host = 0, .device = 5000}),
            "cast");
}

TEST(Resident, IsDecidedByThePlanForColdBuffersOnly) {
  const auto stages_of = [](const std::string& head, std::int64_t cache_bytes) {
    const std::string text =
        fakes::config(fmt::format(R"("source": {{"batch": 1, "channels": 1, "size": [1, 1000]}},
                       "variants": {{"v": {}}})",
                                  chain),
                      head);
    PlanOptions options;
    options.cache_bytes.host = cache_bytes;
    const Plan plan = fakes::plan(text, options);
    std::vector<bool> flags;
    for (const Stage& stage : plan.groups[0].cases[0].stages) flags.push_back(stage.resident);
    return flags;
  };
  EXPECT_EQ(stages_of("", 8000), (std::vector{false, true, true}));
  EXPECT_EQ(stages_of("", 7999), (std::vector{false, false, false}));
  EXPECT_EQ(stages_of(R"("measure": {"cache": "hot"})", 8000), (std::vector{false, false, false}));
}

}  // namespace
}  // namespace normbench::resident_test
