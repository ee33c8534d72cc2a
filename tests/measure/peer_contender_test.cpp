#include <gmock/gmock.h>

#include "measure/contender.h"
#include "measure/peer/contender.h"
#include "measure/peer_fixture.h"

namespace normbench::peer_contender_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Tests of a single PeerContender, which lets a peer (a process of another program) run a case.
/// The case casts uint8 to float32.
struct PeerContenderTest : RunTest {
  PeerContenderTest() { limits.end_seconds = 0.3; }
  ~PeerContenderTest() override {
    EXPECT_THAT(children(), IsEmpty());
    EXPECT_THAT(peer_folders(), IsEmpty());
  }

  Case peer_case(const std::vector<FakeStage>& stages) {
    Case planned = make_case("tiny", stages);
    planned.peer = "tiny";
    for (Stage& stage : planned.stages) stage.kernel = nullptr;
    return planned;
  }
  RunContext make_context() {
    return {.backends = backends,
            .clock = system,
            .recorder = recorder,
            .watchdog = *watchdog,
            .observer = observer,
            .interrupted = interrupted,
            .cache_bytes = cache_bytes,
            .on_profile = {}};
  }
  /// Runs all steps of the only case of a group with the peer tiny(how). Returns the message of a
  /// thrown error, the reason of a failed check, or "" if all steps succeed.
  std::string outcome(const std::string& how) {
    RunContext context = make_context();
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan.measure, backends, cache_bytes);
    try {
      PeerContender peer(planned, tiny(how), limits, memory, context);
      version = peer.version();
      peer.prepare();
      first_ns = peer.first_call();
      if (const CheckOutcome check = peer.check(); !check.result.ok) return check.reason;
      shape = peer.shape_of_turns(20);
      std::mt19937_64 random;
      turn = peer.take_turn(shape, random);
      peer.last_call();
      const CheckOutcome check = peer.check();
      return check.result.ok ? "" : check.reason;
    } catch (const CannotRunHere& reason) {
      return std::string("skipped: ") + reason.what();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  SystemClock system;
  PeerLimits limits;
  Case planned = peer_case({{.op = Cast{}}});
  std::string version;
  std::int64_t first_ns = 0;
  TurnShape shape;
  Turn turn;
};

TEST_F(PeerContenderTest, TakesTurns) {
  EXPECT_EQ(outcome("right"), "");
  EXPECT_EQ(version, "tiny 1.5");
  EXPECT_GT(first_ns, 0);
  EXPECT_GT(shape.iterations, 1);  // an iteration takes microseconds, so a turn has many
  EXPECT_TRUE(shape.marks);
  EXPECT_GT(turn.round.wall_ns, 0);
  EXPECT_EQ(turn.round.cpu_ns, turn.round.wall_ns / 2);
  EXPECT_EQ(turn.round.counters, (Counters{.minor_faults = 12, .major_faults = 1}));
  EXPECT_EQ(turn.round.device_ns, 0);
  EXPECT_THAT(turn.stage_ns, IsEmpty());
}

TEST_F(PeerContenderTest, IsAskedAsTheProtocolSays) {
  const std::string log = testing::TempDir() + "tiny_peer_log";
  std::filesystem::remove(log);
  setenv("TINY_PEER_LOG", log.c_str(), 1);
  plan.measure.cache = Cache::Cold;
  EXPECT_EQ(outcome("right"), "");
  unsetenv("TINY_PEER_LOG");
  std::ifstream in(log);
  std::vector<Json> asked;
  for (std::string line; std::getline(in, line);) asked.push_back(Json::parse(line));
  ASSERT_GE(asked.size(), 7u);
  std::vector<std::string> types;
  for (const Json& one : asked)
    if (one.at("type") != "run" || types.back() != "run") types.push_back(one.at("type"));
  EXPECT_THAT(types,
              testing::ElementsAre("hello", "prepare", "run", "output", "run", "output", "close"));
  EXPECT_EQ(asked[0].at("protocol"), 1);
  // The peer makes so many copies of the source that they exceed three times the cache of 1 KiB.
  // The source of 120 bytes takes 128 bytes in cache lines of 64 bytes.
  EXPECT_EQ(asked[1].at("copies"), 3 * 1024 / 128 + 1);
  EXPECT_EQ(asked[1].at("stages").size(), 1u);
  EXPECT_EQ(asked[2], Json({{"type", "run"}, {"iterations", 1}, {"warmup_ns", 0}}));
  EXPECT_EQ(asked[4].at("warmup_ns"), 1'000'000);
  EXPECT_EQ(asked[asked.size() - 3].at("iterations"), shape.iterations);
}

TEST_F(PeerContenderTest, SpansOfAllStagesAreStageTimes) {
  const std::vector<FakeStage> two{{.op = Cast{}}, {.op = Cast{}}};
  planned = peer_case(two);
  EXPECT_EQ(outcome("spans 2"), "");
  EXPECT_THAT(turn.stage_ns, testing::ElementsAre(turn.round.wall_ns / 4, turn.round.wall_ns / 4));
  EXPECT_EQ(turn.calls_ns, turn.stage_ns);
  EXPECT_EQ(outcome("spans 1"), "");
  EXPECT_THAT(turn.stage_ns, IsEmpty());
  EXPECT_THAT(outcome("spans 3"), StartsWith("peer tiny answered `run` wrongly: /spans/2: "));
  EXPECT_THAT(outcome("longspans"), HasSubstr(" reports spans of "));
}

TEST_F(PeerContenderTest, SaysWhatItCannot) {
  EXPECT_EQ(outcome("unavailable"), "skipped: peer tiny: it is not installed (run setup)");
  EXPECT_EQ(outcome("unsupported"), "skipped: peer tiny: tiny has no op \"cast\"");
  EXPECT_EQ(version, "tiny 1.5");
}

TEST_F(PeerContenderTest, OtherVersionsOfTheProtocolFail) {
  EXPECT_EQ(outcome("newer"), "peer tiny uses protocol 2, but this normbench uses 1");
}

TEST_F(PeerContenderTest, MayBeSlowAndChatty) {
  limits.turn_seconds = 20;
  for (const char* request : {"hello", "prepare", "output"}) {
    EXPECT_EQ(outcome(std::string("late ") + request), "");
    EXPECT_EQ(outcome(std::string("chatty ") + request), "");
  }
  EXPECT_EQ(outcome("chatty run"), "");
}

TEST_F(PeerContenderTest, HangingAnywhereFails) {
  limits = {.hello_seconds = 5, .prepare_seconds = 0.3, .turn_seconds = 0.3, .end_seconds = 0.3};
  for (const char* request : {"prepare", "run", "output"})
    EXPECT_EQ(outcome(std::string("hang ") + request),
              fmt::format("peer tiny: no answer to `{}` within 0.3 s", request));
  limits.hello_seconds = 0.5;
  EXPECT_EQ(outcome("hang hello"), "peer tiny: no answer to `hello` within 0.5 s");
}

TEST_F(PeerContenderTest, DyingAnywhereFails) {
  for (const char* request : {"hello", "prepare", "run", "output"}) {
    EXPECT_EQ(outcome(std::string("die ") + request),
              fmt::format("peer tiny ended with exit code 3 after `{}`; its stderr: \"first\" "
                          "\"the last words\"",
                          request));
    EXPECT_EQ(outcome(std::string("orphan ") + request),
              fmt::format("peer tiny ended with exit code 4 after `{}`", request));
  }
  EXPECT_EQ(outcome("kill run"), "peer tiny ended with signal 9 (Killed) after `run`");
  EXPECT_EQ(outcome("die close"), "");
}

TEST_F(PeerContenderTest, GarbageAnywhereFails) {
  for (const char* request : {"hello", "prepare", "run", "output"}) {
    EXPECT_EQ(outcome(std::string("garbage ") + request),
              fmt::format("peer tiny answered `{}` with no JSON: \"Traceback (most recent call "
                          "last):\"",
                          request));
    EXPECT_EQ(outcome(std::string("error ") + request), "peer tiny: out of luck");
    EXPECT_THAT(outcome(std::string("huge ") + request),
                StartsWith(fmt::format("peer tiny answered `{}` with a line of more than 1 MiB: "
                                       "\"xxx",
                                       request)));
    EXPECT_EQ(outcome(std::string("mute ") + request),
              fmt::format("peer tiny closed its output after `{}`", request));
  }
  EXPECT_EQ(outcome("twice prepare"), "peer tiny answered `prepare` without a \"type\": \"{}\"");
}

TEST_F(PeerContenderTest, TimesThatCannotBeFail) {
  EXPECT_THAT(
      outcome("boast"),
      testing::MatchesRegex("peer tiny reports 1[0-9.,]+ ms for a turn that took [0-9.]+ ms"));
  EXPECT_EQ(outcome("nothing"), "peer tiny reports 0 ns for a turn");
}

TEST_F(PeerContenderTest, WrongPixelsFail) {
  EXPECT_THAT(outcome("wrong"), StartsWith("wrong output: error 1 at [0, 0, 1, 2], bound "));
  EXPECT_THAT(outcome("wrong later"), StartsWith("wrong output: error 1 at [0, 0, 1, 2]"));
  EXPECT_GT(turn.round.wall_ns, 0);
}

TEST_F(PeerContenderTest, OtherArraysThanTheCasesFail) {
  EXPECT_THAT(outcome("shape"), HasSubstr("peer tiny wrote /"));
  EXPECT_THAT(outcome("shape"), HasSubstr("/output.npy: the file has the shape (2, 3, 4, 1), "));
}

TEST_F(PeerContenderTest, LayoutsAreTheOrderOfTheArray) {
  Source source = small_source();
  source.layout = Layout::Nhwc;
  planned = fake_case(*fake, "tiny", source, {{.op = Cast{}}});
  planned.peer = "tiny";
  EXPECT_EQ(outcome("right"), "");
}

TEST_F(PeerContenderTest, OneThatIgnoresTheEndIsKilled) {
  const auto start = system.now_ns();
  EXPECT_EQ(outcome("ignore"), "");
  EXPECT_LT(system.now_ns() - start, 10'000'000'000);
}

TEST_F(PeerContenderTest, CannotBeStarted) {
  RunContext context = make_context();
  const Case* const cases[] = {&planned};
  GroupMemory memory(cases, plan.measure, backends, cache_bytes);
  const PeerCommand absent{.argv = {"/absent/peer"}, .directory = "/"};
  try {
    const PeerContender peer(planned, absent, limits, memory, context);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "peer tiny cannot be started: /absent/peer: No such file or directory");
  }
}

}  // namespace
}  // namespace normbench::peer_contender_test
