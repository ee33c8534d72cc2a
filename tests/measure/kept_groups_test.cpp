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
    plan.measure.max_seconds_per_group = 0;  // rounds end as early as they may
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

/// Everything but what depends on when it was measured.
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
  ASSERT_EQ(std::ranges::count(whole, '\n'), 9);  // the header, the groups, these with a profile
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

}  // namespace
}  // namespace normbench::kept_groups_test
