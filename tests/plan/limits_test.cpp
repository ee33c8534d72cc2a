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
