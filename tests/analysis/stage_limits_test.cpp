#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/case_analysis.h"
#include "analysis/limits.h"
#include "analysis/measured_group.h"

namespace normbench::stage_limits_test {
namespace {

constexpr std::int64_t kMb = 1'000'000;
constexpr int kRounds = 20;

/// What a test sets of a stage. made() makes a StageResult from it.
struct MadeStage {
  std::string op;
  std::int64_t read = 0, written = 0, link = 0;
  std::int64_t ns = 0;  // its time in each round
  Place place = Place::Cpu;
  Memory to = Memory::Pageable;
  bool resident = false, staged = false;
};

StageResult made(const MadeStage& spec) {
  StageResult stage;
  stage.op = stage.label = spec.op;
  stage.place = spec.place;
  stage.out.memory = spec.to;
  stage.min_read_bytes = spec.read;
  stage.min_bytes = stage.bytes = spec.read + spec.written;
  stage.link_bytes = spec.link;
  stage.resident = spec.resident;
  stage.staged = spec.staged;
  stage.rounds_ns.assign(spec.staged ? 12 : kRounds, spec.ns);
  return stage;
}

/// Returns a result that tests use as a case or as a limit. Each of its rounds takes the sum of the
/// times of its stages.
CaseResult of_stages(const std::string& name, const std::vector<MadeStage>& stages,
                     int threads = 1) {
  CaseResult result;
  result.variant = name;
  result.threads = threads;
  result.iterations = 1;
  result.source_bytes = std::max<std::int64_t>(stages.front().read, stages.front().link);
  result.result_bytes = std::max<std::int64_t>(stages.back().written, stages.back().link);
  result.source = TensorDesc{};
  std::int64_t total = 0;
  for (const MadeStage& spec : stages) {
    result.stages.push_back(made(spec));
    total += spec.ns;
  }
  Round round;
  round.wall_ns = round.device_ns = total;
  result.rounds.assign(kRounds, round);
  for (const MadeStage& spec : stages)
    if (spec.place == Place::Cpu)
      for (Round& one : result.rounds) one.device_ns -= spec.ns;
  return result;
}

CaseResult stream(const std::string& name, std::int64_t read, std::int64_t written, std::int64_t ns,
                  bool resident = false, int threads = 1) {
  CaseResult limit =
      of_stages(name, {{.op = "stream", .read = read, .written = written, .ns = ns}}, threads);
  limit.resident = resident;
  return limit;
}

CaseAnalysis analysed(const CaseResult& result, const std::vector<CaseResult>& limits,
                      DecidingClock clock = DecidingClock::Wall) {
  GroupResult group;
  group.baseline = result.variant;
  group.cases = {result};
  group.limits = limits;
  Results results;
  results.clock = clock;
  return analyse_case({group, results}, 0);
}

/// Returns a text for each stage, like "stream 0.50": the name of its limit, and the share of the
/// limit that the stage reaches. The text of a stage without a limit is "-".
std::vector<std::string> shares(const CaseAnalysis& analysis) {
  std::vector<std::string> texts;
  for (const StageAnalysis& stage : analysis.stages)
    texts.push_back(stage.limit.empty() ? "-"
                                        : fmt::format("{} {:.2f}", stage.limit,
                                                      stage.of_limit ? stage.of_limit->value : -1));
  return texts;
}

using testing::ElementsAre;

const std::vector<CaseResult> memory = {
    stream("cold 1:4", 10 * kMb, 40 * kMb, 1'000), stream("slow 1:4", 10 * kMb, 40 * kMb, 1'500),
    stream("cold 4:4", 40 * kMb, 40 * kMb, 1'600),
    stream("cached 4:4", 40 * kMb, 40 * kMb, 400, true),
    stream("two threads 4:4", 40 * kMb, 40 * kMb, 200, false, 2)};

CaseResult eager(bool resident) {
  return of_stages(
      "eager",
      {{.op = "cast", .read = 10 * kMb, .written = 40 * kMb, .ns = 2'000},
       {.op = "sub", .read = 40 * kMb, .written = 40 * kMb, .ns = 2'000, .resident = resident}});
}

TEST(StageLimits, AreTheFastestStreamsOfTheMixAndTheClass) {
  EXPECT_THAT(shares(analysed(eager(false), memory)),
              ElementsAre("cold 1:4 0.50", "cold 4:4 0.80"));
  EXPECT_THAT(shares(analysed(eager(true), memory)),
              ElementsAre("cold 1:4 0.50", "cached 4:4 0.20"));
}

// In this test the limit "cached 4:4", whose buffers stay in the cache, is slower than "cold 4:4".
// This happens when other programs take most of a shared cache. Stores that bypass the cache are
// then faster.
TEST(StageLimits, OfWhatIsInTheCacheMayBeAColdStream) {
  std::vector<CaseResult> limits = memory;
  limits[3] = stream("cached 4:4", 40 * kMb, 40 * kMb, 1'700, true);
  EXPECT_THAT(shares(analysed(eager(true), limits)), ElementsAre("cold 1:4 0.50", "cold 4:4 0.80"));
}

TEST(StageLimits, AddUpToTheCasesFloor) {
  const CaseAnalysis cold = analysed(eager(false), memory), cached = analysed(eager(true), memory);
  EXPECT_EQ(cold.floor_ns, 2'600);
  EXPECT_EQ(cold.binding, "cold 4:4");
  EXPECT_EQ(cached.floor_ns, 1'400);
  EXPECT_EQ(cached.binding, "cold 1:4");
  EXPECT_EQ(cold.bytes_moved, 130.0 / 50);
}

TEST(StageLimits, OfWhichOneIsUnknownGiveNoFloor) {
  const CaseAnalysis analysis =
      analysed(eager(false), {stream("cold 1:4", 10 * kMb, 40 * kMb, 1'000)});
  EXPECT_THAT(shares(analysis), ElementsAre("cold 1:4 0.50", "-"));
  EXPECT_EQ(analysis.floor_ns, std::nullopt);
  EXPECT_EQ(analysis.binding, "");
}

TEST(StageLimits, DoNotMixUpOlderDocumentsWithoutReadBytes) {
  CaseResult result = eager(false);
  std::vector<CaseResult> limits = memory;
  result.stages[0].min_read_bytes = limits[0].stages[0].min_read_bytes = 0;
  EXPECT_THAT(shares(analysed(result, limits))[0], "-");
}

TEST(StageLimits, ArePairedRoundByRound) {
  CaseResult result = eager(false);
  std::vector<CaseResult> limits = {memory[0]};
  // Every second round takes three times as long, for the stage and for the limit. So the ratio
  // does not vary.
  for (int i = 0; i < kRounds; i += 2) {
    result.stages[0].rounds_ns[i] *= 3;
    limits[0].stages[0].rounds_ns[i] *= 3;
  }
  const auto share = analysed(result, limits).stages[0].of_limit;
  EXPECT_NEAR(share->value, 0.5, 1e-12);
  EXPECT_NEAR(share->low, 0.5, 1e-12);
  EXPECT_NEAR(share->high, 0.5, 1e-12);
}

TEST(StageLimits, LeaveOutRoundsThatOthersHeldUp) {
  CaseResult result = eager(false);
  std::vector<CaseResult> limits = {memory[0]};
  const auto before = analysed(result, limits).stages[0];
  for (auto* one : {&result, &limits[0]})
    for (int i = 0; i < 12; ++i) {  // 12 of 20 rounds are held up
      one->rounds[i].queued_ns = one->rounds[i].wall_ns;
      one->stages[0].rounds_ns[i] *= one == &result ? 9 : 3;
    }
  for (auto* one : {&result, &limits[0]}) one->threads = 2;  // with teams, CPU times are not used
  const auto after = analysed(result, limits).stages[0];
  EXPECT_EQ(after.floor_ns, before.floor_ns);
  EXPECT_EQ(after.of_limit->value, before.of_limit->value);
}

// The 12 times of a staged stage are from separate turns after the rounds, so they cannot be paired
// with the 20 times of the limit. The share is the limit's median divided by the stage's. The
// intervals of both medians have a level of 98 %: from the fifth smallest to the fifth largest of
// 20 values, and from the second smallest to the second largest of 12 values.
TEST(StageLimits, OfStagedTimesAreMediansAgainstEachOther) {
  CaseResult result = eager(false);
  std::vector<CaseResult> limits = memory;
  for (int i = 0; i < kRounds; ++i) limits[0].stages[0].rounds_ns[i] = 1'000 + i * 7 % kRounds;
  result.stages[0] = made({.op = "cast", .read = 10 * kMb, .written = 40 * kMb, .staged = true});
  for (int i = 0; i < 12; ++i) result.stages[0].rounds_ns[i] = 2'000 + 10 * (i * 5 % 12);
  const auto share = analysed(result, limits).stages[0].of_limit;
  EXPECT_NEAR(share->value, 1'009.5 / 2'055, 1e-12);
  EXPECT_NEAR(share->low, 1'004.0 / 2'100, 1e-12);
  EXPECT_NEAR(share->high, 1'015.0 / 2'010, 1e-12);
}

CaseResult launch(const std::string& name, std::int64_t ns, Place place, int threads = 1) {
  return of_stages(name, {{.op = "launch", .ns = ns, .place = place}}, threads);
}

// A small stage on the host may run without its team of threads. So a limit that measures the start
// of a team is no lower bound for the stage.
TEST(StageLimits, OfSmallStagesAreNoTeams) {
  const CaseResult small =
      of_stages("v", {{.op = "copy", .read = 9'000, .written = 9'000, .ns = 3'000}}, 2);
  const CaseResult team = launch("team of 2", 4'000, Place::Cpu, 2);
  const CaseAnalysis analysis =
      analysed(small, {team, stream("stream", 9'000, 9'000, 1'500, false, 2)});
  EXPECT_THAT(shares(analysis), ElementsAre("stream 0.50"));
  EXPECT_EQ(analysis.limit, "stream");
  EXPECT_EQ(analysed(small, {team}).limit, "");
}

CaseResult on_gpu(bool graph) {
  CaseResult result = of_stages("v", {{.op = "cast",
                                       .read = 1'000,
                                       .written = 4'000,
                                       .ns = 5'000,
                                       .place = Place::Cuda,
                                       .to = Memory::Device}});
  result.graph = graph;
  return result;
}

TEST(StageLimits, OfSmallKernelsAreTheirLaunch) {
  CaseResult device = stream("device 1:4", 1'000, 4'000, 1'000);
  device.stages[0].place = Place::Cuda;
  device.stages[0].out.memory = Memory::Device;
  CaseResult both = launch("launch + sync", 9'000, Place::Cuda);
  both.stages.push_back(made({.op = "sync", .place = Place::Cuda}));
  const std::vector<CaseResult> limits = {device, both, launch("launch", 2'000, Place::Cuda),
                                          launch("team", 4'000, Place::Cpu, 2)};
  const CaseAnalysis analysis = analysed(on_gpu(false), limits);
  EXPECT_THAT(shares(analysis), ElementsAre("launch 0.40"));
  EXPECT_EQ(analysis.binding, "launch");
  EXPECT_EQ(analysis.limit, "launch");
  // A graph launches all stages at once, so only bytes limit the case.
  EXPECT_EQ(analysed(on_gpu(true), limits).limit, "device 1:4");
}

TEST(StageLimits, ACaseFasterThanALaunchIsNoError) {
  CaseResult device = stream("device 1:4", 1'000, 4'000, 1'000);
  device.stages[0].place = Place::Cuda;
  device.stages[0].out.memory = Memory::Device;
  const CaseAnalysis above_launch =
      analysed(on_gpu(false), {device, launch("launch", 6'000, Place::Cuda)});
  EXPECT_EQ(above_launch.limit, "launch");
  EXPECT_NEAR(above_launch.of_limit->value, 1.2, 1e-12);
  EXPECT_FALSE(above_launch.above_limit);
  for (Round& round : device.rounds) round.wall_ns = 6'000;
  EXPECT_TRUE(analysed(on_gpu(false), {device}).above_limit);
}

CaseResult copy(const std::string& name, Memory host, std::int64_t ns, const std::string& op) {
  const bool up = op == "h2d";
  CaseResult limit = of_stages(name, {{.op = op,
                                       .read = up ? 0 : kMb,
                                       .written = up ? kMb : 0,
                                       .link = kMb,
                                       .ns = ns,
                                       .place = Place::Cuda,
                                       .to = up ? Memory::Device : host}});
  limit.source->memory = up ? host : Memory::Device;
  return limit;
}

TEST(StageLimits, OfTransfersAreOfTheSameKindOfMemory) {
  std::vector<CaseResult> limits;
  for (const char* op : {"h2d", "d2h"})
    for (const auto& [host, ns] :
         {std::pair{Memory::Pinned, 100}, {Memory::Pageable, 300}, {Memory::PageableHuge, 200}})
      limits.push_back(copy(fmt::format("{} {}", op, name_of(host)), host, ns, op));
  for (const char* op : {"h2d", "d2h"})
    for (const auto& [host, limit] : {std::pair{Memory::Pageable, "pageable 0.75"},
                                      {Memory::PageableHuge, "pageable_huge 0.50"},
                                      {Memory::Pinned, "pinned 0.25"},
                                      {Memory::Registered, "pinned 0.25"},
                                      {Memory::WriteCombined, "pinned 0.25"}}) {
      const CaseAnalysis analysis = analysed(copy("v", host, 400, op), limits);
      EXPECT_THAT(shares(analysis), ElementsAre(fmt::format("{} {}", op, limit)));
      // The limit of the whole case is always the transfer from or to pinned memory, which takes
      // the least time (100 ns).
      EXPECT_EQ(analysis.limit, fmt::format("{} pinned", op));
      EXPECT_DOUBLE_EQ(analysis.of_limit->value, 0.25);
      EXPECT_EQ(analysis.bytes_moved, std::nullopt);
    }
}

TEST(StageLimits, OfATransferAfterAStageAreOfWhatThatWrote) {
  CaseResult result = copy("v", Memory::Pinned, 400, "h2d");
  result.stages.insert(
      result.stages.begin(),
      made({.op = "copy", .read = kMb, .written = kMb, .ns = 500, .to = Memory::Pageable}));
  EXPECT_EQ(link_memory(result, 1), Memory::Pageable);
  EXPECT_EQ(link_memory(copy("v", Memory::Registered, 1, "h2d"), 0), Memory::Registered);
  EXPECT_EQ(link_memory(copy("v", Memory::Registered, 1, "d2h"), 0), Memory::Registered);
  result = copy("v", Memory::Pageable, 1, "h2d");
  result.source.reset();  // as in older documents
  EXPECT_EQ(link_memory(result, 0), Memory::Pinned);
}

/// Returns a case or a limit of one kernel. The kernel reads 10 MB and writes 40 MB. `link` bytes
/// of these 50 MB cross the link.
CaseResult kernel(const std::string& name, const std::string& op, std::int64_t link, Memory from,
                  Memory to, std::int64_t ns) {
  CaseResult result = of_stages(name, {{.op = op,
                                        .read = 10 * kMb,
                                        .written = 40 * kMb,
                                        .link = link,
                                        .ns = ns,
                                        .place = Place::Cuda,
                                        .to = to}});
  result.source_bytes = 10 * kMb;
  result.result_bytes = 40 * kMb;
  result.source->memory = from;
  return result;
}

TEST(StageLimits, OfKernelsOverTheLinkAreStreamsOverIt) {
  using enum Memory;
  const auto up = copy("h2d", Pinned, 1'000, "h2d");
  const std::vector<CaseResult> limits = {
      up,
      kernel("on the device", "stream", 0, Device, Device, 500),
      kernel("reads", "stream", 10 * kMb, Pinned, Device, 4'000),
      kernel("reads slowly", "stream", 10 * kMb, Pinned, Device, 4'500),
      kernel("writes", "stream", 40 * kMb, Device, Pinned, 8'000),
      kernel("both", "stream", 50 * kMb, Pinned, Pinned, 9'000)};
  const auto held_to = [&](std::int64_t link, Memory from, Memory to) {
    const CaseAnalysis analysis = analysed(kernel("v", "cast", link, from, to, 10'000), limits);
    return fmt::format("{}; {} {:.2f}", fmt::join(shares(analysis), ", "), analysis.limit,
                       analysis.of_limit ? analysis.of_limit->value : -1);
  };
  EXPECT_EQ(held_to(10 * kMb, Mapped, Device), "reads 0.40; reads 0.40");
  EXPECT_EQ(held_to(10 * kMb, Managed, Device), "reads 0.40; reads 0.40");
  EXPECT_EQ(held_to(40 * kMb, Device, Registered), "writes 0.80; writes 0.80");
  EXPECT_EQ(held_to(50 * kMb, Mapped, Mapped), "both 0.90; both 0.90");
  EXPECT_EQ(held_to(0, Device, Device), "on the device 0.05; on the device 0.05");
}

TEST(StageLimits, OfACaseOverTheLinkAreThoseOfItsSlowestCrossing) {
  using enum Memory;
  CaseResult result = kernel("v", "cast", 10 * kMb, Mapped, Device, 10'000);
  result.stages.push_back(copy("back", Pinned, 20'000, "d2h").stages[0]);
  const auto reads = kernel("reads", "stream", 10 * kMb, Pinned, Device, 4'000);
  EXPECT_EQ(analysed(result, {reads, copy("d2h", Pinned, 5'000, "d2h")}).limit, "d2h");
  EXPECT_EQ(analysed(result, {reads, copy("d2h", Pinned, 3'000, "d2h")}).limit, "reads");
}

TEST(StageLimits, WithoutAStreamOverTheLinkWhatReadsOverItHasNone) {
  using enum Memory;
  const std::vector<CaseResult> others = {kernel("on the device", "stream", 0, Device, Device, 500),
                                          copy("h2d", Pinned, 1'000, "h2d")};
  const CaseAnalysis analysis =
      analysed(kernel("v", "cast", 10 * kMb, Mapped, Device, 10'000), others);
  EXPECT_THAT(shares(analysis), ElementsAre("-"));
  EXPECT_EQ(analysis.limit, "");
}

TEST(StageLimits, WhatReadsFilesHasNone) {
  const MadeStage load{.op = "load", .read = 10 * kMb, .written = 40 * kMb, .ns = 5'000};
  const CaseAnalysis analysis = analysed(of_stages("v", {load}), memory);
  EXPECT_THAT(shares(analysis), ElementsAre("-"));
  EXPECT_EQ(analysis.floor_ns, std::nullopt);
  EXPECT_EQ(analysis.bytes_moved, std::nullopt);
}

TEST(StageLimits, StagesThatMoveNothingDoNotCount) {
  CaseResult result = eager(false);
  result.stages.push_back(made({.op = "sync", .ns = 100, .place = Place::Cuda}));
  const CaseAnalysis analysis = analysed(result, memory);
  EXPECT_THAT(shares(analysis), ElementsAre("cold 1:4 0.50", "cold 4:4 0.80", "-"));
  EXPECT_EQ(analysis.floor_ns, 2'600);
}

TEST(StageLimits, TheDevicesClockLeavesOutTheHostsFloor) {
  std::vector<CaseResult> limits = memory;
  limits.push_back(copy("h2d pageable", Memory::Pageable, 100, "h2d"));
  CaseResult result = copy("v", Memory::Pageable, 400, "h2d");
  result.stages.insert(result.stages.begin(), eager(false).stages[0]);
  EXPECT_EQ(analysed(result, limits, DecidingClock::Wall).floor_ns, 1'100);
  EXPECT_EQ(analysed(result, limits, DecidingClock::Device).floor_ns, 100);
}

TEST(StageLimits, ACasesOwnLimitIsNeverInTheCache) {
  const CaseResult result =
      of_stages("v", {{.op = "copy", .read = 40 * kMb, .written = 40 * kMb, .ns = 2'000}});
  EXPECT_EQ(analysed(result, memory).limit, "cold 4:4");
  EXPECT_EQ(analysed(result, {stream("cached", 40 * kMb, 40 * kMb, 400, true)}).limit, "");
}

TEST(StageLimits, AreThoseOfMeasuredCasesOnly) {
  CaseResult result = eager(false);
  result.status = Status::Skipped;
  EXPECT_TRUE(analysed(result, memory).stages.empty());
  std::vector<CaseResult> limits = memory;
  limits[0].status = Status::Failed;
  EXPECT_THAT(shares(analysed(eager(false), limits))[0], "slow 1:4 0.75");
}

}  // namespace
}  // namespace normbench::stage_limits_test
