#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"
#include "report/cause_text.h"
#include "sweep_fixture.h"

namespace normbench::thread_cause_text_test {
namespace {

using examples::make_case;

/// Two cases that normalise images: "one" takes 5.6 ms on one thread, "two" takes 3 ms on two
/// threads.
class Threads : public testing::Test {
 protected:
  Threads() : results_(examples::make_results("threads", {GroupResult{}})) {
    group().cases = {make_case({"one", 5.6}), make_case({"two", 3.0})};
    group().cases[1].threads = 2;
    group().baseline = "one";
  }

  GroupResult& group() { return results_.groups[0]; }
  Cause of_threads(int index) {
    const CaseAnalysis analysis = analyse_case({group(), results_}, index);
    return threads_cause({group(), analysis, index, results_}, 0.2);
  }
  Cause explained(int index) {
    const CaseAnalysis analysis = analyse_case({group(), results_}, index);
    return explain(group(), analysis, index, results_);
  }

  Results results_;
};

TEST_F(Threads, OneIsShownByTheCaseWithMore) {
  const Cause cause = of_threads(0);
  EXPECT_EQ(cause_text(cause).sentence(),
            "one thread. With 2 threads the same stages take 3.00 ms, 46 % of its time less.");
  EXPECT_TRUE(cause.proven);
  EXPECT_FALSE(of_threads(1));
}

TEST_F(Threads, OneIsNoCauseWhereMoreDoNotHelp) {
  group().cases[1].rounds = group().cases[0].rounds;
  EXPECT_FALSE(of_threads(0));
}

TEST_F(Threads, OneIsNoCauseWhereMoreChangesThanThreads) {
  group().cases[1].stages[0].output = OutputPolicy::Fresh;
  EXPECT_FALSE(of_threads(0));
}

TEST_F(Threads, OneIsShownByAStreamWithMore) {
  group().cases.pop_back();
  group().limits = {examples::make_limit("stream, 1 thread", 5.4, DType::Float32)};
  EXPECT_FALSE(of_threads(0));
  group().limits.push_back(examples::make_limit("stream, 2 threads", 3.0, DType::Float32));
  group().limits[1].threads = 2;
  EXPECT_THAT(cause_text(of_threads(0)).sentence(),
              testing::MatchesRegex("one thread\\. It is at 9. % of what one moves; 2 threads move "
                                    "1\\.8.x as much\\."));
  group().limits[0].rounds = examples::make_rounds(2.0, 3);  // one thread is no longer at its limit
  EXPECT_FALSE(of_threads(0));
}

TEST_F(Threads, FewerThatAreFasterAreTheCause) {
  group().cases[1].threads = 4;
  group().cases[0].rounds = examples::make_rounds(0.010, 1, 20, 0);
  group().cases[1].rounds = examples::make_rounds(0.030, 1, 20, 0);
  group().limits = {examples::make_limit("stream, 4 threads", 0.03, DType::Float32)};
  group().limits[0].threads = 4;
  const Cause cause = explained(1);
  EXPECT_EQ(cause_text(cause).sentence(),
            "too many threads. With 1 thread the same stages take 0.0100 ms, 67 % of its time "
            "less.");
  EXPECT_TRUE(cause.proven);
}

/// Two cases, and two limits: cases that measure the machine by streaming memory, one with one
/// thread and one with two. Each case takes about as long as the limit with as many threads.
class AtTheLimit : public Threads {
 protected:
  AtTheLimit() {
    group().limits = {examples::make_limit("stream, 1 thread", 5.6, DType::Float32),
                      examples::make_limit("stream, 2 threads", 5.58, DType::Float32)};
    group().limits[1].threads = 2;
    take(0, 5.6);
    take(1, 5.6);
  }

  void take(int index, double ms) {
    group().cases[index].rounds = examples::make_rounds(ms, index + 1);
  }
  std::string sentence(int index) { return cause_text(explained(index)).sentence(); }

  const std::string memory_ = "memory. 221 MB at 100 % of the limit";
};

TEST_F(AtTheLimit, OnlyFewerBytesAreFasterWhereNoThreadsAre) {
  results_.precision = 0.05;
  EXPECT_EQ(sentence(0), memory_ + ": only fewer bytes would be faster.");
}

TEST_F(AtTheLimit, TwoThreadsThatSaveLittleAreTheCauseAllTheSame) {
  take(1, 5.0);
  EXPECT_EQ(sentence(0),
            "one thread. With 2 threads the same stages take 5.01 ms, 11 % of its time less.");
}

TEST_F(AtTheLimit, AStreamOfTwoThreadsThatSavesLittleIsTheCauseAllTheSame) {
  group().cases.pop_back();
  group().limits[1].rounds = examples::make_rounds(5.0, 4);
  EXPECT_EQ(sentence(0),
            "one thread. It is at 100 % of what one moves; 2 threads move 1.12x as much.");
}

TEST_F(AtTheLimit, MoreThreadsThatMayBeFasterLeaveMoreThanBytes) {
  take(1, 5.0);
  for (CaseResult& result : group().cases) result.rounds.resize(3);  // too few rounds to be sure
  EXPECT_EQ(sentence(0), memory_ + ".");
}

TEST_F(AtTheLimit, AnotherWayToMoveTheSameBytesLeavesMoreThanBytes) {
  take(1, 5.0);
  group().cases[1].threads = 1;
  EXPECT_EQ(sentence(0), memory_ + ".");
  group().cases[1].source_bytes /= 4;
  results_.precision = 0.05;
  EXPECT_EQ(sentence(0), memory_ + ": only fewer bytes would be faster.");
}

TEST_F(AtTheLimit, FewerThreadsThatSaveLittleAreTheCauseAllTheSame) {
  take(0, 5.0);
  EXPECT_EQ(sentence(1),
            "too many threads. With 1 thread the same stages take 4.99 ms, 11 % of its time less.");
}

TEST_F(AtTheLimit, AStreamOfMoreThreadsThanTwoLeavesMoreThanBytes) {
  group().cases.erase(group().cases.begin());
  group().limits.push_back(examples::make_limit("stream, 4 threads", 4.0, DType::Float32));
  group().limits[2].threads = 4;
  EXPECT_EQ(sentence(0), "memory. 221 MB at 99 % of the limit.");
}

/// Two cases with teams of four threads, and a limit that streams memory. "eager" has two stages
/// and takes 30 us. "fused" takes 12 us, as long as the limit.
class Teams : public Threads {
 protected:
  Teams() {
    group().cases = {make_case({"eager", 0.030, DType::Float32, {{"sub"}, {"div"}}}),
                     make_case({"fused", 0.012})};
    group().limits = {examples::make_limit("stream, 4 threads", 0.012, DType::Float32)};
    for (auto* list : {&group().cases, &group().limits})
      for (CaseResult& result : *list) result.threads = 4;
    group().baseline = "eager";
  }

  void add_empty_team(double ms) {
    CaseResult& limit =
        group().limits.emplace_back(examples::make_limit("team", ms, DType::Float32));
    limit.stages[0].op = "launch";
    limit.threads = 4;
  }
  std::string sentence(int index) { return cause_text(explained(index)).sentence(); }
};

TEST_F(Teams, TheirStartIsPricedByEmptyOnes) {
  add_empty_team(0.009);
  EXPECT_EQ(
      sentence(0),
      "the start of its threads. 2 teams of 4 at 9.0 us, no more than an empty one takes, = 60 % "
      "of its time.");
  EXPECT_EQ(
      sentence(1),
      "the start of its threads. 1 team of 4 at 9.0 us, no more than an empty one takes, = 75 % "
      "of its time.");
}

TEST_F(Teams, AreNoCauseOfOtherNumbersOfThreads) {
  add_empty_team(0.009);
  group().limits[1].threads = 2;
  EXPECT_EQ(sentence(1), "");
}

TEST_F(Teams, NothingIsSaidWhereTheirStartIsNotKnownAndMayBeAll) {
  EXPECT_EQ(sentence(0), "");
  EXPECT_EQ(sentence(1), "");
  const GroupAnalysis analysis = analyse(group(), results_);
  EXPECT_EQ(analysis.verdict.outcome, Outcome::Winner);
  EXPECT_FALSE(analysis.verdict.at_limit);
}

TEST_F(Teams, MemoryExplainsWhatTheyDoNot) {
  add_empty_team(0.001);
  EXPECT_THAT(sentence(0), testing::StartsWith("extra passes over memory. It moves 2.00x"));
  EXPECT_THAT(sentence(1), testing::StartsWith("memory. 221 MB at 100 % of the limit"));
  EXPECT_EQ(analyse(group(), results_).verdict.at_limit, LimitKind::Memory);
}

TEST_F(Teams, OfLongCasesAreNotAskedFor) {
  group().cases[1].rounds = group().limits[0].rounds = examples::make_rounds(3, 1);
  EXPECT_THAT(sentence(1), testing::StartsWith("memory. "));
}

TEST(FixedPart, IsWhatTheFitHasBesideTheBytes) {
  const Results results = sweeps::along_batch({1, 8, 64}, {{"v", sweeps::linear(2, 0.1), 1e6, 0}});
  const auto cause = [&](std::size_t point) {
    const GroupResult& group = results.groups[point];
    return explain(group, analyse_case({group, results}, 0), 0, results);
  };
  EXPECT_EQ(cause_text(cause(0)).sentence(),
            "a fixed cost a batch. 2000 us however few bytes it moves, by the fit of its points, = "
            "95 % of its time.");
  EXPECT_FALSE(cause(2));
}

TEST(ConstantsCause, IsDecidedByTheCaseThatCachesThem) {
  Results results = examples::constants_reused();
  GroupResult& group = results.groups[0];
  const auto cause = [&] {
    const CaseAnalysis analysis = analyse_case({group, results}, 0);
    return constants_cause({group, analysis, 0, results});
  };
  group.profile = {{.variant = group.cases[0].variant,
                    .rows = {{.name = "constants",
                              .place = Place::Cpu,
                              .shapes = "",
                              .constants = true,
                              .self_cpu_ns = 1,
                              .cpu_ns = 1}}}};
  EXPECT_FALSE(cause());  // cached constants save nothing, whatever the profile says
  group.cases[0].rounds = examples::make_rounds(16.2, 4);
  EXPECT_EQ(cause_text(cause()).sentence(),
            "constants. Preparing them on every call takes 33 % of its time; cached, the same ops "
            "take 10.8 ms.");
  EXPECT_TRUE(cause().proven);
}

}  // namespace
}  // namespace normbench::thread_cause_text_test
