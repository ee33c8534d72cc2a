/// Tests which limits take no turns because their group has little time. A limit is a case that
/// measures a limit of the machine, such as the streaming of memory.
#include "measure/measure_group.h"
#include "measure/run_fixture.h"
#include "ops/stream.h"

namespace normbench::slow_streams_test {
namespace {

using testing::ElementsAre;

/// A group with a case of 100 ms and seven limits. Four limits are streams of the same bytes, one
/// is a stream of other bytes, and two are no streams. Of the four streams, the third is the
/// fastest.
struct SlowStreamsTest : RunTest {
  SlowStreamsTest() {
    fake->rows[0].cost_ns = 100'000'000;
    fake->rows[1].cost_ns = 40'000'000;
    fake->rows[2].cost_ns = 30'000'000;
    fake->rows[3].cost_ns = 10'000'000;
    fake->rows[4].cost_ns = 20'000'000;
    std::vector<Case> limits;
    for (int row = 1; row <= 4; ++row)
      limits.push_back(
          stream(fmt::format("stream {}", row), {.read_parts = 1, .write_parts = 4}, row));
    limits.push_back(stream("other bytes", {.read_parts = 1, .write_parts = 2}, 1));
    limits.push_back(cast_case("no stream", 1));
    limits.push_back(cast_case("another", 1));
    add_group({cast_case("case", 0)}, std::move(limits));
  }

  Case stream(const std::string& name, Stream bytes, int row) {
    return make_case(name, {{.op = bytes, .row = row}});
  }

  /// Runs the plan with this time limit, in seconds. Returns the limits that took turns.
  std::vector<std::string> measured(double seconds) {
    plan.measure.max_seconds_per_group = seconds;
    plan.measure.precision = 1e-9;
    std::vector<std::string> names;
    group = run_plan().groups.front();
    for (const CaseResult& limit : group.limits)
      if (limit.status == Status::Ok) names.push_back(limit.variant);
    return names;
  }

  GroupResult group;
};

TEST_F(SlowStreamsTest, AllTakeTurnsWhereThereIsTime) {
  EXPECT_THAT(measured(60), testing::SizeIs(7));
}

TEST_F(SlowStreamsTest, TheFastestTwoOfTheSameBytesStayWhereTheTimeIsShort) {
  EXPECT_THAT(measured(0.5),
              ElementsAre("stream 3", "stream 4", "other bytes", "no stream", "another"));
  const CaseResult& left_out = group.limits[0];
  EXPECT_EQ(left_out.status, Status::Skipped);
  EXPECT_EQ(left_out.reason,
            "other streams of the same bytes were faster when it was tried, and there was no time "
            "for all of them");
  EXPECT_TRUE(left_out.rounds.empty());
}

TEST_F(SlowStreamsTest, StreamsInTheCacheAndOnOtherThreadsAreOfAnotherKind) {
  Group& both = plan.groups.front();
  for (const int row : {1, 2}) {  // slower than the others
    Case resident =
        stream(fmt::format("stream {}, in cache", row), {.read_parts = 1, .write_parts = 4}, row);
    resident.resident = true;
    both.limits.push_back(resident);
    Case threads =
        stream(fmt::format("stream {}, 2 threads", row), {.read_parts = 1, .write_parts = 4}, row);
    threads.threads = 2;
    both.limits.push_back(threads);
  }
  EXPECT_THAT(measured(0.5), testing::IsSupersetOf({"stream 3", "stream 4", "stream 1, in cache",
                                                    "stream 2, in cache", "stream 1, 2 threads",
                                                    "stream 2, 2 threads"}));
}

TEST_F(SlowStreamsTest, MoreOfThemStayWhereTheGroupThenEndsSooner) {
  // The group gets 6 cases, and 4 streams of each of two kinds. If only two streams of each kind
  // took turns, there would be 10 contenders. A block has as many rounds as contenders, and at
  // least 12 rounds are needed, so 10 contenders need 20 rounds. With three streams of each kind
  // there are 12 contenders, which need only 12 rounds.
  Group& crowd = plan.groups.front();
  crowd.limits.clear();
  for (const std::int64_t parts : {2, 4})
    for (int row = 1; row <= 4; ++row)
      crowd.limits.push_back(stream(fmt::format("{} of {}", row, parts),
                                    {.read_parts = 1, .write_parts = parts}, row));
  for (int i = 1; i < 6; ++i) crowd.cases.push_back(cast_case(fmt::format("case {}", i), 0));
  EXPECT_THAT(measured(0.5),
              ElementsAre("2 of 2", "3 of 2", "4 of 2", "2 of 4", "3 of 4", "4 of 4"));
  EXPECT_EQ(group.order.size(), 12u);
}

TEST_F(SlowStreamsTest, ThoseLeftOutAreLeftOutInEachProcessAndAfterAResume) {
  measured(0.5);
  GroupResult first = group;
  first.stop.reset();  // as if the run had been interrupted after these rounds
  plan.measure.max_seconds_per_group = 60;
  const Part in_another_process{.index = 1, .first = &first};
  const auto rounds = first.order.size();
  const Part resumed{
      .index = static_cast<std::int64_t>(rounds), .first = &first, .rounds = rounds, .seconds = 1};
  ProfilerCapture capture(backends, false, 60, on_stuck);
  for (const Part& part : {in_another_process, resumed}) {
    RunContext context = context_of(part, capture);
    const auto more = measure_group(plan, 0, context, 0);
    ASSERT_TRUE(more);
    EXPECT_FALSE(more->order.empty());
    for (std::size_t i = 0; i < first.limits.size(); ++i) {
      EXPECT_EQ(more->limits[i].status, first.limits[i].status) << i;
      EXPECT_EQ(more->limits[i].reason, first.limits[i].reason) << i;
    }
  }
}

}  // namespace
}  // namespace normbench::slow_streams_test
