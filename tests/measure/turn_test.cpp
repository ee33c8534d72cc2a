#include <set>

#include "measure/contender.h"
#include "measure/run_fixture.h"

namespace normbench::turn_test {
namespace {

using testing::ElementsAre;

struct TurnTest : RunTest {
  /// Returns how turns run (such as their number of iterations) for a case whose only stage takes
  /// `cost_ns`.
  TurnShape shape_at(std::int64_t cost_ns) {
    fake->rows[0].cost_ns = cost_ns;
    const Case planned = cast_case("cast", 0);
    GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
    Engine prepared(planned, memory, backends, recorder, clock, random);
    return shape_of_turns(prepared, clock_cost_ns(clock));
  }
  std::mt19937_64 random{1};
};

TEST_F(TurnTest, ClockCostIsTheReadings) {
  clock.reading_ns = 25;
  EXPECT_EQ(clock_cost_ns(clock), 25);
}

TEST_F(TurnTest, RunsOneLongIterationOrEnoughShortOnes) {
  EXPECT_EQ(shape_at(1'000'000).iterations, 1);
  EXPECT_EQ(shape_at(999'999).iterations, 2);
  EXPECT_EQ(shape_at(30'000).iterations, 34);
  clock.reading_ns = 5'000;  // 1000 readings take 5 ms; an iteration takes 95 us and a reading
  EXPECT_EQ(shape_at(95'000).iterations, 50);
}

TEST_F(TurnTest, OfAUsersLoaderIsWholeEpochsIfTheyAreNotTooLong) {
  EXPECT_EQ(whole_epochs(1, 6, {.batch_ns = 1e6}), 6);
  EXPECT_EQ(whole_epochs(6, 6, {.batch_ns = 1e6}), 6);
  EXPECT_EQ(whole_epochs(7, 6, {.batch_ns = 1e6}), 12);
  EXPECT_EQ(whole_epochs(1, 6, {.batch_ns = 500e6}), 6);  // an epoch of 3 s
  EXPECT_EQ(whole_epochs(1, 6, {.batch_ns = 501e6}), 5);  // as many batches as fit into 3 s
  EXPECT_EQ(whole_epochs(1, 6, {.start_ns = 1e9, .batch_ns = 500e6}), 4);
  EXPECT_EQ(whole_epochs(1, 6, {.batch_ns = 4e9}), 1);
  EXPECT_EQ(whole_epochs(1, 0, {.batch_ns = 1e9}), 3);  // it is not known how long an epoch is
  EXPECT_EQ(whole_epochs(8, 0, {.batch_ns = 1e9}), 8);
}

TEST_F(TurnTest, ALoadersStartIsToldFromItsBatches) {
  // Workers take 80 ms to start, and a batch takes 2 ms.
  std::vector<std::int64_t> asked;
  const auto run_ns = [&](std::int64_t batches) {
    asked.push_back(batches);
    return 80e6 + 2e6 * static_cast<double>(batches);
  };
  const LoaderTimes times = loader_times(100, run_ns);
  EXPECT_THAT(asked, testing::ElementsAre(1, 2, 4, 8, 16, 32, 64, 100));
  EXPECT_DOUBLE_EQ(times.start_ns, 80e6);
  EXPECT_DOUBLE_EQ(times.batch_ns, 2e6);
  EXPECT_EQ(times.runs, 8);
  EXPECT_DOUBLE_EQ(times.spent_ns, 8 * 80e6 + 227 * 2e6);
  asked.clear();
  loader_times(1, run_ns);
  EXPECT_THAT(asked, testing::ElementsAre(1));
  // Without a known epoch, and with slow batches, it stops after 1.5 s.
  asked.clear();
  const LoaderTimes slow = loader_times(0, [&](std::int64_t batches) {
    asked.push_back(batches);
    return 400e6 * static_cast<double>(batches);
  });
  EXPECT_THAT(asked, testing::ElementsAre(1, 2, 4));
  EXPECT_DOUBLE_EQ(slow.batch_ns, 400e6);
  EXPECT_DOUBLE_EQ(slow.start_ns, 0);
}

TEST_F(TurnTest, InterruptionsDoNotShortenTurns) {
  fake->rows[0].then = [&](const FakeCall& call) {
    if (call.number % 50 == 10) clock.time_ns += 9'000'000;
  };
  EXPECT_EQ(shape_at(30'000).iterations, 34);
}

TEST_F(TurnTest, LongIterationsAreNotRepeatedToDecide) {
  shape_at(400'000'000);
  EXPECT_EQ(fake->rows[0].calls, 1);
}

TEST_F(TurnTest, MarksOnlyWhereTheyCostUnderHalfAPercent) {
  clock.reading_ns = 25;
  EXPECT_TRUE(shape_at(20'000).marks);
  EXPECT_FALSE(shape_at(9'000).marks);
}

TEST_F(TurnTest, MeasuresItsIterationsAlone) {
  fake->rows[0].cost_ns = 300'000;
  fake->rows[0].faults = 7;
  Case planned = cast_case("cast", 0);
  planned.threads = 2;
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  fake->log.clear();
  const Turn turn = take_turn(prepared, {.iterations = 3}, random);
  EXPECT_EQ(turn.round, (Round{.wall_ns = 900'000,
                               .cpu_ns = 1'800'000,
                               .start_ns = 1'200'000,
                               .counters = {.minor_faults = 21}}));
  EXPECT_TRUE(turn.stage_ns.empty());
  // The warm-up has four iterations in 1 ms and waits for the queue to drain after each of them.
  // The turn has three iterations and drains once.
  EXPECT_THAT(fake->log, ElementsAre("row 0", "drain", "row 0", "drain", "row 0", "drain", "row 0",
                                     "drain", "row 0", "row 0", "row 0", "drain"));
}

TEST_F(TurnTest, ALookAtOutputsCountsForNothing) {
  fake->rows[0].cost_ns = 300'000;
  fake->rows[1].cost_ns = 500'000;
  Source source;
  source.shape = {.n = 1, .c = 1, .h = 3000, .w = 3000};  // smaller outputs use recycled memory
  const Case planned = fake_case(
      *fake, "two", source,
      {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1, .output = OutputPolicy::Fresh}});
  const Case reused = cast_case("reused", 0);
  GroupMemory memory({{&planned, &reused}}, plan.measure, backends, cache_bytes);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  ASSERT_TRUE(prepared.frees_outputs_last());
  clock.usage_ns = 40'000;
  const Turn plain = take_turn(prepared, {.iterations = 3, .marks = true}, random);
  std::vector<int> seen;  // number of finished iterations at each look
  const auto look = [&](Item&) {
    seen.push_back(fake->rows[1].calls);
    EXPECT_NE(prepared.item().outputs().at(0).data, nullptr);
    clock.time_ns += 7'000'000;
    clock.counts.minor_faults += 9;
  };
  fake->rows[1].calls = 0;
  const Turn looked =
      take_turn(prepared, {.iterations = 3, .marks = true, .warmup_ns = 0}, random, look);
  EXPECT_THAT(seen, ElementsAre(3));
  EXPECT_EQ(looked.round.wall_ns, plain.round.wall_ns);
  EXPECT_EQ(looked.round.cpu_ns, plain.round.cpu_ns);
  EXPECT_EQ(looked.round.counters, plain.round.counters);
  EXPECT_EQ(looked.stage_ns, plain.stage_ns);
  EXPECT_FALSE(Engine(reused, memory, backends, recorder, clock, random).frees_outputs_last());
}

TEST_F(TurnTest, TensOfThousandsOfBuffersArePlacedOnce) {
  const Case planned = cast_case("cast", 0);
  const auto moves = [&](std::int64_t cache) {
    plan.measure.cache = Cache::Cold;
    GroupMemory memory({{&planned}}, plan.measure, backends, cache);
    Engine prepared(planned, memory, backends, recorder, clock, random);
    prepared.advance();
    const std::byte* const first = prepared.item().outputs().at(0).data;
    prepared.place(random);
    return std::pair(memory.sets(Memory::Pageable), prepared.item().outputs().at(0).data != first);
  };
  const auto [few, few_move] = moves(64 << 10);
  EXPECT_LT(few, 1U << 16);
  EXPECT_TRUE(few_move);
  const auto [many, many_move] = moves(32 << 20);
  EXPECT_GT(many, 1U << 16);
  EXPECT_FALSE(many_move);
}

TEST_F(TurnTest, WarmsUpAsLongAsItsShapeSays) {
  fake->rows[0].cost_ns = 300'000;
  const Case planned = cast_case("cast", 0);
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  const auto launches = [&](std::int64_t warmup_ns) {
    fake->rows[0].calls = 0;
    take_turn(prepared, {.iterations = 3, .warmup_ns = warmup_ns}, random);
    return fake->rows[0].calls;
  };
  EXPECT_EQ(launches(0), 3);
  EXPECT_EQ(launches(1), 4);
  EXPECT_EQ(launches(1'500'000), 8);
}

TEST_F(TurnTest, MarksAddUpEachStage) {
  fake->rows[0].cost_ns = 300'000;
  fake->rows[1].cost_ns = 500'000;
  const Case planned = make_case("two", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}});
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  const Turn turn = take_turn(prepared, {.iterations = 3, .marks = true}, random);
  EXPECT_THAT(turn.stage_ns, ElementsAre(900'000, 1'500'000));
  EXPECT_EQ(turn.round.wall_ns, 2'400'000);
}

TEST_F(TurnTest, EveryTurnDrawsAFreshPlacement) {
  std::vector<std::byte*> addresses;
  fake->rows[0].then = [&](const FakeCall& call) { addresses.push_back(call.out[0].data); };
  Source source;
  source.shape = {.n = 1, .c = 3, .h = 64, .w = 64};
  const Case planned = fake_case(*fake, "cast", source, {{.op = Cast{}}});
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  std::set<std::byte*> turns;
  for (int i = 0; i < 50; ++i) {
    addresses.clear();
    take_turn(prepared, {.iterations = 1}, random);
    EXPECT_EQ(std::set(addresses.begin(), addresses.end()).size(), 1u);  // hot caches: only one set
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(addresses[0]) % 64, 0u);
    turns.insert(addresses[0]);
  }
  EXPECT_GT(turns.size(), 20u);
}

}  // namespace
}  // namespace normbench::turn_test
