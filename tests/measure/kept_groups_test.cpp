#include <fstream>
#include <iterator>
#include <random>

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

/// Returns one line for each group, without the values that depend on when the group was measured.
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
  ASSERT_EQ(std::ranges::count(whole, '\n'), 9);  // 1 header, 4 groups, 4 groups with a profile
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

TEST_F(KeptGroupsTest, OfAnInterruptedGroupHaveItsWholeBlocksAndAreContinued) {
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
    const bool ends = last == 13;  // the group has ended after 12 rounds
    EXPECT_EQ(cut.interrupted, !ends);
    const std::size_t rounds = ends ? 12 : static_cast<std::size_t>(last - last % 2);
    ASSERT_EQ(cut.groups.size(), ends ? 3u : rounds > 0 ? 2u : 1u) << last;
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
    EXPECT_EQ(group.order.size(), std::max<std::size_t>(12, rounds)) << last;
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

TEST_F(KeptGroupsTest, TheRunEndsWithTheGroupThatTheJournalCannotKeep) {
  add_groups(3);
  Journal kept = Journal::create(path, Json::object());
  observer.on_round = [&](int) {
    if (observer.told.size() == 3) std::remove(path.c_str());  // in the second group
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

/// Two groups. Each of three processes measures one round of each group.
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
  std::ptrdiff_t ends_before = 0;  // the run is interrupted before this part; 0: never
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
