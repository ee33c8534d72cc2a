/// Tests of peers (processes of other programs) that run the user's own code.
#include "measure/peer_fixture.h"

namespace normbench::peer_own_code_test {
namespace {

using testing::ElementsAre;

struct PeerOwnCodeTest : RunTest {
  /// Runs a variant with these stages in the peer tiny(how).
  CaseResult result(const std::string& stages, const std::string& how = "right",
                    double seconds = 0) {
    PlanOptions options;
    options.allow_peers = true;
    plan = make_plan("own.json",
                     R"({"schema": 1, "name": "own", "peers": {"tiny": ["tiny"]},
                         "experiments": [{"name": "e",
                         "source": {"dtype": "uint8", "batch": 2, "size": [2, 2]},
                         "variants": {"v": {"peer": "tiny", "stages": [)" +
                         stages + "]}}}]}",
                     backends, options);
    plan.measure.max_seconds_per_group = seconds;
    plan.measure.turn_timeout_seconds = 20;
    plan.profile.enabled = false;
    plan.peers["tiny"] = tiny(how);
    return run_plan().groups.at(0).cases.at(0);
  }
};

constexpr const char* batches =
    R"({"op": "batches", "batch": 2, "size": [2, 2], "dtype": "uint8"})";

TEST_F(PeerOwnCodeTest, SaysWhatItGave) {
  const CaseResult loop = result(std::string(batches) + R"(, "step")");
  EXPECT_EQ(loop.status, Status::Ok) << loop.reason;
  EXPECT_EQ(loop.given, (GivenResult{.dtype = "float32",
                                     .device = "cpu",
                                     .shape = {2, 3, 2, 2},
                                     .bytes = 96,
                                     .batch_bytes = 96,
                                     .workers = 2}));
  EXPECT_EQ(loop.check.held_to, HeldTo::Nothing);
  EXPECT_TRUE(loop.check.ok);
  EXPECT_THAT(loop.notes, testing::Contains("not checked: batches, step are your own code"));
  EXPECT_FALSE(loop.rounds.empty());
  EXPECT_FALSE(loop.source.has_value());
}

TEST_F(PeerOwnCodeTest, CountsTheImagesThatItGave) {
  const CaseResult loop = result(std::string(batches) + R"(, "step")", "gives 5");
  EXPECT_EQ(loop.given.value().shape.front(), 5);
  EXPECT_EQ(loop.images, 5);  // the config says 2
  const CaseResult transformed = result(R"("source", "transform")", "gives 50");
  EXPECT_EQ(transformed.images, transformed.source.value().shape.n);  // images that went in
}

TEST_F(PeerOwnCodeTest, TransformsASource) {
  const CaseResult transformed = result(R"("source", {"op": "transform", "dtype": "float32"})");
  EXPECT_EQ(transformed.status, Status::Ok) << transformed.reason;
  EXPECT_EQ(transformed.given.value().workers, std::nullopt);
  EXPECT_THAT(transformed.notes, testing::Contains("not checked: transform is your own code"));
}

TEST_F(PeerOwnCodeTest, TakesTurnsOfWholeEpochs) {
  observer.on_round = [&](int) { interrupted = true; };
  const CaseResult loop = result(batches, "epochs 700", 1000);
  EXPECT_GT(loop.iterations, 0);
  EXPECT_EQ(loop.iterations % 700, 0);
}

TEST_F(PeerOwnCodeTest, SaysThatATurnIsAPartOfAnEpoch) {
  const CaseResult loop = result(batches, "epochs 700");  // no time for more than one batch a turn
  EXPECT_EQ(loop.iterations, 1);
  EXPECT_THAT(loop.notes, testing::Contains(
                              "v: a turn takes 1 of the 700 batches of an epoch, so the start of "
                              "the loader, which your loop has once an epoch, weighs 700 times as "
                              "much (a longer time limit mends that)"));
}

TEST_F(PeerOwnCodeTest, FailsIfThePeerDoesNotSayWhatItGave) {
  const CaseResult failed = result(batches, "error output");
  EXPECT_EQ(failed.status, Status::Failed);
  EXPECT_EQ(failed.reason, "peer tiny: out of luck");
}

}  // namespace
}  // namespace normbench::peer_own_code_test
