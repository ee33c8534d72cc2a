/// Tests of pipelines with several items in flight on the real CPU backend. All ways of submitting
/// items must give right outputs, and wrong outputs must be noticed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <thread>

#include "backend/cpu/simd_targets.h"
#include "measure/contender.h"
#include "plan/plan.h"

namespace normbench::pipeline_contender_test {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

struct PipelineContenderTest : testing::Test {
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random{1};
  std::optional<Plan> plan;

  const Case& case_of(const std::string& options, const std::string& size = "5, 7",
                      const std::string& cache = "hot") {
    const std::string text = fmt::format(
        R"({{"schema": 1, "name": "flow", "measure": {{"cache": "{}"}}, "experiments": [{{"name": "e",
            "source": {{"batch": 2, "size": [{}]}}, "variants": {{"v": {{"stages": [
              {{"op": "cast", "to": "float32"}},
              {{"op": "normalize", "mean": [1], "std": [2], "lane": "second"}}], {}}}}}}}]}})",
        cache, size, options);
    plan = make_plan("flow.json", text, backends, {});
    return plan->groups.front().cases.front();
  }
  GroupMemory memory_for(const Case& planned) {
    const Case* const cases[] = {&planned};
    return {cases, plan->measure, backends, 1 << 20};
  }
  CaseContender contender(const Case& planned, GroupMemory& memory) {
    return {planned, memory, backends, recorder, clock, random, 8};
  }
};

TEST_F(PipelineContenderTest, EveryWayOfSubmittingGivesRightOutputs) {
  for (
      const char* options :
      {R"("in_flight": 1, "items": 5)", R"("in_flight": 3, "items": 20)",
       R"("in_flight": 3, "items": 20, "submit": "one")",
       R"("in_flight": 3, "items": 20, "submit": "item")",
       R"("in_flight": 4, "items": 20, "lanes": {"cpu": {"servers": 2}, "second": {"threads": 2}})",
       R"("in_flight": 9, "items": 2)"}) {
    SCOPED_TRACE(options);
    const Case& planned = case_of(options);
    GroupMemory memory = memory_for(planned);
    CaseContender flow = contender(planned, memory);
    flow.first_call();
    EXPECT_TRUE(flow.check().result.ok);
    const TurnShape shape = flow.shape_of_turns(20);
    EXPECT_EQ(shape.iterations, planned.pipeline->items);
    const Turn turn = flow.take_turn(shape, random);
    EXPECT_THAT(turn.flow->latency_ns, SizeIs(planned.pipeline->items));
    EXPECT_THAT(turn.flow->latency_ns, Each(Gt(0)));
    EXPECT_THAT(turn.stage_ns, Each(Gt(0)));
    EXPECT_LE(turn.flow->fill_ns, turn.round.wall_ns);
    flow.last_call();
    const CheckOutcome outcome = flow.check();
    EXPECT_TRUE(outcome.result.ok) << outcome.reason;
    EXPECT_EQ(outcome.result.held_to, HeldTo::Reference);
  }
}

TEST_F(PipelineContenderTest, ALaneAloneFindsItsInputsReady) {
  case_of(R"("in_flight": 3, "items": 7)");
  for (const Case& part : plan->groups.front().limits) {
    if (!part.pipeline) continue;
    SCOPED_TRACE(part.variant);
    GroupMemory memory = memory_for(part);
    CaseContender lane = contender(part, memory);
    lane.first_call();
    const Turn turn = lane.take_turn(lane.shape_of_turns(20), random);
    const std::vector<bool> runs = stages_that_run(part);
    for (std::size_t s = 0; s < runs.size(); ++s) EXPECT_EQ(turn.stage_ns[s] > 0, runs[s]);
  }
}

std::set<const std::byte*> read_from, written_to;

TEST_F(PipelineContenderTest, ALaneAloneReadsWhatIsReadyAndWritesWhereItsPipelineWould) {
  case_of(R"("in_flight": 2, "items": 30)", "50, 70", "cold");
  for (Case& part : plan->groups.front().limits) {
    if (!part.pipeline || part.pipeline->part->lane != "second") continue;
    Kernel noting = *part.stages[1].kernel;
    noting.prepare = [](const Op&, const Signature&) -> Launch {
      return [](Queue&, std::span<const View> in, std::span<const View> out, View) {
        read_from.insert(in[0].data);
        written_to.insert(out[0].data);
      };
    };
    part.stages[1].kernel = &noting;
    GroupMemory memory = memory_for(part);
    CaseContender lane = contender(part, memory);
    read_from.clear();
    written_to.clear();
    lane.take_turn({.iterations = 30}, random);
    EXPECT_THAT(read_from, SizeIs(2));  // the first lane's outputs of its last two items
    EXPECT_THAT(written_to, SizeIs(Gt(2)));
  }
  EXPECT_THAT(read_from, testing::Not(testing::IsEmpty()));
}

/// Returns a copy of the kernel row `kernel` that calls `Act` with the item's number before its own
/// work.
template <void (*Act)(std::int64_t item)>
Kernel acting(const Kernel& kernel) {
  static const Kernel* real;
  real = &kernel;
  Kernel row = kernel;
  row.prepare = [](const Op& op, const Signature& signature) -> Launch {
    return [launch = real->prepare(op, signature)](Queue& queue, std::span<const View> in,
                                                   std::span<const View> out, View scratch) {
      Act(queue.item);
      launch(queue, in, out, scratch);
    };
  };
  return row;
}

void break_at_two(std::int64_t item) {
  if (item == 2) throw std::runtime_error("the third item is broken");
}

TEST_F(PipelineContenderTest, AStageThatThrowsEndsTheTurnWithItsReason) {
  for (const char* submit : {"lane", "one", "item"}) {
    Case planned = case_of(fmt::format(R"("in_flight": 3, "items": 9, "submit": "{}")", submit));
    const Kernel broken = acting<break_at_two>(*planned.stages[1].kernel);
    planned.stages[1].kernel = &broken;
    GroupMemory memory = memory_for(planned);
    CaseContender flow = contender(planned, memory);
    flow.first_call();
    EXPECT_TRUE(flow.check().result.ok);
    EXPECT_THAT([&] { flow.last_call(); },
                testing::ThrowsMessage<std::runtime_error>("the third item is broken"));
  }
}

std::atomic<std::int64_t> begun, ended;

/// Each of the next three functions is called before a stage of an item does its work:
/// - first_waits(), before the first stage, blocks item 1 until the last stage of item 0 begins.
/// - second_waits(), before the second stage, blocks item 0 until the first stage of item 1 begins.
/// - copies_end(), before the last stage, records that the last stage of the item begins.
void first_waits(std::int64_t item) {
  begun = item + 1;
  while (ended < item) std::this_thread::yield();
}
void second_waits(std::int64_t item) {
  while (item == 0 && begun < 2) std::this_thread::yield();
}
void copies_end(std::int64_t item) { ended = item + 1; }

/// Adds a third stage, "end", which runs in the second lane after the second stage.
void add_end(Case& planned) {
  planned.stages.push_back(planned.stages[1]);
  planned.stages[2].label = "end";
  planned.stages[2].out = {static_cast<int>(planned.values.size())};
  planned.values.push_back(planned.values[static_cast<std::size_t>(planned.stages[1].out[0])]);
  planned.values.back().producer = 2;
  planned.pipeline->lanes[1].stages.push_back(2);
}

TEST_F(PipelineContenderTest, BuffersThatAreUsedAgainWhileInFlightAreCaught) {
  for (const bool planted : {false, true}) {
    Case planned = case_of(R"("in_flight": 2, "items": 2)");
    add_end(planned);
    const Kernel first = acting<first_waits>(*planned.stages[0].kernel);
    const Kernel second = acting<second_waits>(*planned.stages[1].kernel);
    const Kernel end = acting<copies_end>(*planned.stages[2].kernel);
    planned.stages[0].kernel = &first;
    planned.stages[1].kernel = &second;
    planned.stages[2].kernel = &end;
    begun = ended = 0;
    Case sized = planned;
    if (planted) sized.pipeline->in_flight = 1;  // buffers for one item
    GroupMemory memory = memory_for(sized);
    CaseContender flow = contender(planned, memory);
    flow.last_call();
    const CheckOutcome outcome = flow.check();
    EXPECT_EQ(outcome.result.ok, !planted);
    EXPECT_THAT(outcome.reason, planted ? HasSubstr("wrong output") : HasSubstr(""));
  }
}

/// fly_on_buffers_for() runs a pipeline with two items in flight, whose stages do not wait for each
/// other, on the buffers of a pipeline with `items` items in flight. The kernels of the portable
/// instruction set are used, because ThreadSanitizer does not see accesses of more than 16 bytes.
struct FreelyFlyingTest : PipelineContenderTest {
  void fly_on_buffers_for(int items) {
    const ForcedSimd portable(simd_targets().back());
    const Case& planned = case_of(R"("in_flight": 2, "items": 50)", "300, 400");
    Case sized = planned;
    sized.pipeline->in_flight = items;
    GroupMemory memory = memory_for(sized);
    CaseContender flow = contender(planned, memory);
    flow.take_turn(flow.shape_of_turns(20), random);
  }
};

TEST_F(FreelyFlyingTest, OnBuffersOfTheirOwn) { fly_on_buffers_for(2); }
/// Has a data race. tests/app/planted_race_test.py expects that ThreadSanitizer finds the race.
TEST_F(FreelyFlyingTest, DISABLED_OnTheSameBuffers) { fly_on_buffers_for(1); }

std::atomic<bool> fourth_began, first_ended;

/// Each of the next three functions is called before a stage of an item does its work:
/// - fourth_waits(), before the first stage, blocks item 3 until the second stage of item 0 has
///   ended.
/// - waits_for_fourth(), before the second stage, blocks item 0 until item 3 has begun.
/// - first_ends(), before the last stage, records that the second stage of item 0 has ended.
void fourth_waits(std::int64_t item) {
  if (item != 3) return;
  fourth_began = true;
  while (!first_ended) std::this_thread::yield();
}
void waits_for_fourth(std::int64_t item) {
  while (item == 0 && !fourth_began) std::this_thread::yield();
}
void first_ends(std::int64_t item) {
  if (item == 0) first_ended = true;
}

TEST_F(PipelineContenderTest, AnItemThatOthersOvertakeKeepsItsBuffers) {
  Case planned = case_of(R"("in_flight": 3, "items": 9, "lanes": {"second": {"servers": 2}})");
  add_end(planned);
  const Kernel first = acting<fourth_waits>(*planned.stages[0].kernel);
  const Kernel second = acting<waits_for_fourth>(*planned.stages[1].kernel);
  const Kernel end = acting<first_ends>(*planned.stages[2].kernel);
  planned.stages[0].kernel = &first;
  planned.stages[1].kernel = &second;
  planned.stages[2].kernel = &end;
  fourth_began = first_ended = false;
  GroupMemory memory = memory_for(planned);
  CaseContender flow = contender(planned, memory);
  flow.last_call();
  const CheckOutcome outcome = flow.check();
  EXPECT_TRUE(outcome.result.ok) << outcome.reason;
}

}  // namespace
}  // namespace normbench::pipeline_contender_test
