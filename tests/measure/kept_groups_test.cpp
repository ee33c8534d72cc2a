#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <sstream>

#include "core/file.h"
#include "core/issue.h"
#include "measure/run_fixture.h"
#include "measure/runner.h"

namespace normbench::kept_groups_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct KeptGroupsTest : RunTest {
  KeptGroupsTest() {
    plan.measure.max_seconds_per_group = 0;  // rounds end as early as they can
    plan.profile = {.active = 2, .enabled = true};
    on_profile = [](const ProfileTrace&, CaseProfile& profile) { profile.rows.resize(1); };
    std::remove(path.c_str());
  }

  void add_groups(int count) {
    for (int i = 0; i < count; ++i) add_group({cast_case("a", 0), cast_case("b", 1)});
  }
  Results run_with(Journal& kept) {
    journal = &kept;
    Results results = run_plan();
    journal = nullptr;
    return results;
  }
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void expect_refused(const JournalContent& content, const std::string& message) {
    EXPECT_THAT([&] { require_fit(content, plan); }, ThrowsMessage<Invalid>(HasSubstr(message)));
  }

  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

/// Returns one line for each group, without values that differ from run to run, such as times.
std::vector<std::string> structure(const Results& results) {
  std::vector<std::string> lines;
  for (const GroupResult& group : results.groups) {
    std::string line =
        fmt::format("{} {} {} |", group.experiment, group.point.dump(), name_of(group.stop));
    for (const CaseResult& result : group.cases)
      line += fmt::format(" {} {} {}x{} {}", result.variant, name_of(result.status),
                          result.rounds.size(), result.iterations, result.stages.size());
    for (const CaseProfile& profile : group.profile)
      line += fmt::format(" | {} {}", profile.variant, profile.steps);
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST_F(KeptGroupsTest, ARunKilledAnywhereAndResumedHasTheStructureOfAnUnbrokenOne) {
  add_groups(4);
  Results unbroken;
  {
    Journal kept = Journal::create(path, Json::object());
    unbroken = run_with(kept);
  }
  const std::string whole = text();
  ASSERT_EQ(unbroken.groups.size(), 4u);
  ASSERT_EQ(std::ranges::count(whole, '\n'), 9);  // a header, 4 groups, the 4 groups with profiles
  std::mt19937 random(20261121);
  std::uniform_int_distribution<std::size_t> somewhere(whole.find('\n') + 1, whole.size());
  for (int kill = 0; kill < 60; ++kill) {
    const std::size_t cut = somewhere(random);
    std::ofstream(path, std::ios::binary) << whole.substr(0, cut);
    Journal kept = Journal::resume(path);
    const std::size_t finished = kept.content().groups.size();
    require_fit(kept.content(), plan);
    observer.told.clear();
    const Results resumed = run_with(kept);
    EXPECT_FALSE(resumed.interrupted || resumed.unkept);
    EXPECT_EQ(structure(resumed), structure(unbroken)) << "cut at " << cut;
    EXPECT_EQ(observer.told.size(), 2 * (4 - finished)) << "cut at " << cut;
    for (std::size_t i = 0; i < finished; ++i)
      EXPECT_EQ(resumed.groups[i].cases[0].rounds, unbroken.groups[i].cases[0].rounds);
  }
}

TEST_F(KeptGroupsTest, OfAnInterruptedGroupHaveItsRoundsAndAreContinued) {
  add_groups(3);
  for (const int last : {1, 2, 3, 12, 13, 40}) {
    plan.measure.max_seconds_per_group = last == 40 ? 10 : 0;
    std::remove(path.c_str());
    observer.told.clear();
    observer.on_round = [&](int rounds) {
      if (observer.told.size() == 3 && rounds == last) interrupted = true;
    };
    Results cut;
    {
      Journal kept = Journal::create(path, Json::object());
      cut = run_with(kept);
    }
    const bool ends = last == 13;  // the group ends after 12 rounds, so it has no round 13
    EXPECT_EQ(cut.interrupted, !ends);
    const std::size_t rounds = ends ? 12 : static_cast<std::size_t>(last);
    ASSERT_EQ(cut.groups.size(), ends ? 3u : 2u) << last;
    if (!ends) {
      ASSERT_EQ(cut.missing->size(), 2u);
      EXPECT_EQ(cut.missing->at(0), (MissingGroup{.experiment = "place",
                                                  .point = plan.groups[1].point,
                                                  .rounds = std::int64_t(rounds)}));
      EXPECT_TRUE(cut.missing->at(1).is_absent());
    }
    if (rounds > 0) {
      EXPECT_EQ(cut.groups[1].order.size(), rounds);
    }
    interrupted = false;
    observer.on_round = {};
    plan.measure.max_seconds_per_group = 0;
    Journal kept = Journal::resume(path);
    require_fit(kept.content(), plan);
    const Results whole = run_with(kept);
    EXPECT_FALSE(whole.interrupted);
    ASSERT_EQ(whole.groups.size(), 3u);
    const GroupResult& group = whole.groups[1];
    // A block of two cases has 2 rounds. The resumed run adds blocks until there are at least 12
    // rounds.
    EXPECT_EQ(group.order.size(), rounds < 12 ? 12 + rounds % 2 : rounds) << last;
    EXPECT_EQ(group.stop, Stop::Time);
    EXPECT_FALSE(group.profile.empty());
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(group.cases[i].rounds.size(), group.order.size());
      EXPECT_EQ(group.cases[i].stages[0].rounds_ns.size(), group.order.size());
      if (rounds > 0) {
        EXPECT_TRUE(std::ranges::equal(cut.groups[1].cases[i].rounds,
                                       std::span(group.cases[i].rounds).first(rounds)));
      }
    }
  }
}

/// A run of one group. The run is killed during the group's rounds and then resumed.
struct BegunGroupTest : KeptGroupsTest {
  BegunGroupTest() {
    plan.profile.enabled = false;
    plan.measure.max_seconds_per_group = 10;
    plan.measure.precision = 1e-9;
    fake->rows[0].cost_ns = 30'000'000;
    observer.on_round = [this](int rounds) {
      // The times vary from round to round, so that the precision is never reached.
      fake->rows[0].cost_ns = 30'000'000 + 1'000'000 * (rounds % 7);
    };
    add_group({cast_case("a", 0), cast_case("b", 1)});
  }
  BegunGroup begun() { return Journal::resume(path).content().begun.at(0); }
  /// Writes a journal with the begun group `group` and resumes the run. Returns the finished group.
  GroupResult resumed(const BegunGroup& group) {
    std::remove(path.c_str());
    Journal::create(path, Json::object()).add_begun(0, group);
    Journal kept = Journal::resume(path);
    const Results results = run_with(kept);
    EXPECT_FALSE(results.interrupted);
    EXPECT_EQ(read_group(to_json(results.groups.at(0))), results.groups.at(0));
    return results.groups.at(0);
  }
};

TEST_F(BegunGroupTest, IsKeptOnceASecondAndContinuedWhereverItIsKilled) {
  GroupResult unbroken;
  {
    Journal kept = Journal::create(path, Json::object());
    unbroken = run_with(kept).groups.at(0);
  }
  std::istringstream lines(text());
  std::vector<BegunGroup> kept;
  for (std::string line; std::getline(lines, line);)
    if (const Json json = Json::parse(line); json.contains("seconds"))
      kept.push_back({.result = read_group(json["result"]), .seconds = json["seconds"]});
  ASSERT_GE(kept.size(), 3u);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    EXPECT_GE(kept[i].seconds, kept[i - 1].seconds + 0.9);
    EXPECT_GE(kept[i].result.order.size(), kept[i - 1].result.order.size() * 5 / 4);
  }
  for (const BegunGroup& group : kept) {
    const GroupResult result = resumed(group);
    EXPECT_NEAR(static_cast<double>(result.order.size()),
                static_cast<double>(unbroken.order.size()), 4);
    EXPECT_TRUE(std::ranges::equal(std::span(result.order).first(group.result.order.size()),
                                   group.result.order));
    EXPECT_EQ(result.stop, Stop::Time);
  }
}

/// The journal may have a begun group without rounds. This happens if the lengths of its turns were
/// decided again, which drops all rounds.
TEST_F(BegunGroupTest, WithoutRoundsIsMeasuredFromTheBeginning) {
  {
    Journal kept = Journal::create(path, Json::object());
    run_with(kept);
  }
  std::istringstream lines(text());
  std::string line;
  while (std::getline(lines, line) && line.find("\"seconds\"") == std::string::npos) {
  }
  BegunGroup group{.result = read_group(Json::parse(line)["result"]), .seconds = 0};
  group.result.order.clear();
  for (CaseResult& result : group.result.cases) {
    result.rounds.clear();
    result.iterations = 77;  // number from the dropped turns; it must be decided anew
    for (StageResult& stage : result.stages) stage.rounds_ns.clear();
  }
  const GroupResult result = resumed(group);
  EXPECT_GE(result.order.size(), 12u);
  EXPECT_NE(result.cases[0].iterations, 77);
}

TEST_F(BegunGroupTest, PreparingTakesNothingFromItsRounds) {
  bool is_first = true;
  fake->rows[1].then = [&](const FakeCall&) {
    if (std::exchange(is_first, false)) clock.time_ns += 9'000'000'000;
  };
  observer.on_round = [&](int rounds) { interrupted = rounds == 20; };
  {
    Journal kept = Journal::create(path, Json::object());
    EXPECT_TRUE(run_with(kept).interrupted);
  }
  const BegunGroup group = begun();
  EXPECT_EQ(group.result.order.size(), 20u);
  EXPECT_LT(group.seconds, 2.5);
  interrupted = false;
  observer.on_round = nullptr;
  is_first = true;
  EXPECT_GT(resumed(group).order.size(), 60u);
}

TEST_F(BegunGroupTest, HasStageTimesInAllRoundsOrInNone) {
  plan.groups.clear();
  add_group({make_case("a", {{.op = Cast{}, .row = 0}, {.op = Copy{}, .row = 1}})});
  plan.measure.max_seconds_per_group = 1;
  observer.on_round = [&](int rounds) { interrupted = rounds == 14; };
  {
    Journal kept = Journal::create(path, Json::object());
    run_with(kept);
  }
  interrupted = false;
  observer.on_round = nullptr;
  BegunGroup with = begun(), without = with;
  for (StageResult& stage : without.result.cases[0].stages) stage.rounds_ns.clear();
  ASSERT_EQ(with.result.cases[0].stages[1].rounds_ns.size(), 14u);
  const CaseResult timed = resumed(with).cases[0], staged = resumed(without).cases[0];
  EXPECT_EQ(timed.stages[1].rounds_ns.size(), timed.rounds.size());
  EXPECT_FALSE(timed.stages[1].staged);
  EXPECT_TRUE(staged.stages[1].staged);
}

TEST_F(BegunGroupTest, DoesNotTryAgainWhatHasFailed) {
  fake->rows[1].then = [](const FakeCall& call) { call.out[0].data[3] = std::byte{0x7F}; };
  observer.on_round = [&](int rounds) { interrupted = rounds == 5; };
  {
    Journal kept = Journal::create(path, Json::object());
    run_with(kept);
  }
  interrupted = false;
  observer.on_round = nullptr;
  const BegunGroup group = begun();
  ASSERT_EQ(group.result.cases[1].status, Status::Failed);
  const std::int64_t calls = fake->rows[1].calls;
  fake->rows[1].then = nullptr;
  const GroupResult result = resumed(group);
  EXPECT_EQ(result.cases[1].status, Status::Failed);
  EXPECT_EQ(result.cases[1].reason, group.result.cases[1].reason);
  EXPECT_EQ(fake->rows[1].calls, calls);
}

TEST_F(BegunGroupTest, ThatHadEnoughRoundsGetsNoMore) {
  observer.on_round = nullptr;
  observer.on_step = [&](const GroupStep& step) {
    interrupted = interrupted || (step.kind == GroupStep::Kind::Checked && step.rounds == 0 &&
                                  observer.last_rounds > 0);
  };
  plan.measure.precision = 0.5;
  {
    Journal kept = Journal::create(path, Json::object());
    EXPECT_TRUE(run_with(kept).interrupted);
  }
  interrupted = false;
  observer.on_step = nullptr;
  const BegunGroup group = begun();
  ASSERT_EQ(group.result.stop, Stop::Precision);
  const GroupResult result = resumed(group);
  EXPECT_EQ(result.order, group.result.order);
  EXPECT_EQ(result.stop, Stop::Precision);
}

TEST_F(BegunGroupTest, IsMeasuredAnewWhereTheMachineHasOtherLimits) {
  observer.on_round = [&](int rounds) { interrupted = rounds == 14; };
  {
    Journal kept = Journal::create(path, Json::object());
    run_with(kept);
  }
  interrupted = false;
  observer.on_round = nullptr;
  const BegunGroup group = begun();
  plan.groups[0].limits.push_back(cast_case("limit", 1));
  const GroupResult result = resumed(group);
  ASSERT_EQ(result.limits.size(), 1u);
  EXPECT_EQ(result.limits[0].rounds.size(), result.cases[0].rounds.size());
}

TEST_F(KeptGroupsTest, TheRunEndsWithTheGroupThatTheJournalCannotKeep) {
  add_groups(3);
  Journal kept = Journal::create(path, Json::object());
  observer.on_round = [&](int) {
    if (observer.told.size() == 3) std::remove(path.c_str());  // during the second group
  };
  const Results results = run_with(kept);
  EXPECT_EQ(unkept, "cannot write " + path + ": No such file or directory");
  EXPECT_TRUE(results.interrupted && results.unkept);
  EXPECT_THAT(observer.told, ElementsAre("start 0", "finish 0", "start 1", "finish 1"));
  ASSERT_EQ(results.groups.size(), 2u);
  EXPECT_EQ(results.groups[1].cases[0].rounds.size(), 12u);
  EXPECT_TRUE(results.groups[0].profile.empty());
}

TEST_F(KeptGroupsTest, FitThePlanThatTheyComeFrom) {
  add_groups(2);
  Journal kept = Journal::create(path, Json::object());
  run_with(kept);
  kept.add_hung(1, "no contender, as when a limit is no more needed", "");
  EXPECT_NO_THROW(require_fit(kept.content(), plan));
}

TEST_F(KeptGroupsTest, OfAnotherPlanAreRefused) {
  add_groups(2);
  JournalContent good;
  {
    Journal kept = Journal::create(path, Json::object());
    run_with(kept);
    good = kept.content();
  }
  JournalContent content = good;
  content.groups[7] = content.groups[1];
  expect_refused(content, "it names group 7, but the config plans 2 groups (counted from 0)");
  content = good;
  content.hung[2]["a"] = "";
  expect_refused(content, "it names group 2, but the config plans 2 groups (counted from 0)");
  content = good;
  content.groups[1] = content.groups[0];
  expect_refused(content, R"(its group 1 is "place" at {"batch":0} with "a", "b", baseline "a"; )"
                          R"(the config plans "place" at {"batch":1} with "a", "b", baseline "a")");
  content = good;
  content.groups[0].cases[1].variant = "a";
  expect_refused(content, R"(its group 0 is "place" at {"batch":0} with "a", "a", )");
  content = good;
  content.groups[0].baseline = "b";
  expect_refused(content, R"(baseline "b"; the config)");
  content = good;
  content.groups[0].experiment = "other";
  expect_refused(content, R"(its group 0 is "other" at)");
}

/// Two groups that three processes measure. Each process measures one round of each group.
struct KeptPartsTest : KeptGroupsTest {
  KeptPartsTest() {
    add_groups(2);
    plan.profile.enabled = false;
    plan.measure.processes = 3;
    fresh_process = [this](std::size_t group, const Part& part) -> std::optional<GroupResult> {
      asked.push_back(fmt::format("{}.{}{}", group, part.index, part.first ? "" : " first"));
      if (std::ssize(asked) == ends_before) interrupted = true;
      if (interrupted) return std::nullopt;
      return part_of(plan.groups[group], 100 * (part.index + 1));
    };
  }

  static GroupResult part_of(const Group& whole, std::int64_t wall_ns) {
    GroupResult group;
    group.experiment = whole.experiment;
    group.point = whole.point;
    group.baseline = whole.baseline;
    for (const Case& planned : whole.cases) {
      CaseResult& result = group.cases.emplace_back();
      result.variant = planned.variant;
      result.iterations = 1;
      result.check.ok = true;
      result.rounds = {{.wall_ns = wall_ns, .start_ns = 10, .counters = {}}};
    }
    group.order = {{0, 1}};
    group.stop = Stop::Time;
    return group;
  }
  static std::vector<std::int64_t> times(const GroupResult& group) {
    std::vector<std::int64_t> times;
    for (const Round& round : group.cases[0].rounds) times.push_back(round.wall_ns);
    return times;
  }

  std::vector<std::string> asked;
  std::ptrdiff_t ends_before = 0;  // interrupted at this fresh_process() call, from 1; 0: never
};

TEST_F(KeptPartsTest, EachProcessMeasuresAllGroupsBeforeTheNextOneDoes) {
  const Results results = run_plan();
  EXPECT_THAT(asked, ElementsAre("0.0 first", "1.0 first", "0.1", "1.1", "0.2", "1.2"));
  EXPECT_THAT(observer.told, ElementsAre("start 0", "start 1", "start 0", "start 1", "start 0",
                                         "finish 0", "start 1", "finish 1"));
  ASSERT_EQ(results.groups.size(), 2u);
  for (const GroupResult& group : results.groups) {
    EXPECT_THAT(times(group), ElementsAre(100, 200, 300));
    EXPECT_EQ(group.cases[1].rounds.back().start_ns, 10 + 100 + 10 + 200 + 10);
  }
}

TEST_F(KeptPartsTest, AreThereAfterAnInterruptAndNotMeasuredAgain) {
  for (std::ptrdiff_t part = 1; part <= 6; ++part) {
    std::remove(path.c_str());
    asked.clear();
    ends_before = part;
    {
      Journal kept = Journal::create(path, Json::object());
      const Results cut = run_with(kept);
      EXPECT_TRUE(cut.interrupted);
      ASSERT_TRUE(cut.missing);
      const bool first_is_whole = part > 5;
      ASSERT_EQ(cut.missing->size(), first_is_whole ? 1u : 2u);
      EXPECT_EQ(cut.missing->front().processes, first_is_whole ? 2 : part / 2);
      EXPECT_EQ(cut.missing->back().processes, (part - 1) / 2);
      ASSERT_EQ(std::ssize(cut.groups), std::min<std::ptrdiff_t>(part - 1, 2));
      for (std::ptrdiff_t i = 0; i < std::ssize(cut.groups); ++i)
        EXPECT_EQ(std::ssize(times(cut.groups[i])), (part - i) / 2);
    }
    asked.clear();
    ends_before = 0;
    interrupted = false;
    Journal kept = Journal::resume(path);
    require_fit(kept.content(), plan);
    const Results results = run_with(kept);
    EXPECT_FALSE(results.interrupted);
    EXPECT_EQ(std::ssize(asked), 6 - (part - 1));
    ASSERT_EQ(results.groups.size(), 2u);
    for (const GroupResult& group : results.groups)
      EXPECT_THAT(times(group), ElementsAre(100, 200, 300));
  }
}

TEST_F(KeptPartsTest, EachProcessIsToldWhatHangs) {
  Journal kept = Journal::create(path, Json::object());
  kept.add_hung(1, "b", "a turn took more than 1 s");
  std::vector<std::size_t> told;
  fresh_process = [&](std::size_t group, const Part& part) {
    for (const auto& [contender, why] : part.hung) {
      EXPECT_EQ(contender + ": " + why, "b: a turn took more than 1 s");
      told.push_back(group);
    }
    return std::optional(part_of(plan.groups[group], 100));
  };
  run_with(kept);
  EXPECT_THAT(told, ElementsAre(1, 1, 1));
}

TEST_F(KeptGroupsTest, AContenderThatHungInAnotherProcessFails) {
  add_groups(1);
  plan.profile.enabled = false;
  hung = {{"b", "a turn took more than 1 s"}};
  const Results results = run_plan();
  EXPECT_EQ(results.groups[0].cases[0].status, Status::Ok);
  EXPECT_EQ(results.groups[0].cases[1].status, Status::Failed);
  EXPECT_EQ(results.groups[0].cases[1].reason, "a turn took more than 1 s");
}

TEST_F(KeptPartsTest, NoProcessStartsForAGroupWithNothingToRun) {
  for (Case& planned : plan.groups[0].cases) planned.skip = "nothing runs it here";
  const Results results = run_plan();
  EXPECT_THAT(asked, ElementsAre("1.0 first", "1.1", "1.2"));
  EXPECT_EQ(results.groups.size(), 2u);
}

TEST_F(KeptPartsTest, OfAnotherPlanAreRefused) {
  JournalContent content;
  content.parts[1] = {part_of(plan.groups[0], 100)};
  expect_refused(content, R"(its group 1 is "place" at {"batch":0})");
  content.parts = {{2, {part_of(plan.groups[0], 100)}}};
  expect_refused(content, "it names group 2");
}

}  // namespace
}  // namespace normbench::kept_groups_test
