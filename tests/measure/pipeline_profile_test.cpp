/// Tests of profiles of pipelines with several items in flight, on the real CPU backend.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "measure/profiled_steps.h"

namespace normbench::pipeline_profile_test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

class IgnoringObserver final : public Observer {
 public:
  void group_started(std::size_t, const Group&, std::int64_t) override {}
  void turns_fitted(std::size_t, const GroupForecast&) override {}
  void step_done(const GroupStep&) override {}
  void round_done(int, double, double) override {}
  void group_finished(std::size_t, const GroupResult&) override {}
};

struct PipelineProfileTest : testing::Test {
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  std::optional<Plan> plan;

  ProfiledSteps profiled(const std::string& options) {
    const std::string text = fmt::format(
        R"({{"schema": 1, "name": "flow", "measure": {{"cache": "hot"}},
            "profile": {{"wait": 1, "warmup": 2, "active": 5}}, "experiments": [{{"name": "e",
            "source": {{"batch": 2, "size": [5, 7]}}, "variants": {{"v": {{"stages": [
              {{"op": "cast", "to": "float32", "label": "cast {{i}}"}},
              {{"op": "normalize", "mean": [1], "std": [2], "lane": "second"}}], {}}}}}}}]}})",
        options);
    plan = make_plan("flow.json", text, backends, {});
    const Case& planned = plan->groups.front().cases.front();
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan->measure, backends, 1 << 20);
    std::mt19937_64 random(1);
    Engine engine(planned, memory, backends, recorder, clock, random);
    Watchdog watchdog(60, [](std::size_t, const std::string&) {});
    IgnoringObserver observer;
    const std::atomic<bool> interrupted{false};
    RunContext context{.backends = backends,
                       .clock = clock,
                       .recorder = recorder,
                       .watchdog = watchdog,
                       .observer = observer,
                       .interrupted = interrupted,
                       .cache_bytes = 1 << 20,
                       .on_profile = {}};
    DeviceTracing tracing(nullptr);
    return *run_profiled_steps(engine, plan->profile, context, tracing, false);
  }
};

TEST_F(PipelineProfileTest, RecordsOneWindowOfItemsInEveryWayOfSubmitting) {
  for (const char* options :
       {R"("in_flight": 1)", R"("in_flight": 3)", R"("in_flight": 3, "submit": "one")",
        R"("in_flight": 3, "submit": "item")"}) {
    SCOPED_TRACE(options);
    const ProfiledSteps steps = profiled(options);
    EXPECT_THAT(steps.step_ns, SizeIs(5));
    EXPECT_EQ(steps.discarded, 3);
    ASSERT_THAT(steps.lane_work, SizeIs(10));  // two stages of each of five items
    EXPECT_GE(steps.lane_work.front().start_ns, 0);
    for (const LaneWork& planned : steps.lane_work) {
      EXPECT_EQ(planned.lane, planned.stage);
      EXPECT_LE(planned.start_ns, planned.end_ns);
      EXPECT_THAT(planned.item, testing::AllOf(testing::Ge(0), testing::Lt(5)));
    }
    ASSERT_THAT(steps.items, SizeIs(5));
    std::map<std::int64_t, std::vector<std::string>> of_item;
    std::vector<Slice> windows;
    for (const ThreadLog& log : steps.threads)
      for (const Slice& slice : log.slices) {
        if (slice.kind == RangeKind::Step) windows.push_back(slice);
        if (slice.kind != RangeKind::Stage) continue;
        of_item[slice.item].emplace_back(slice.name);
        const ItemSpan& item = steps.items.at(static_cast<std::size_t>(slice.item));
        EXPECT_LE(item.start_ns, slice.start_ns);
        EXPECT_GE(item.end_ns, slice.end_ns);
      }
    ASSERT_THAT(windows, SizeIs(1));
    EXPECT_EQ(windows[0].name, "ProfilerStep#3");
    EXPECT_LE(windows[0].start_ns, steps.items.front().start_ns);
    EXPECT_GE(windows[0].end_ns, steps.items.back().end_ns);
    ASSERT_THAT(of_item, SizeIs(5));
    for (const auto& [item, names] : of_item)
      EXPECT_THAT(names, testing::UnorderedElementsAre(fmt::format("cast {}", item), "normalize"));
    EXPECT_THAT(steps.labels, ElementsAre(Pair("cast 0", "cast {i}"), Pair("cast 1", "cast {i}"),
                                          Pair("cast 2", "cast {i}"), Pair("cast 3", "cast {i}"),
                                          Pair("cast 4", "cast {i}")));
  }
}

TEST_F(PipelineProfileTest, LanesAreThreadsOfTheirOwn) {
  const ProfiledSteps steps = profiled(R"("in_flight": 3)");
  std::vector<std::string> threads;
  for (const ThreadLog& log : steps.threads) threads.push_back(log.name);
  EXPECT_THAT(threads, testing::IsSupersetOf({"lane cpu", "lane second"}));
}

StageSpan span(std::size_t lane, std::int64_t start_ns, std::int64_t end_ns, std::size_t stage,
               std::int64_t item) {
  return {.run = {.first = stage, .last = stage, .item = item},
          .lane = lane,
          .start_ns = start_ns,
          .end_ns = end_ns};
}

TEST(MiddleWork, StartsWithWhicheverItemBeganFirst) {
  // The profile keeps the items 1 to 6 of the items 0 to 7. Item 2 began before item 1, because
  // each item has its own thread. So the kept time is from 1020, the start of item 2, to 1090, the
  // end of item 6. Work of the items 0 and 7 is clipped to it, and times are relative to 1020.
  const Flow flow{
      .round = {.start_ns = 1000, .counters = {}},
      .begin_ns = {0, 30, 20, 40, 50, 60, 70, 80},
      .end_ns = {25, 39, 35, 49, 59, 69, 90, 95},
      .stage_ns = {},
      .calls_ns = {},
      .spans = {span(0, 1000, 1015, 0, 0), span(1, 1015, 1025, 1, 0), span(0, 1031, 1039, 0, 1),
                span(0, 1022, 1035, 0, 2), span(1, 1085, 1095, 1, 7), span(0, 1090, 1092, 0, 7)}};
  const LaneWork before{.item = 0, .lane = 1, .stage = 1, .start_ns = 0, .end_ns = 5};  // clipped
  const LaneWork second{.item = 2, .lane = 0, .stage = 0, .start_ns = 2, .end_ns = 15};
  const LaneWork first{.item = 1, .lane = 0, .stage = 0, .start_ns = 11, .end_ns = 19};
  const LaneWork after{.item = 7, .lane = 1, .stage = 1, .start_ns = 65, .end_ns = 70};  // clipped
  EXPECT_THAT(middle_work(flow), ElementsAre(before, second, first, after));
}

}  // namespace
}  // namespace normbench::pipeline_profile_test
