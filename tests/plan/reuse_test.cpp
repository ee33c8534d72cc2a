#include <gmock/gmock.h>

#include <limits>

#include "fake_backends.h"
#include "plan/buffers.h"

namespace normbench::reuse_test {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// The case of this variant on a source of 10x10 uint8 pixels, 300 bytes.
Case noted(const std::string& variant, Cache cache, const Backends& backends) {
  Case work = fakes::only_case(
      fakes::config(R"("source": {"batch": 1, "size": [10, 10]}, "variants": {"v": )" + variant +
                    "}"),
      backends);
  note_reuse(work, cache);
  return work;
}

/// `reuse_bytes` of every stage.
std::vector<std::int64_t> reuse_bytes(const std::string& variant, Cache cache,
                                      const Backends& backends = fakes::without_gpu()) {
  std::vector<std::int64_t> bytes;
  for (const Stage& stage : noted(variant, cache, backends).stages)
    bytes.push_back(stage.signature.reuse_bytes);
  return bytes;
}

/// `read_next` of every stage.
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
}  // namespace normbench::reuse_test
