#include "plan/limits.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench {
namespace {

using testing::ElementsAre;

std::vector<std::string> shown(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Case& limit : plan.groups.at(0).limits)
    lines.push_back(fmt::format("{} | {} | {} | {}", limit.variant,
                                describe(limit.values.at(0).desc), describe(limit.result()),
                                limit.stages.at(0).kernel->name));
  return lines;
}

TEST(Limits, AreStreamsOfTheSameBytesOnce) {
  const Plan plan = fakes::plan(fakes::config(R"("source": {"batch": 1, "size": [720, 1280]},
    "variants": {"a": [{"op": "cast", "to": "float32"}], "same": ["copy", {"op": "cast", "to": "float32"}],
                 "gpu": ["h2d"], "files": ["load", "copy"],
                 "more": {"stages": [{"op": "source", "memory": "pageable_huge"}, "copy"],
                          "threads": 2}})"));
  EXPECT_THAT(
      shown(plan),
      ElementsAre("stream 2.76 MB:11.1 MB temporal, 1 thread | 1x3x720x1280 uint8 nchw pageable | "
                  "1x1x1x11059200 uint8 nchw pageable | temporal",
                  "stream 2.76 MB:11.1 MB nt, 1 thread | 1x3x720x1280 uint8 nchw pageable | "
                  "1x1x1x11059200 uint8 nchw pageable | nt",
                  "stream 27.6 MB:27.6 MB temporal, 2 threads, pageable_huge | 10x3x720x1280 uint8 "
                  "nchw pageable_huge | 1x1x1x27648000 uint8 nchw pageable_huge | temporal",
                  "stream 27.6 MB:27.6 MB nt, 2 threads, pageable_huge | 10x3x720x1280 uint8 nchw "
                  "pageable_huge | 1x1x1x27648000 uint8 nchw pageable_huge | nt"));
}

TEST(Limits, SizesThatReadAlikeKeepTheirBytes) {
  const Plan plan = fakes::plan(fakes::config(
      R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
         "variants": {"a": ["copy"], "b": [{"op": "source", "batch": 1, "channels": 1,
                                            "size": [1000, 1001]}, "copy"]})"));
  std::vector<std::string> names;
  for (const Case& limit : plan.groups.at(0).limits) names.push_back(limit.variant);
  EXPECT_THAT(names, ElementsAre("stream 1.00 MB:1.00 MB temporal, 1 thread",
                                 "stream 1.00 MB:1.00 MB nt, 1 thread",
                                 "stream 1,001,000:1,001,000 B temporal, 1 thread",
                                 "stream 1,001,000:1,001,000 B nt, 1 thread"));
}

/// "name: source -> result" of every limit on a GPU, with its stages.
std::vector<std::string> shown_on_gpu(const std::string& experiment) {
  const Plan plan = make_plan("c.json", fakes::config(experiment), fakes::with_gpu(), {});
  std::vector<std::string> lines;
  for (const Case& limit : plan.groups.at(0).limits) {
    std::vector<std::string> stages;
    for (const Stage& stage : limit.stages)
      stages.push_back(fmt::format("{} {}", name_of(stage.op), stage.kernel->name));
    lines.push_back(fmt::format("{}: {} -> {} by {}, {} threads", limit.variant,
                                describe(limit.values.at(0).desc), describe(limit.result()),
                                fmt::join(stages, ", "), limit.threads));
  }
  return lines;
}

TEST(Limits, OfCasesInDeviceMemoryAreItsStreams) {
  EXPECT_THAT(
      shown_on_gpu(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000], "memory": "device"},
                      "threads": 3, "variants": {
                        "a": [{"op": "cast", "to": "float32"}, "sync"],
                        "same": [{"op": "cast", "to": "float16"}, {"op": "cast", "to": "float32"}],
                        "writes the host": [{"op": "cast", "to": "float32", "memory": "mapped"}]})"),
      ElementsAre("stream 1.00 kB:4.00 kB vector, cuda: 1x1x1x1000 uint8 nchw device -> 1x1x1x4000 "
                  "uint8 nchw device by stream vector, 3 threads",
                  "stream 1.00 kB:4.00 kB streaming, cuda: 1x1x1x1000 uint8 nchw device -> "
                  "1x1x1x4000 uint8 nchw device by stream streaming, 3 threads",
                  "launch: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by launch "
                  "only, 3 threads",
                  "launch + sync: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by "
                  "launch only, sync only, 3 threads"));
}

TEST(Limits, OfTransfersArePinnedOnesOfTheSameBytes) {
  EXPECT_THAT(
      shown_on_gpu(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000]}, "variants": {
                        "u8": ["h2d", {"op": "cast", "to": "float32"}, "d2h"],
                        "f32": [{"op": "cast", "to": "float32"}, "h2d"],
                        "again": ["pin", "h2d", {"op": "sync"}],
                        "alike": [{"op": "source", "batch": 1, "channels": 1, "size": [1, 1001]},
                                  "h2d"]})"),
      ElementsAre(
          "h2d 1.00 kB pinned: 1x1x1x1000 uint8 nchw pinned -> 1x1x1x1000 uint8 nchw device "
          "by h2d async, 1 threads",
          "d2h 4.00 kB pinned: 1x1x1x4000 uint8 nchw device -> 1x1x1x4000 uint8 nchw pinned "
          "by d2h async, 1 threads",
          "h2d 4.00 kB pinned: 1x1x1x4000 uint8 nchw pinned -> 1x1x1x4000 uint8 nchw device "
          "by h2d async, 1 threads",
          "h2d 1,001 B pinned: 1x1x1x1001 uint8 nchw pinned -> 1x1x1x1001 uint8 nchw device "
          "by h2d async, 1 threads",
          "launch: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by launch "
          "only, 1 threads",
          "launch + sync: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by "
          "launch only, sync only, 1 threads"));
}

TEST(Limits, OfAGpuNeedIt) {
  const std::string text =
      fakes::config(R"("source": {"batch": 1, "memory": "device"}, "variants": {"v": ["d2h"]})");
  EXPECT_TRUE(make_plan("c.json", text, fakes::without_device(), {}).groups.at(0).limits.empty());
}

TEST(Limits, FirstTouchOfTheLargestFreshOutput) {
  const Plan plan = fakes::plan(fakes::config(
      R"("source": {"batch": 4}, "variants": {
         "a": [{"op": "copy", "output": "fresh"}],
         "b": [{"op": "cast", "to": "float32", "output": "fresh"}, {"op": "sub", "mean": 1}]})"));
  const Case& limit = plan.groups.at(0).limits.back();
  EXPECT_EQ(fmt::format("{} {} {}", limit.variant, name_of(limit.stages.at(0).output),
                        limit.result().bytes()),
            "first_touch 44.2 MB fresh 44236800");
}

TEST(Limits, WithoutARowThereIsNoLimit) {
  Backends all;
  std::vector<Kernel> rows = fakes::cpu_rows();
  std::erase_if(rows, [](const Kernel& row) { return row.op == "stream"; });
  all.list.push_back(std::make_unique<fakes::FakeBackend>(Place::Cpu, std::nullopt, rows));
  const Plan plan = make_plan("c.json", fakes::config(R"("variants": {"v": ["copy"]})"), all, {});
  EXPECT_TRUE(plan.groups.at(0).limits.empty());
}

}  // namespace
}  // namespace normbench
