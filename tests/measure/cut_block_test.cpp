#include <fmt/format.h>

#include <set>

#include "measure/run_fixture.h"

namespace normbench::cut_block_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Groups with four cases and a limit. The limit, a case that measures the machine, takes turns
/// like the other cases. A turn with its warm-up takes 2 ms. A block has five rounds of five turns,
/// so it takes 50 ms.
struct GpuDayCutBlock : RunTest {
  GroupResult measured(double seconds) {
    plan.measure.max_seconds_per_group = seconds;
    plan.measure.checked_calls = 2;  // more checks would leave less time for rounds
    plan.groups.clear();
    add_group({cast_case("a", 0), cast_case("b", 1), cast_case("c", 2), cast_case("d", 3)},
              {cast_case("limit", 4)});
    return run_plan().groups[0];
  }
  static const CaseResult& contender(const GroupResult& group, int index) {
    return index < 4 ? group.cases[static_cast<std::size_t>(index)] : group.limits[0];
  }
};

TEST_F(GpuDayCutBlock, EndsWhereTheTimeIsOverAndItsRoundsAreSetAside) {
  const GroupResult group = measured(0.163);
  EXPECT_EQ(group.stop, Stop::Time);
  EXPECT_THAT(group.order, SizeIs(15));  // three blocks
  ASSERT_THAT(group.cut_order, SizeIs(2));
  EXPECT_THAT(group.cut_order[0], SizeIs(5));
  EXPECT_THAT(group.cut_order[1], SizeIs(2));
  for (int i = 0; i < 5; ++i) {
    const CaseResult& result = contender(group, i);
    EXPECT_THAT(result.rounds, SizeIs(15));
    EXPECT_THAT(result.stages[0].rounds_ns, SizeIs(15));
    const auto again = std::ranges::count(group.cut_order[1], i);
    ASSERT_THAT(result.cut_rounds, SizeIs(1 + again));
    EXPECT_GT(result.cut_rounds[0].start_ns, result.rounds.back().start_ns);
  }
  // The time of the group includes the warm-up of 1 ms before the first round. The last turn takes
  // 2 ms with its warm-up and ends at 164 ms, so it began before the limit of 163 ms.
  const CaseResult& last = contender(group, group.cut_order[1][1]);
  EXPECT_EQ(last.cut_rounds.back().start_ns + last.cut_rounds.back().wall_ns -
                contender(group, group.order[0][0]).rounds[0].start_ns + 1'000'000,
            164'000'000);
}

TEST_F(GpuDayCutBlock, IsNoneOfTheFirstTwelveRounds) {
  for (const double seconds : {0.0, 0.001, 0.149}) {
    const GroupResult group = measured(seconds);
    EXPECT_EQ(group.stop, Stop::Time);
    EXPECT_THAT(group.order, SizeIs(15));
    EXPECT_THAT(group.cut_order, IsEmpty());
    EXPECT_THAT(group.cases[0].cut_rounds, IsEmpty());
  }
}

TEST_F(GpuDayCutBlock, IsNoneWherePrecisionEndsTheGroup) {
  const GroupResult group = measured(10);
  EXPECT_EQ(group.stop, Stop::Precision);
  EXPECT_THAT(group.order, SizeIs(120));
  EXPECT_THAT(group.cut_order, IsEmpty());
}

TEST_F(GpuDayCutBlock, OfManyCasesNeedsNoWholeSquare) {
  plan.measure.max_seconds_per_group = 0;
  plan.groups.clear();
  std::vector<Case> cases;
  for (int i = 0; i < 30; ++i) cases.push_back(cast_case(fmt::format("{}", i), 0));
  add_group(std::move(cases));
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(group.order, SizeIs(12));
  for (const std::vector<int>& round : group.order)
    EXPECT_THAT(std::set(round.begin(), round.end()), SizeIs(30));
  for (const CaseResult& result : group.cases) EXPECT_THAT(result.rounds, SizeIs(12));
}

TEST_F(GpuDayCutBlock, OfACaseThatFailsAtLastIsGoneToo) {
  fake->rows[1].then = [&](const FakeCall& call) {
    if (observer.last_rounds > 15) call.out[0].data[3] = std::byte{0x7F};
  };
  const GroupResult group = measured(0.163);
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_THAT(group.cases[1].cut_rounds, IsEmpty());
  EXPECT_THAT(group.cases[0].cut_rounds, testing::Not(IsEmpty()));
}

TEST_F(GpuDayCutBlock, IsAppendedWithItsProcess) {
  GroupResult first = measured(0.163);
  const GroupResult second = measured(0.163);
  const Round last = std::ranges::max(first.cases[0].cut_rounds.back(),
                                      first.cases[1].cut_rounds.back(), {}, &Round::start_ns);
  const std::int64_t end_ns = last.start_ns + last.wall_ns;
  append_part(first, second);
  EXPECT_THAT(first.order, SizeIs(30));
  EXPECT_THAT(first.cut_order, SizeIs(4));
  const CaseResult& whole = first.cases[0];
  const CaseResult& part = second.cases[0];
  EXPECT_THAT(whole.rounds, SizeIs(30));
  EXPECT_EQ(whole.cut_rounds.back().start_ns, part.cut_rounds.back().start_ns + end_ns);
}

}  // namespace
}  // namespace normbench::cut_block_test
