/// Tests of groups in which peers (processes of other programs) run some of the cases.
#include <fmt/ranges.h>

#include <thread>

#include "document/results.h"
#include "measure/peer_fixture.h"

namespace normbench::peer_group_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct PeerGroupTest : RunTest {
  PeerGroupTest() {
    plan.measure.max_seconds_per_group = 0;
    plan.measure.turn_timeout_seconds = 20;
  }
  ~PeerGroupTest() override {
    EXPECT_THAT(children(), IsEmpty());
    EXPECT_THAT(peer_folders(), IsEmpty());
  }

  /// Returns a case that the peer tiny(how) runs.
  Case peer_case(const std::string& how) {
    Case planned = cast_case("peer " + how, 0);
    planned.peer = how;
    planned.stages[0].kernel = nullptr;
    plan.peers[how] = tiny(how);
    return planned;
  }
  void expect_unharmed(const GroupResult& group, std::size_t index) {
    EXPECT_EQ(group.cases[index].status, Status::Ok) << group.cases[index].reason;
    EXPECT_EQ(group.cases[index].rounds.size(), group.order.size());
    EXPECT_TRUE(group.cases[index].check.ok);
  }
};

TEST_F(PeerGroupTest, TakesItsTurnInEveryRound) {
  add_group({cast_case("ours", 0), peer_case("right")}, {cast_case("limit", 1)});
  const GroupResult group = run_plan().groups[0];
  expect_unharmed(group, 0);
  expect_unharmed(group, 1);
  for (const auto& round : group.order) EXPECT_THAT(round, testing::UnorderedElementsAre(0, 1, 2));
  const CaseResult& peer = group.cases[1];
  EXPECT_EQ(peer.peer, "right");
  EXPECT_EQ(peer.peer_version, "tiny 1.5");
  EXPECT_EQ(peer.stages[0].kernel, "");
  EXPECT_EQ(peer.rounds[0].counters.minor_faults, 12);
  // A peer does not time stages, but the time of its only stage is known: it is the time of the
  // round.
  EXPECT_EQ(peer.stages[0].rounds_ns.size(), group.order.size());
  EXPECT_GT(peer.first_call_ns, 0);
  EXPECT_GT(peer.iterations, 1);
  EXPECT_EQ(group.cases[0].peer, "");
  EXPECT_EQ(group.cases[0].peer_version, "");
}

TEST_F(PeerGroupTest, PeersMayBeAllThereIs) {
  add_group({peer_case("right"), peer_case("spans 1")});
  const GroupResult group = run_plan().groups[0];
  expect_unharmed(group, 0);
  expect_unharmed(group, 1);
}

TEST_F(PeerGroupTest, BrokenOnesFailAlone) {
  plan.measure.turn_timeout_seconds = 0.5;
  add_group({cast_case("ours", 0), peer_case("die run"), peer_case("hang output"),
             peer_case("wrong later"), peer_case("right")});
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(group.cases[1].reason,
              HasSubstr("peer die run ended with exit code 3 after `run`; its stderr: "));
  EXPECT_EQ(group.cases[2].reason, "peer hang output: no answer to `output` within 0.5 s");
  EXPECT_THAT(group.cases[3].reason, HasSubstr("wrong output: error 1"));
  for (const std::size_t failed : {1u, 2u, 3u}) {
    EXPECT_EQ(group.cases[failed].status, Status::Failed);
    EXPECT_THAT(group.cases[failed].rounds, IsEmpty());
  }
  expect_unharmed(group, 0);
  expect_unharmed(group, 4);
}

TEST_F(PeerGroupTest, OnesThatCannotAreSkipped) {
  add_group({cast_case("ours", 0), peer_case("unavailable"), peer_case("unsupported")});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Skipped);
  EXPECT_EQ(group.cases[1].reason, "peer unavailable: it is not installed (run setup)");
  EXPECT_EQ(group.cases[1].peer_version, "");
  EXPECT_EQ(group.cases[2].status, Status::Skipped);
  EXPECT_EQ(group.cases[2].reason, "peer unsupported: tiny has no op \"cast\"");
  EXPECT_EQ(group.cases[2].peer_version, "tiny 1.5");
  expect_unharmed(group, 0);
}

TEST_F(PeerGroupTest, TheWatchdogIsForWorkInThisProcess) {
  std::string hung;
  watchdog.emplace(0.1, [&](std::size_t, const std::string& contender) { hung = contender; });
  add_group({peer_case("late hello")});
  expect_unharmed(run_plan().groups[0], 0);
  EXPECT_EQ(hung, "");
}

TEST_F(PeerGroupTest, AnInterruptDoesNotWaitForAPeer) {
  add_group({cast_case("ours", 0), peer_case("hang prepare")});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    interrupted = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const Results results = run_plan();
  later.join();
  EXPECT_TRUE(results.interrupted);
  EXPECT_THAT(results.groups, IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(PeerGroupTest, AGroupOfPeersThatIsInterruptedIsNotKept) {
  add_group({peer_case("hang output")});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    interrupted = true;
  });
  const Results results = run_plan();
  later.join();
  EXPECT_TRUE(results.interrupted);
  EXPECT_THAT(results.groups, IsEmpty());
}

TEST_F(PeerGroupTest, PeersAreNotProfiled) {
  plan.profile.enabled = true;
  std::vector<std::string> profiled;
  on_profile = [&](ProfileTrace trace, CaseProfile&) { profiled.push_back(trace.variant); };
  add_group({cast_case("ours", 0), peer_case("right")});
  const GroupResult group = run_plan().groups[0];
  EXPECT_THAT(profiled, ElementsAre("ours"));
  EXPECT_THAT(group.cases[1].notes,
              ElementsAre("right is given the same input in every call: a result that it only "
                          "remembered would pass"));
  expect_unharmed(group, 1);
}

TEST_F(PeerGroupTest, DocumentsKeepThePeer) {
  add_group({cast_case("ours", 0), peer_case("right")});
  const Results results = run_plan();
  const Json cases = to_json(results.groups[0]).at("cases");
  EXPECT_FALSE(cases[0].contains("peer"));
  EXPECT_FALSE(cases[0].contains("peer_version"));
  EXPECT_EQ(cases[1].at("peer"), "right");
  EXPECT_EQ(cases[1].at("peer_version"), "tiny 1.5");
  EXPECT_EQ(read_group(to_json(results.groups[0])), results.groups[0]);
}

}  // namespace
}  // namespace normbench::peer_group_test
