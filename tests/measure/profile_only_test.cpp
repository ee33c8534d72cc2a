// Tests of runs that profile but measure no rounds.
#include "measure/profile_fixture.h"

namespace normbench::profile_only_test {
namespace {

struct ProfileOnlyTest : ProfileTest {
  ProfileOnlyTest() { rounds = false; }
};

TEST_F(ProfileOnlyTest, EachCaseIsCheckedOnceAndProfiled) {
  fake->rows[2].compute = false;
  add_group({two_steps, cast_case("wrong", 2)}, {cast_case("limit", 3)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_TRUE(group.cases[0].check.ok);
  EXPECT_EQ(group.cases[0].first_call_ns, 5'000'000);
  EXPECT_TRUE(group.cases[0].rounds.empty());
  EXPECT_TRUE(group.cases[0].stages[0].rounds_ns.empty());
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_TRUE(group.order.empty());
  EXPECT_EQ(group.stop, std::nullopt);
  ASSERT_EQ(group.profile.size(), 1u);
  EXPECT_EQ(group.profile[0].steps, 2);
  EXPECT_EQ(group.profile[0].overhead, 0);  // 0: unknown, because there are no rounds
  // Kernel row 0 is called in the first call, in the profile pass's own warm-up, in a waiting step,
  // in a warm-up step, and in two recorded steps.
  EXPECT_EQ(fake->rows[0].calls, 1 + 1 + 1 + 1 + 2);
}

TEST_F(ProfileOnlyTest, LimitsAreSkippedAndSaySo) {
  add_group({two_steps}, {cast_case("limit", 3)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.limits[0].status, Status::Skipped);
  EXPECT_EQ(group.limits[0].reason, "nothing is measured");
  EXPECT_EQ(fake->rows[3].calls, 0);
}

TEST_F(ProfileOnlyTest, NoProcessIsStartedForRoundsThatThereAreNot) {
  plan.measure.processes = 3;  // fresh_process is empty, so no process can be started
  add_group({two_steps});
  EXPECT_EQ(run_plan().groups[0].profile.size(), 1u);
}

TEST_F(ProfileOnlyTest, TheResultReadsBack) {
  add_group({two_steps}, {cast_case("limit", 3)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(read_group(to_json(group)), group);
}

}  // namespace
}  // namespace normbench::profile_only_test
