#include <gmock/gmock.h>

#include "analysis/sweep/trends.h"
#include "example_results.h"

namespace normbench::claims_test {
namespace {

using enum Judgement::Outcome;

Claim claim(const std::string& left, Relation relation, const std::string& right) {
  return {.text = "it", .left = left, .relation = relation, .right = right};
}

Judgement judged(const Claim& one, const Results& results = examples::tie()) {
  Results with = results;
  with.groups[0].claims = {one};
  return analyse(with.groups[0], with).verdict.claims.at(0);
}

Judgement::Outcome sized(const std::string& left, Relation relation, const std::string& right,
                         ClaimedRatio ratio, const Results& results = examples::tie()) {
  Claim one = claim(left, relation, right);
  one.ratio = ratio;
  return judged(one, results).outcome;
}

TEST(Claims, AreJudgedByPairs) {
  const auto outcome = [](const std::string& left, Relation relation, const std::string& right) {
    return judged(claim(left, relation, right)).outcome;
  };
  EXPECT_EQ(outcome("one", Relation::Less, "slow"), Confirmed);
  EXPECT_EQ(outcome("slow", Relation::Less, "one"), Contradicted);
  EXPECT_EQ(outcome("slow", Relation::More, "one"), Confirmed);
  EXPECT_EQ(outcome("one", Relation::Equal, "other"), Confirmed);
  EXPECT_EQ(outcome("one", Relation::Less, "other"), Contradicted);
  EXPECT_EQ(outcome("one", Relation::Less, "gone"), NotRun);
}

TEST(Claims, ASideThatFailedIsNotTakenForOneThatCannotRun) {
  Results results = examples::tie();
  results.groups[0].cases[0].status = Status::Failed;
  const std::string failed = results.groups[0].cases[0].variant;
  const std::string other = results.groups[0].cases[1].variant;
  EXPECT_EQ(judged(claim(failed, Relation::Less, other), results).outcome,
            Judgement::Outcome::Failed);
  results.groups[0].cases[0].status = Status::Skipped;
  EXPECT_EQ(judged(claim(failed, Relation::Less, other), results).outcome, NotRun);
}

// In examples::tie(), "slow" takes 1.80 times as long as "one".
TEST(Claims, ASizeIsHeldToTheInterval) {
  EXPECT_EQ(sized("one", Relation::Less, "slow", {1.8, 1.8}), Confirmed);
  EXPECT_EQ(sized("slow", Relation::More, "one", {1.8, 1.8}), Confirmed);
  EXPECT_EQ(sized("one", Relation::Less, "slow", {1.95, 1.95}), Confirmed);  // within 10 % of 1.80
  EXPECT_EQ(sized("one", Relation::Less, "slow", {1.7, 1.9}), Confirmed);
  EXPECT_EQ(sized("one", Relation::Less, "slow", {30, 30}), DirectionOnly);
  EXPECT_EQ(sized("one", Relation::Less, "slow", {1.1, 1.1}), DirectionOnly);
  EXPECT_EQ(sized("one", Relation::Less, "slow", {1.9, 2}), DirectionOnly);
  EXPECT_EQ(sized("slow", Relation::Less, "one", {1.8, 1.8}), Contradicted);
  EXPECT_EQ(sized("one", Relation::Less, "other", {1.8, 1.8}), Contradicted);  // a tie
  EXPECT_EQ(sized("one", Relation::Less, "gone", {1.8, 1.8}), NotRun);
}

/// Sets the round's wall time and CPU time to `ns`.
void take(Round& round, std::int64_t ns) { round.wall_ns = round.cpu_ns = ns; }

TEST(Claims, NoiseAcrossTheBorderIsInconclusive) {
  const auto outcome = [](Interval size, ClaimedRatio ratio) { return held_against(size, ratio); };
  EXPECT_EQ(outcome({2, 1.9, 2.1}, {2, 2}), Confirmed);
  EXPECT_EQ(outcome({2, 1.8, 2.2}, {2, 2}), Confirmed);  // exactly 2 - 10 % to 2 + 10 %
  EXPECT_EQ(outcome({2, 1.79, 2.1}, {2, 2}), Inconclusive);
  EXPECT_EQ(outcome({2.1, 2, 2.21}, {2, 2}), Inconclusive);
  EXPECT_EQ(outcome({2, 1.2, 3.1}, {2, 2}), Inconclusive);
  EXPECT_EQ(outcome({2.3, 2.21, 2.4}, {2, 2}), DirectionOnly);
  EXPECT_EQ(outcome({1.7, 1.6, 1.79}, {2, 2}), DirectionOnly);
  EXPECT_EQ(outcome({3.7, 3.6, 3.9}, {3.5, 4}), Confirmed);
  EXPECT_EQ(outcome({3.7, 3.4, 3.9}, {3.5, 4}), Inconclusive);

  Results wide = examples::tie();
  for (CaseResult& one : wide.groups[0].cases)
    if (one.variant == "slow")
      for (std::size_t i = 0; i < one.rounds.size(); ++i)
        take(one.rounds[i],
             one.rounds[i].wall_ns + one.rounds[i].wall_ns / 3 * static_cast<std::int64_t>(i % 2));
  EXPECT_EQ(sized("one", Relation::Less, "slow", {2.1, 2.1}, wide), Inconclusive);
}

TEST(Claims, AnotherProcessWidensTheInterval) {
  Pair pair{.a = 0, .b = 1, .ratio = {0.5, 0.48, 0.52}, .process_effect = 0};
  EXPECT_NEAR(claimed_ratio(pair, Relation::Less).low, 1 / 0.52, 1e-12);
  EXPECT_NEAR(claimed_ratio(pair, Relation::More).high, 0.52, 1e-12);
  pair.process_effect = 0.05;
  EXPECT_NEAR(claimed_ratio(pair, Relation::Less).low, 1 / 0.52 / 1.05, 1e-12);
  EXPECT_NEAR(claimed_ratio(pair, Relation::Less).high, 1 / 0.48 * 1.05, 1e-12);
  EXPECT_NEAR(claimed_ratio(pair, Relation::More).high, 0.52 * 1.05, 1e-12);
}

// A ratio of 1.04 is within the margin of 5 % (the precision), so the cases count as equal. A claim
// that the ratio is 1.04 is still confirmed.
TEST(Claims, ASmallSizeIsNoContradiction) {
  Results results = examples::tie();
  results.precision = 0.05;
  for (CaseResult& one : results.groups[0].cases)
    if (one.variant == "other")
      for (std::size_t i = 0; i < one.rounds.size(); ++i)
        take(one.rounds[i], results.groups[0].cases[1].rounds[i].wall_ns * 104 / 100);
  ASSERT_EQ(results.groups[0].cases[1].variant, "one");
  EXPECT_EQ(sized("one", Relation::Less, "other", {1.04, 1.04}, results), Confirmed);
  EXPECT_EQ(sized("one", Relation::Less, "other", {1.5, 1.5}, results), Contradicted);
}

// The interval of a tie may be so wide that it contains ratios beyond the margin of 5 % (the
// precision). A claim that one case is faster is then not contradicted.
TEST(Claims, AWideTieIsNoContradiction) {
  Results results = examples::tie();
  results.precision = 0.05;
  CaseResult &one = results.groups[0].cases[1], &other = results.groups[0].cases[2];
  ASSERT_EQ(one.variant, "one");
  ASSERT_EQ(other.variant, "other");
  const auto outcome = [&](std::int64_t percent, Relation relation) {
    // A quarter of the rounds of "other" is slower by `percent`, and a quarter is faster.
    for (std::size_t i = 0; i < one.rounds.size(); ++i)
      take(other.rounds[i],
           one.rounds[i].wall_ns * (100 + (i % 4 == 0) * percent - (i % 4 == 1) * percent) / 100);
    return judged(claim("one", relation, "other"), results).outcome;
  };
  EXPECT_EQ(outcome(3, Relation::Less), Contradicted);
  EXPECT_EQ(outcome(8, Relation::Less), Inconclusive);
  EXPECT_EQ(outcome(8, Relation::More), Inconclusive);
  EXPECT_EQ(outcome(8, Relation::Equal), Confirmed);
}

TEST(Claims, WithinLeavesRoomForAnotherProcess) {
  const auto outcome = [](double ratio, double within) {
    Results results = examples::tie();
    GroupResult& group = results.groups[0];
    for (CaseResult& one : group.cases)
      if (one.variant == "other") {
        one.peer = "torch";
        for (std::size_t i = 0; i < one.rounds.size(); ++i)
          one.rounds[i].wall_ns =
              std::llround(static_cast<double>(group.cases[1].rounds[i].wall_ns) * ratio);
      }
    Claim claimed = claim("other", Relation::Equal, "one");
    claimed.within = within;
    return judged(claimed, results).outcome;
  };
  EXPECT_EQ(outcome(1.07, 0.05), Inconclusive);
  EXPECT_EQ(outcome(1.09, 0.10), Inconclusive);
  EXPECT_EQ(outcome(1.04, 0.10), Confirmed);
  EXPECT_EQ(outcome(1.2, 0.10), Contradicted);
}

TEST(Claims, EqualWithinWhatIsSaid) {
  const auto outcome = [](const std::string& right, double within,
                          const Results& results = examples::tie()) {
    Claim one = claim("one", Relation::Equal, right);
    one.within = within;
    return judged(one, results).outcome;
  };
  EXPECT_EQ(outcome("other", 0.05), Confirmed);
  EXPECT_EQ(outcome("other", 0.0001), Inconclusive);  // the rounds do not resolve 0.01 %
  EXPECT_EQ(outcome("slow", 0.05), Contradicted);
  EXPECT_EQ(outcome("slow", 1), Confirmed);  // 1.80x is within a factor of two
  EXPECT_EQ(outcome("other", 0.01, examples::inconclusive()), Inconclusive);
}

TEST(Claims, AreOfTheirPoint) {
  Results results = examples::swept();  // batches 1, 8 and 64
  const std::string threads = "fused, 2 threads [memory=pageable_huge]";
  Claim one = claim(threads, Relation::Less, "fused");
  one.point = {{"batch", 8}, {"memory", "pageable_huge"}};
  std::vector<Judgement::Outcome> outcomes;
  for (GroupResult& group : results.groups) {
    group.claims = {one};
    outcomes.push_back(analyse(group, results).verdict.claims.at(0).outcome);
  }
  EXPECT_THAT(outcomes, testing::ElementsAre(NotJudged, Confirmed, NotJudged));
}

// In examples::swept(), two threads take longer than one thread for a batch of 1 image: 2.2 times
// as long. They take 0.80 times as long for 8 images, and 0.625 times as long for 64 images.
TEST(Trends, AreReadOnceAnExperiment) {
  const auto trends = [](Trend trend, Relation relation, std::size_t from = 1,
                         const std::string& right = "fused", std::size_t to = 3) {
    Results results = examples::swept();
    const std::vector<GroupResult> all_groups = std::exchange(results.groups, {});
    results.groups.assign(all_groups.begin() + static_cast<std::ptrdiff_t>(from),
                          all_groups.begin() + static_cast<std::ptrdiff_t>(to));
    Claim one = claim("fused, 2 threads [memory=pageable_huge]", relation, right);
    one.across = ClaimedTrend{.axis = "batch", .trend = trend};
    for (GroupResult& group : results.groups) group.claims = {one};
    const auto all = experiments(results);
    EXPECT_EQ(all[0].analyses[0].verdict.claims.at(0).outcome, NotJudged);
    return judge_trends(all[0], results);
  };
  const auto grows = trends(Trend::Grows, Relation::Less);
  ASSERT_EQ(grows.size(), 1U);
  EXPECT_EQ(grows[0].outcome, Confirmed);
  EXPECT_EQ(grows[0].from, 8);
  EXPECT_EQ(grows[0].to, 64);
  EXPECT_NEAR(grows[0].first.value, 1 / 0.8, 0.02);
  EXPECT_NEAR(grows[0].last.value, 1 / 0.625, 0.02);
  EXPECT_EQ(trends(Trend::Shrinks, Relation::Less)[0].outcome, Contradicted);
  EXPECT_EQ(trends(Trend::Stays, Relation::Less)[0].outcome, Contradicted);
  EXPECT_EQ(trends(Trend::Grows, Relation::Less, 0)[0].outcome, Contradicted);  // slower at 1 image
  EXPECT_EQ(trends(Trend::Shrinks, Relation::More)[0].outcome, Contradicted);  // faster, not slower
  EXPECT_EQ(trends(Trend::Grows, Relation::Less, 1, "fused", 2)[0].outcome, NotRun);
  EXPECT_EQ(trends(Trend::Grows, Relation::Less, 1, "gone")[0].outcome, NotRun);
}

TEST(Trends, OfAnInterruptedRunLackPointsThatItDidNotComeTo) {
  const auto outcome = [](const std::string& right) {
    Results results = examples::swept();
    results.interrupted = true;
    results.groups.resize(1);
    Claim one = claim("fused, 2 threads [memory=pageable_huge]", Relation::Less, right);
    one.across = ClaimedTrend{.axis = "batch", .trend = Trend::Grows};
    results.groups[0].claims = {one};
    return judge_trends(experiments(results)[0], results).at(0).outcome;
  };
  EXPECT_EQ(outcome("fused"), Interrupted);
  EXPECT_EQ(outcome("gone"), NotRun);  // no variant has this name at any point
}

TEST(Trends, StaysMeansWithinATenth) {
  const auto outcome = [](Trend trend, double factor, double spread) {
    Results results = examples::swept();
    results.groups.resize(2);
    Claim one = claim("fused", Relation::Less, "eager");
    one.across = ClaimedTrend{.axis = "batch", .trend = trend};
    for (GroupResult& group : results.groups) group.claims = {one};
    for (std::size_t i = 0; i < results.groups[1].cases[0].rounds.size(); ++i) {
      Round& round = results.groups[1].cases[0].rounds[i];
      take(round,
           std::llround(static_cast<double>(round.wall_ns) * factor * (i % 2 ? 1 + spread : 1)));
    }
    return judge_trends(experiments(results)[0], results).at(0).outcome;
  };
  EXPECT_EQ(outcome(Trend::Stays, 1, 0), Confirmed);
  EXPECT_EQ(outcome(Trend::Stays, 1.05, 0), Confirmed);
  EXPECT_EQ(outcome(Trend::Grows, 1.05, 0), Confirmed);
  EXPECT_EQ(outcome(Trend::Shrinks, 1.05, 0), Contradicted);
  EXPECT_EQ(outcome(Trend::Stays, 1.5, 0), Contradicted);
  EXPECT_EQ(outcome(Trend::Stays, 1, 0.3), Inconclusive);
  EXPECT_EQ(outcome(Trend::Shrinks, 1, 0), Inconclusive);
}

}  // namespace
}  // namespace normbench::claims_test
