#include "measure/runner.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "measure/run_fixture.h"
#include "source_dir.h"

namespace normbench::runner_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct RunnerTest : RunTest {
  /// Ends the rounds of each group as early as possible.
  void stop_at_once() { plan.measure.max_seconds_per_group = 0; }
  std::string fresh_path(const std::string& name) {
    const std::string path = testing::TempDir() + name;
    std::remove(path.c_str());
    return path;
  }
};

/// Returns the group with the start times of its rounds relative to the start of its first turn.
/// The absolute times differ from run to run: they depend on how often the threads of the first
/// check read the clock.
GroupResult from_first_turn(GroupResult group) {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list)
      for (const Round& round : result.rounds) first_ns = std::min(first_ns, round.start_ns);
  for (auto* list : {&group.cases, &group.limits})
    for (CaseResult& result : *list)
      for (Round& round : result.rounds) round.start_ns -= first_ns;
  return group;
}

/// Returns the group's document as text. Each case and each limit has its own line, and so has each
/// other member.
std::string lines(const GroupResult& group) {
  std::string text;
  const Json document = to_json(group);
  for (const auto& [key, value] : document.items())
    if (key == "cases" || key == "limits")
      for (const Json& item : value) text += fmt::format("{}: {}\n", key, item.dump());
    else
      text += fmt::format("{}: {}\n", key, value.dump());
  return text;
}

std::string golden(const std::string& name) {
  std::ifstream in(source_dir() + "/tests/measure/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_F(RunnerTest, WholeGroup) {
  clock.reading_ns = 20;
  fake->rows[0] = {.cost_ns = 3'000'000, .faults = 5};
  fake->rows[1] = {.cost_ns = 400'000};
  fake->rows[2] = {.cost_ns = 2'000'000};
  Case skipped = cast_case("on the GPU", 0);
  skipped.skip = "built without CUDA";
  Group& group =
      add_group({cast_case("slow", 0), skipped,
                 make_case("two steps",
                           {{.op = Cast{}, .row = 1},
                            {.op = Sub{.mean = {1}}, .row = 1, .output = OutputPolicy::InPlace}})},
                {make_case("stream", {{.op = Stream{1, 4}, .row = 2}})});
  group.question = "Which?";
  group.cases[2].threads = 2;
  group.published = {{.variant = "slow", .wall_ms = {}, .device_ms = 9.16, .where = "table 1"}};
  group.claims = {
      {.text = "it is slow", .left = "two steps", .relation = Relation::Less, .right = "slow"}};
  plan.measure.checked_calls = 2;  // more checks would advance the clock
  stop_at_once();
  const Results results = run_plan();
  ASSERT_EQ(results.groups.size(), 1u);
  EXPECT_EQ(lines(from_first_turn(results.groups[0])), golden("whole_group.txt"));
}

TEST_F(RunnerTest, AGroupIsMeasuredAsItsExperimentSays) {
  plan.measure.max_seconds_per_group = 1000;
  add_group({cast_case("a", 0), cast_case("b", 1)});
  Group& own = add_group({cast_case("a", 0), cast_case("b", 1)});
  own.own = {.precision = 0.4, .max_seconds_per_group = 0, .cache = Cache::Cold};
  const Results results = run_plan();
  ASSERT_EQ(results.groups.size(), 2u);
  EXPECT_EQ(results.groups[0].stop, Stop::Precision);
  EXPECT_EQ(results.groups[1].stop, Stop::Time);
  EXPECT_EQ(precision_of(results.groups[0], results), plan.measure.precision);
  EXPECT_EQ(precision_of(results.groups[1], results), 0.4);
  EXPECT_EQ(cache_of(results.groups[1], results), Cache::Cold);
}

TEST_F(RunnerTest, TakesFromThePlanWhatDoesNotComeFromMeasuring) {
  plan.about = "why";
  plan.config = {{"schema", 1}};
  plan.measure = {.precision = 0.02,
                  .max_seconds_per_group = 0,
                  .cache = Cache::Cold,
                  .seed = 3,
                  .quick = true};
  const Results results = run_plan();
  Results expected;
  expected.config = {{"schema", 1}};
  expected.name = "test";
  expected.about = "why";
  expected.precision = 0.02;
  expected.quick = true;
  expected.cache = Cache::Cold;
  expected.clock = DecidingClock::Wall;
  expected.seed = 3;
  EXPECT_EQ(results, expected);
}

TEST_F(RunnerTest, EachBlockOfRoundsIsALatinSquareOfAllContenders) {
  add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2)}, {cast_case("limit", 3)});
  const GroupResult group = run_plan().groups[0];
  ASSERT_EQ(group.order.size(), 120u);
  std::set<std::vector<std::vector<int>>> blocks;
  for (std::size_t block = 0; block < 120; block += 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::set<int> row, column;
      for (std::size_t j = 0; j < 4; ++j) {
        row.insert(group.order[block + i][j]);
        column.insert(group.order[block + j][i]);
      }
      EXPECT_EQ(row, (std::set{0, 1, 2, 3}));
      EXPECT_EQ(column, (std::set{0, 1, 2, 3}));
    }
    blocks.insert({group.order.begin() + block, group.order.begin() + block + 4});
  }
  EXPECT_GT(blocks.size(), 1u);
}

TEST_F(RunnerTest, TurnsAreTakenInTheOrderThatIsKept) {
  add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2)});
  stop_at_once();
  const GroupResult group = run_plan().groups[0];
  for (std::size_t round = 0; round < group.order.size(); ++round) {
    std::int64_t last = 0;
    for (const int contender : group.order[round]) {
      EXPECT_GT(group.cases[contender].rounds[round].start_ns, last);
      last = group.cases[contender].rounds[round].start_ns;
    }
  }
}

TEST_F(RunnerTest, StopsWhenTheRatiosAreNarrow) {
  add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.stop, Stop::Precision);
  EXPECT_EQ(group.order.size(), 120u);
  EXPECT_EQ(observer.last_rounds, 120);
}

TEST_F(RunnerTest, LooksAgainOnlyWhenTheRoundsHaveDoubled) {
  // The times of b are noisy until round 140, so that the decision after round 120 does not stop
  // the group.
  fake->rows[1].then = [&](const FakeCall& call) {
    if (observer.last_rounds < 140) clock.time_ns += call.number % 7 * 400'000;
  };
  add_group({cast_case("a", 0), cast_case("b", 1)});
  plan.measure.precision = 0.05;
  plan.measure.max_seconds_per_group = 1000;
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.stop, Stop::Precision);
  EXPECT_THAT(group.order.size(), testing::AnyOf(240u, 480u, 960u));
}

TEST_F(RunnerTest, StopsWhenTheTimeIsUp) {
  fake->rows[1].then = [&](const FakeCall& call) { clock.time_ns += call.number % 7 * 1'000'000; };
  add_group({cast_case("a", 0), cast_case("b", 1)});
  plan.measure.max_seconds_per_group = 0.25;
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.stop, Stop::Time);
  EXPECT_GT(group.order.size(), 12u);
  const auto& rounds = group.cases[0].rounds;
  EXPECT_GE(rounds.back().start_ns - rounds.front().start_ns, 230'000'000);
  EXPECT_LT(rounds.back().start_ns - rounds.front().start_ns, 280'000'000);
}

TEST_F(RunnerTest, MakesAtLeastTwelveRounds) {
  add_group({cast_case("a", 0), cast_case("b", 1)});
  stop_at_once();
  EXPECT_EQ(run_plan().groups[0].order.size(), 12u);
}

TEST_F(RunnerTest, EveryPieceIsTold) {
  add_group({cast_case("a", 0), cast_case("b", 1)});
  stop_at_once();
  run_plan();
  using Kind = GroupStep::Kind;
  std::map<Kind, std::size_t> told;
  for (const GroupStep& step : observer.steps) {
    EXPECT_EQ(step.all, 2u);
    ++told[step.kind];
  }
  using testing::Pair;
  EXPECT_THAT(
      told, ElementsAre(Pair(Kind::Prepared, 2u), Pair(Kind::Turn, 24u), Pair(Kind::Checked, 2u)));
  const GroupStep& last_turn = observer.steps[observer.steps.size() - 3];
  EXPECT_EQ(last_turn.done, 2u);
  EXPECT_EQ(last_turn.rounds, 11u);
}

TEST_F(RunnerTest, ACaseAloneIsHeldToItsOwnInterval) {
  add_group({cast_case("a", 0)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.stop, Stop::Precision);
  EXPECT_EQ(group.order.size(), 120u);
}

TEST_F(RunnerTest, AThrowingCaseFailsAloneAndTakesNoMoreTurns) {
  fake->rows[1].then = [&](const FakeCall&) {
    if (observer.last_rounds == 5) throw std::runtime_error("img_7.jpg: premature end of file");
  };
  add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2)});
  stop_at_once();
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_EQ(group.cases[1].reason, "img_7.jpg: premature end of file");
  EXPECT_THAT(group.cases[1].rounds, IsEmpty());
  for (const std::size_t round : {0u, 4u}) EXPECT_EQ(group.order[round].size(), 3u);
  for (std::size_t round = 5; round < 12; ++round)
    EXPECT_THAT(group.order[round], testing::UnorderedElementsAre(0, 2));
  for (const int other : {0, 2}) {
    EXPECT_EQ(group.cases[other].status, Status::Ok);
    EXPECT_EQ(group.cases[other].rounds.size(), group.order.size());
  }
}

TEST_F(RunnerTest, LimitsAreSkippedWhenNoCaseRuns) {
  fake->rows[0].then = [](const FakeCall&) { throw std::runtime_error("broken"); };
  add_group({cast_case("a", 0)}, {cast_case("limit", 1)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Failed);
  EXPECT_EQ(group.limits[0].status, Status::Skipped);
  EXPECT_EQ(group.limits[0].reason, "no variant of the group could run");
  EXPECT_THAT(group.order, IsEmpty());
  EXPECT_EQ(fake->rows[1].calls, 0);
}

TEST_F(RunnerTest, OutputsThatAreNotWrittenAreWrong) {
  fake->rows[1].compute = false;
  add_group({cast_case("a", 0), cast_case("b", 1)});
  stop_at_once();
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_THAT(group.cases[1].reason, HasSubstr("wrong output: error inf at ["));
  EXPECT_FALSE(group.cases[1].check.ok);
  EXPECT_EQ(fake->rows[1].calls, 1);
  EXPECT_TRUE(group.cases[0].check.ok);
}

TEST_F(RunnerTest, OutputsThatGoWrongLaterAreWrong) {
  fake->rows[1].then = [&](const FakeCall& call) {
    if (observer.last_rounds == 12) call.out[0].data[3] = std::byte{0x7F};
  };
  add_group({cast_case("a", 0), cast_case("b", 1)});
  stop_at_once();
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_THAT(group.cases[1].reason, HasSubstr("at [0, 0, 0, 0]"));
  EXPECT_THAT(group.cases[1].rounds, IsEmpty());
}

TEST_F(RunnerTest, FirstCallsAreKeptApart) {
  fake->rows[0].then = [&](const FakeCall& call) {
    if (call.number == 0) clock.time_ns += 50'000'000;
  };
  add_group({cast_case("a", 0)});
  const CaseResult result = run_plan().groups[0].cases[0];
  EXPECT_EQ(result.first_call_ns, 51'000'000);
  for (const Round& round : result.rounds) EXPECT_EQ(round.wall_ns, 1'000'000);
}

TEST_F(RunnerTest, StagesTooShortForMarksGetTurnsOfTheirOwn) {
  clock.reading_ns = 200;
  fake->rows[0].cost_ns = 30'000;
  fake->rows[1].cost_ns = 20'000;
  add_group({make_case("two", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}})});
  stop_at_once();
  const CaseResult result = run_plan().groups[0].cases[0];
  EXPECT_EQ(result.iterations, 20);
  // In the turns of the rounds, the clock is not read between stages. The stages are timed in
  // further turns (staged turns). There each run of a stage takes 200 ns more, the time of a clock
  // reading.
  for (const Round& round : result.rounds) EXPECT_EQ(round.wall_ns, 20 * 50'000 + 200);
  EXPECT_EQ(result.stages[0].rounds_ns, std::vector<std::int64_t>(12, 20 * 30'200));
  EXPECT_EQ(result.stages[1].rounds_ns, std::vector<std::int64_t>(12, 20 * 20'200));
  EXPECT_TRUE(result.stages[0].staged && result.stages[1].staged);
}

TEST_F(RunnerTest, CasesAboutAsLongAsTheBaselineHaveAsManyIterationsATurn) {
  fake->rows[0].cost_ns = 60'000;   // 17 iterations per turn
  fake->rows[1].cost_ns = 100'000;  // 10 iterations
  fake->rows[2].cost_ns = 25'000;   // 40 iterations
  add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2)});
  stop_at_once();
  const GroupResult result = run_plan().groups[0];
  EXPECT_EQ(result.cases[0].iterations, 17);
  EXPECT_EQ(result.cases[1].iterations, 17);
  EXPECT_EQ(result.cases[2].iterations, 40);
}

TEST_F(RunnerTest, MissingMemoryFailsTheCasesThatNeedIt) {
  fake->on_allocate = [](Memory memory, std::size_t) {
    if (memory == Memory::PageableHuge) throw std::runtime_error("mmap: Cannot allocate memory");
  };
  Source huge = small_source();
  huge.memory = Memory::PageableHuge;
  add_group({cast_case("a", 0), fake_case(*fake, "huge", huge, {{.op = Cast{}, .row = 1}})});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_EQ(group.cases[1].reason,
            "needs 128 B of pageable_huge memory: mmap: Cannot allocate memory");
}

TEST_F(RunnerTest, AHungTurnIsReportedWithItsNames) {
  std::promise<std::string> hung;
  std::future<std::string> told = hung.get_future();
  std::string said;
  watchdog.emplace(0.01, [&](std::size_t group, const std::string& contender) {
    hung.set_value(fmt::format("{} {}", group, contender));
  });
  fake->rows[0].then = [&](const FakeCall& call) {
    if (call.number == 0) said = told.get();
  };
  add_group({cast_case("a", 0)});
  run_plan();
  EXPECT_EQ(said, "0 a");
}

TEST_F(RunnerTest, ATurnThatEndsWhileItIsNotedAsHungWritesNothing) {
  const std::string path = fresh_path("slow_hang.jsonl");
  Journal kept = Journal::create(path, Json::object());
  journal = &kept;
  std::promise<void> acting;
  std::future<void> acts = acting.get_future();
  bool alone = false;
  watchdog.emplace(0.01, [&](std::size_t group, const std::string& contender) {
    const auto size = std::filesystem::file_size(path);
    acting.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    alone = std::filesystem::file_size(path) == size;
    kept.add_hung(group, contender, "slow");
  });
  fake->rows[0].then = [&](const FakeCall&) {
    if (observer.last_rounds == 12 && acts.valid()) acts.get();  // the next step writes the group
  };
  add_group({cast_case("a", 0)});
  stop_at_once();
  run_plan();
  watchdog.reset();
  EXPECT_TRUE(alone);
  const JournalContent& content = kept.content();
  EXPECT_EQ(content.hung, (decltype(content.hung){{0, {{"a", "slow"}}}}));
  EXPECT_THAT(content.groups, testing::SizeIs(1));
}

TEST_F(RunnerTest, WhatHungBeforeFailsAndIsNotRunAgain) {
  Journal kept = Journal::create(fresh_path("hung.jsonl"), Json::object());
  kept.add_hung(0, "b", "a turn took longer than 60 s");
  journal = &kept;
  add_group({cast_case("a", 0), cast_case("b", 1)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_EQ(group.cases[1].reason, "a turn took longer than 60 s");
  EXPECT_EQ(fake->rows[1].calls, 0);
}

TEST_F(RunnerTest, AnInterruptedGroupIsContinuedWithoutRepeatingTheOthers) {
  const std::string path = fresh_path("interrupted.jsonl");
  add_group({cast_case("a", 0), cast_case("b", 1)});
  add_group({cast_case("a", 2), cast_case("b", 3)});
  stop_at_once();
  Results first, second;
  {
    Journal kept = Journal::create(path, Json::object());
    journal = &kept;
    observer.on_round = [&](int round) { interrupted = observer.told.size() == 3 && round == 5; };
    first = run_plan();
  }
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.missing, (std::vector<MissingGroup>{{.experiment = plan.groups[1].experiment,
                                                       .point = plan.groups[1].point,
                                                       .rounds = 5}}));
  ASSERT_EQ(first.groups.size(), 2u);
  EXPECT_THAT(observer.told, ElementsAre("start 0", "finish 0", "start 1"));

  Journal kept = Journal::resume(path);
  journal = &kept;
  interrupted = false;
  observer.on_round = nullptr;
  observer.told.clear();
  const std::int64_t calls = fake->rows[0].calls;
  second = run_plan();
  EXPECT_FALSE(second.interrupted || second.missing);
  ASSERT_EQ(second.groups.size(), 2u);
  EXPECT_EQ(second.groups[0], first.groups[0]);
  EXPECT_EQ(second.groups[1].cases[1].rounds.size(), 13u);  // 5 of the first run, and 4 blocks of 2
  EXPECT_EQ(second.groups[1].cases[1].rounds[3], first.groups[1].cases[1].rounds[3]);
  EXPECT_THAT(observer.told, ElementsAre("start 1", "finish 1"));
  EXPECT_EQ(fake->rows[0].calls, calls);
}

TEST_F(RunnerTest, StopsBetweenTurnsWhenInterrupted) {
  fake->rows[0].then = [&](const FakeCall&) { interrupted = true; };
  add_group({cast_case("a", 0), cast_case("b", 1)});
  const Results results = run_plan();
  EXPECT_TRUE(results.interrupted);
  EXPECT_THAT(results.groups, IsEmpty());
  EXPECT_EQ(fake->rows[1].calls, 0);
}

}  // namespace
}  // namespace normbench::runner_test
