#include "plan/limits.h"

#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::limits_test {
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
                 "more": {"stages": [{"op": "source", "batch": 10, "memory": "pageable_huge"}, "copy"],
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
                  "pageable_huge | 1x1x1x27648000 uint8 nchw pageable_huge | nt",
                  "stream 2.76 MB:2.76 MB temporal, 1 thread | 1x3x720x1280 uint8 nchw pageable | "
                  "1x1x1x2764800 uint8 nchw pageable | temporal",
                  "stream 2.76 MB:2.76 MB nt, 1 thread | 1x3x720x1280 uint8 nchw pageable | "
                  "1x1x1x2764800 uint8 nchw pageable | nt",
                  "stream 2.76 MB:11.1 MB temporal, 1 thread, in cache | 1x3x720x1280 uint8 nchw "
                  "pageable | 1x1x1x11059200 uint8 nchw pageable | temporal"));
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

TEST(Limits, OfACropReadItsWindow) {
  const Plan plan = fakes::plan(fakes::config(
      R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
         "variants": {"crop": [{"op": "crop", "size": [500, 600]}],
                      "crop at last": ["copy", {"op": "crop", "size": [500, 600]}]})"));
  EXPECT_EQ(plan.groups.at(0).cases.at(0).fewest_read_bytes(), 300'000);
  EXPECT_EQ(plan.groups.at(0).cases.at(1).fewest_read_bytes(), 1'000'000);
  std::vector<std::string> names;
  for (const Case& limit : plan.groups.at(0).limits) names.push_back(limit.variant);
  EXPECT_THAT(names, testing::IsSupersetOf({"stream 300 kB:300 kB temporal, 1 thread",
                                            "stream 1.00 MB:300 kB temporal, 1 thread"}));
}

/// Plans the experiment for a machine with a GPU. Returns "name: source -> result by stages,
/// threads" for every limit. A limit is a case that measures what the machine can do.
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
                  "stream 1.00 kB:2.00 kB vector, cuda: 1x1x1x1000 uint8 nchw device -> 1x1x1x2000 "
                  "uint8 nchw device by stream vector, 3 threads",
                  "stream 1.00 kB:2.00 kB streaming, cuda: 1x1x1x1000 uint8 nchw device -> "
                  "1x1x1x2000 uint8 nchw device by stream streaming, 3 threads",
                  "stream 2.00 kB:4.00 kB vector, cuda, in cache: 1x1x1x2000 uint8 nchw device -> "
                  "1x1x1x4000 uint8 nchw device by stream vector, 3 threads",
                  "stream 1.00 kB:4.00 kB vector, cuda, device to pinned: 1x1x1x1000 uint8 nchw "
                  "device -> 1x1x1x4000 uint8 nchw pinned by stream vector, 3 threads",
                  "stream 1.00 kB:4.00 kB streaming, cuda, device to pinned: 1x1x1x1000 uint8 nchw "
                  "device -> 1x1x1x4000 uint8 nchw pinned by stream streaming, 3 threads",
                  "launch: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by launch "
                  "only, 3 threads",
                  "launch + sync: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by "
                  "launch only, sync only, 3 threads"));
}

TEST(Limits, OfKernelsOverTheLinkAreStreamsByAKernelFromPinnedMemory) {
  const auto read_from = [](const std::string& memory) {
    return shown_on_gpu(fmt::format(
        R"("source": {{"batch": 1, "channels": 1, "size": [1, 1000]}}, "variants": {{
             "v": [{{"op": "copy", "memory": "{}"}},
                   {{"op": "cast", "to": "float32", "place": "cuda", "memory": "device"}}]}})",
        memory));
  };
  for (const std::string memory : {"pinned", "registered", "mapped", "managed"})
    EXPECT_THAT(read_from(memory),
                testing::IsSupersetOf(
                    {"stream 1.00 kB:4.00 kB vector, cuda, pinned to device: 1x1x1x1000 uint8 nchw "
                     "pinned -> 1x1x1x4000 uint8 nchw device by stream vector, 1 threads",
                     "stream 1.00 kB:4.00 kB streaming, cuda, pinned to device: 1x1x1x1000 uint8 "
                     "nchw pinned -> 1x1x1x4000 uint8 nchw device by stream streaming, 1 threads"}))
        << memory;
  EXPECT_THAT(shown_on_gpu(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000],
                                         "memory": "device"},
                              "variants": {"v": [{"op": "cast", "to": "float32",
                                                  "memory": "mapped"}]})"),
              testing::Contains(
                  "stream 1.00 kB:4.00 kB vector, cuda, device to pinned: 1x1x1x1000 uint8 nchw "
                  "device -> 1x1x1x4000 uint8 nchw pinned by stream vector, 1 threads"));
}

TEST(Limits, OfTransfersArePinnedOnesOfTheSameBytesAndPageableWhereTheyAre) {
  EXPECT_THAT(
      shown_on_gpu(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000]}, "variants": {
                        "u8": ["h2d", {"op": "cast", "to": "float32"}, "d2h"],
                        "f32": [{"op": "cast", "to": "float32"}, "h2d"],
                        "again": ["pin", "h2d", {"op": "sync"}],
                        "alike": [{"op": "source", "batch": 1, "channels": 1, "size": [1, 1001]},
                                  "h2d"]})"),
      ElementsAre(
          "stream 1.00 kB:4.00 kB temporal, 1 thread: 1x1x1x1000 uint8 nchw pageable -> "
          "1x1x1x4000 uint8 nchw pageable by stream temporal, 1 threads",
          "stream 1.00 kB:4.00 kB nt, 1 thread: 1x1x1x1000 uint8 nchw pageable -> "
          "1x1x1x4000 uint8 nchw pageable by stream nt, 1 threads",
          "stream 1.00 kB:4.00 kB vector, cuda, in cache: 1x1x1x1000 uint8 nchw device -> "
          "1x1x1x4000 uint8 nchw device by stream vector, 1 threads",
          "h2d 1.00 kB pinned: 1x1x1x1000 uint8 nchw pinned -> 1x1x1x1000 uint8 nchw device "
          "by h2d async, 1 threads",
          "h2d 1.00 kB pageable: 1x1x1x1000 uint8 nchw pageable -> 1x1x1x1000 uint8 nchw device "
          "by h2d async, 1 threads",
          "d2h 4.00 kB pinned: 1x1x1x4000 uint8 nchw device -> 1x1x1x4000 uint8 nchw pinned "
          "by d2h async, 1 threads",
          "d2h 4.00 kB pageable: 1x1x1x4000 uint8 nchw device -> 1x1x1x4000 uint8 nchw pageable "
          "by d2h async, 1 threads",
          "exchange 1.00 kB pinned: 1x1x1x1000 uint8 nchw pinned -> 1x1x1x1000 uint8 nchw device "
          "by exchange only, 1 threads",
          "h2d 4.00 kB pinned: 1x1x1x4000 uint8 nchw pinned -> 1x1x1x4000 uint8 nchw device "
          "by h2d async, 1 threads",
          "h2d 4.00 kB pageable: 1x1x1x4000 uint8 nchw pageable -> 1x1x1x4000 uint8 nchw device "
          "by h2d async, 1 threads",
          "h2d 1,001 B pinned: 1x1x1x1001 uint8 nchw pinned -> 1x1x1x1001 uint8 nchw device "
          "by h2d async, 1 threads",
          "h2d 1,001 B pageable: 1x1x1x1001 uint8 nchw pageable -> 1x1x1x1001 uint8 nchw device "
          "by h2d async, 1 threads",
          "launch: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by launch "
          "only, 1 threads",
          "launch + sync: 1x1x1x1000 uint8 nchw device -> 1x1x1x1000 uint8 nchw device by "
          "launch only, sync only, 1 threads"));
}

/// Plans the experiment. Returns the name of every limit, followed by " (resident)" if the buffers
/// of the limit stay in the cache.
std::vector<std::string> classes(const std::string& experiment, const std::string& head = "") {
  const Plan plan = make_plan("c.json", fakes::config(experiment, head), fakes::with_gpu(), {});
  std::vector<std::string> lines;
  for (const Case& limit : plan.groups.at(0).limits)
    lines.push_back(limit.variant + (limit.resident ? " (resident)" : ""));
  return lines;
}

const std::string chain = R"("source": {"batch": 1, "channels": 1, "size": [1, 1000]},
    "variants": {"v": {"stages": ["copy", "copy"], "threads": 4}})";

TEST(Limits, OfAStageOnWhatWasJustMadeStayInTheCache) {
  EXPECT_THAT(classes(chain),
              ElementsAre("stream 1.00 kB:1.00 kB temporal, 4 threads",
                          "stream 1.00 kB:1.00 kB nt, 4 threads",
                          "stream 1.00 kB:1.00 kB temporal, 4 threads, in cache (resident)"));
}

TEST(Limits, AreAllAlikeWhereEverythingIsHot) {
  EXPECT_THAT(classes(chain, R"("measure": {"cache": "hot"})"),
              ElementsAre("stream 1.00 kB:1.00 kB temporal, 4 threads",
                          "stream 1.00 kB:1.00 kB nt, 4 threads"));
}

TEST(Limits, OfTheCpuAreOfTheMemoryThatItReadsAndWrites) {
  EXPECT_THAT(classes(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000]},
                 "variants": {"v": [{"op": "copy", "memory": "pinned"}, "h2d"],
                              "twice": [{"op": "copy", "memory": "pinned"}, "copy", "h2d"]})"),
              ElementsAre("stream 1.00 kB:1.00 kB temporal, 1 thread, pageable to pinned",
                          "stream 1.00 kB:1.00 kB nt, 1 thread, pageable to pinned",
                          "stream 1.00 kB:1.00 kB temporal, 1 thread, pinned, in cache (resident)",
                          "h2d 1.00 kB pinned", "launch", "launch + sync"));
}

TEST(Limits, HaveManyBytesInImagesThatCanBeCheckedOneByOne) {
  const auto shape_of = [](const std::string& size) {
    const Plan plan =
        make_plan("c.json",
                  fakes::config(fmt::format(R"("source": {{"batch": 1, "channels": 1, "size": {}}},
                                     "variants": {{"v": ["h2d"]}})",
                                            size)),
                  fakes::with_gpu(), {});
    return describe(plan.groups.at(0).limits.at(0).values.at(0).desc);
  };
  EXPECT_EQ(shape_of("[1024, 1024]"), "1x1x1x1048576 uint8 nchw pinned");
  EXPECT_EQ(shape_of("[1024, 3072]"), "3x1x1x1048576 uint8 nchw pinned");
  EXPECT_EQ(shape_of("[720, 1920]"), "675x1x1x2048 uint8 nchw pinned");
  EXPECT_EQ(shape_of("[1001, 1111]"), "1x1x1x1112111 uint8 nchw pinned");
}

TEST(Limits, AreOfNoStageThatOnlyMapsLocksOrWaits) {
  EXPECT_THAT(classes(R"("source": {"batch": 1, "channels": 1, "size": [1, 1000]},
                         "variants": {"pins": ["pin", "h2d", "launch", "sync"],
                                      "registers": ["register", "h2d", "unregister"]})"),
              ElementsAre("h2d 1.00 kB pinned", "launch", "launch + sync"));
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
}  // namespace normbench::limits_test
