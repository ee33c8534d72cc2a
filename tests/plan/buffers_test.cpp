/// Tests which buffers the plan expects to be still in a cache when they are used again.
#include "plan/buffers.h"

#include <gmock/gmock.h>

#include <limits>

#include "fake_backends.h"

namespace normbench::buffers_test {
namespace {

using testing::ElementsAre;

/// Plans the variant `list` for an image of 1,000 bytes and for caches of these sizes. Returns the
/// labels of the stages that find their input in a cache, as a text like "cast sub". `source` is
/// JSON with further members of the image's source.
std::string resident(const std::string& list, const Sides& cache_bytes,
                     const std::string& source = "") {
  const std::string text = fakes::config(fmt::format(
      R"("source": {{"batch": 1, "channels": 1, "size": [1, 1000]{}}}, "variants": {{"v": {}}})",
      source, list));
  Case planned = fakes::only_case(text, fakes::with_gpu());
  mark_resident(planned, cache_bytes);
  std::vector<std::string> names;
  for (const Stage& stage : planned.stages)
    if (stage.resident) names.push_back(stage.label);
  return fmt::format("{}", fmt::join(names, " "));
}

const std::string chain = R"([{"op": "cast", "to": "float32"}, {"op": "sub", "mean": 1},
    {"op": "div", "std": 2}])";
const std::string in_place = R"([{"op": "cast", "to": "float32"},
    {"op": "sub", "mean": 1, "output": "in_place"},
    {"op": "div", "std": 2, "output": "in_place"}])";

// Each of `cast`, `sub` and `div` writes 4,000 bytes. `sub` finds its input in the cache if the
// cache holds this input and the output of `sub` together. The same holds for `div`.
TEST(Resident, WhatIsWrittenSinceTheInputWasMadeMustFit) {
  EXPECT_EQ(resident(chain, {.host = 8000}), "sub div");
  EXPECT_EQ(resident(chain, {.host = 7999}), "");
}

TEST(Resident, ABufferCountsOnceHoweverOftenItIsWritten) {
  EXPECT_EQ(resident(in_place, {.host = 4000}), "sub div");
  EXPECT_EQ(resident(in_place, {.host = 3999}), "");
}

TEST(Resident, WhatLiesBetweenCounts) {
  // The last stage reads the 1,000 bytes that the first stage wrote. Since then, the other two
  // stages wrote 4,000 bytes each. The last stage itself writes 1,000 bytes more. Together, these
  // are 10,000 bytes.
  const std::string skipping = R"([{"op": "copy", "as": ["early"]}, {"op": "cast", "to": "float32"},
      {"op": "sub", "mean": 1}, {"op": "copy", "in": ["early"]}])";
  EXPECT_EQ(resident(skipping, {.host = 10'000}), "cast sub copy");
  EXPECT_EQ(resident(skipping, {.host = 9'999}), "cast sub");
}

TEST(Resident, TheSourceNeverIs) {
  EXPECT_EQ(resident(R"(["copy"])", {.host = 1 << 30}), "");
  // The copy reads the source, which `register` passes on without writing it.
  EXPECT_EQ(resident(R"(["register", "copy", "unregister"])", {.host = 1 << 30}), "");
}

TEST(Resident, EachSideHasItsCache) {
  // `h2d` writes 1,000 bytes of device memory. `cast` reads them and writes 4,000 bytes.
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

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Plans the variant for a source of 10x10 RGB pixels, which has 300 bytes. Returns the case after
/// note_reuse().
Case noted(const std::string& variant, Cache cache, const Backends& backends) {
  Case planned = fakes::only_case(
      fakes::config(R"("source": {"batch": 1, "size": [10, 10]}, "variants": {"v": )" + variant +
                    "}"),
      backends);
  note_reuse(planned, cache);
  return planned;
}

std::vector<std::int64_t> reuse_bytes(const std::string& variant, Cache cache,
                                      const Backends& backends = fakes::without_gpu()) {
  std::vector<std::int64_t> bytes;
  for (const Stage& stage : noted(variant, cache, backends).stages)
    bytes.push_back(stage.signature.reuse_bytes);
  return bytes;
}

std::vector<bool> read_next(const std::string& variant,
                            const Backends& backends = fakes::without_gpu()) {
  std::vector<bool> read;
  for (const Stage& stage : noted(variant, Cache::Hot, backends).stages)
    read.push_back(stage.signature.read_next);
  return read;
}

TEST(Reuse, AnOutputThatNothingReadsIsWrittenAgainInTheNextIteration) {
  const std::string cast = R"([{"op": "cast", "to": "float32"}])";
  EXPECT_THAT(reuse_bytes(cast, Cache::Hot), ElementsAre(300 + 1200));
  EXPECT_THAT(reuse_bytes(cast, Cache::Cold), ElementsAre(kNever));
}

TEST(Reuse, AnOutputThatIsReadWaitsForWhatLiesBetween) {
  const std::string chain = R"([{"op": "cast", "to": "float32", "as": "x"},
    {"op": "cast", "to": "float16"}, {"op": "copy", "in": "x"}])";
  EXPECT_THAT(reuse_bytes(chain, Cache::Cold), ElementsAre(1500, kNever, kNever));
  EXPECT_THAT(reuse_bytes(chain, Cache::Hot), ElementsAre(1500, 3300, 3300));
  const std::string later = R"([{"op": "cast", "to": "float32", "as": "x"},
    {"op": "copy", "in": "source"}, {"op": "copy", "in": "x"}])";
  EXPECT_THAT(reuse_bytes(later, Cache::Cold), ElementsAre(300 + 1200 + 300, kNever, kNever));
}

TEST(Reuse, IsAReadWhereALaterStageOfTheCpuReads) {
  EXPECT_THAT(read_next(R"([{"op": "cast", "to": "float32"}, "copy"])"), ElementsAre(true, false));
  EXPECT_THAT(read_next(R"([{"op": "cast", "to": "float32"}, "h2d"])", fakes::with_gpu()),
              ElementsAre(false, false));
}

TEST(Reuse, AnOutputInItsInputsBufferIsInTheCache) {
  EXPECT_THAT(reuse_bytes(R"([{"op": "cast", "to": "float32"},
                              {"op": "normalize", "mean": 1, "std": 1, "output": "in_place"}])",
                          Cache::Cold),
              ElementsAre(1500, 0));
}

TEST(Reuse, ATransferReadsNothingThroughTheCache) {
  const std::string sent = R"([{"op": "cast", "to": "float32"}, "h2d", "copy"])";
  EXPECT_THAT(reuse_bytes(sent, Cache::Cold, fakes::with_gpu()), ElementsAre(kNever, 0, 0));
  EXPECT_THAT(reuse_bytes(sent, Cache::Hot, fakes::with_gpu()), ElementsAre(1500, 0, 0));
}

TEST(Reuse, IsPlannedForTheCacheOfTheConfig) {
  const auto planned = [](const std::string& cache) {
    const Plan plan = fakes::plan(fakes::config(R"("variants": {"v": ["copy"]})",
                                                R"("measure": {"cache": ")" + cache + "\"}"));
    return plan.groups.at(0).cases.at(0).stages.at(0).signature.reuse_bytes;
  };
  EXPECT_EQ(planned("cold"), kNever);
  EXPECT_EQ(planned("hot"), 2 * 10 * 3 * 720 * 1280);
}

}  // namespace
}  // namespace normbench::buffers_test
