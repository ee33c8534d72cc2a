#include "analysis/host_states.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "example_results.h"
#include "ops/stream.h"

namespace normbench::host_states_test {
namespace {

/// Returns a limit (a measured memory stream) that writes four bytes per byte that it reads, with
/// stores of the form `form`, such as "nt". Its rounds take the times `ms`.
CaseResult stream(const std::string& form, const std::vector<double>& ms) {
  CaseResult limit = examples::make_case({.variant = "stream 1:4 " + form});
  limit.stages.resize(1);
  limit.stages[0].op = Stream::name;
  limit.stages[0].place = Place::Cpu;
  limit.rounds.clear();
  for (const double one : ms)
    limit.rounds.push_back({.wall_ns = std::llround(one * 1e6), .counters = {}});
  return limit;
}

HostStates states_of(std::vector<CaseResult> limits) {
  GroupResult group;
  group.limits = std::move(limits);
  const Results results = examples::make_results("example", {group});
  return host_states(results.groups[0], results);
}

/// Returns `count` times that lie within 1 % of `ms`, at random.
std::vector<double> around(double ms, int count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> jitter(0.99, 1.01);
  std::vector<double> rounds;
  for (int i = 0; i < count; ++i) rounds.push_back(ms * jitter(random));
  return rounds;
}

std::vector<double> then(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(ChangePoint, IsWhereALevelChanges) {
  const auto found = change_point(then(around(1, 9), around(2, 12)));
  EXPECT_EQ(found.at, 9U);
  // The 9 values before the change are all below the 12 values after it. So the rank statistic is
  // 108, the product of both numbers, and p is 2 exp(-6 108^2 / (21^3 + 21^2)).
  EXPECT_NEAR(found.p_value, 2 * std::exp(-6 * 108.0 * 108 / (9261 + 441)), 1e-12);
  EXPECT_EQ(change_point(std::vector<double>(20, 1.0)).p_value, 1);
  EXPECT_EQ(change_point({}).p_value, 1);
}

TEST(ChangePoint, IsRarelyFoundWhereThereIsNone) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    found += change_point(around(1, 24, seed)).p_value <= 0.05;
  EXPECT_LE(found, 50);
}

TEST(HostStates, AreOneWhereFormsKeepTheirDistance) {
  const HostStates states =
      states_of({stream("nt", around(2, 22)), stream("nt_page", around(2.4, 22, 2))});
  EXPECT_EQ(states.rounds, 22);
  EXPECT_TRUE(states.are_enough);
  EXPECT_FALSE(states.change);
}

TEST(HostStates, AreTwoWhereAnotherFormWinsFromARoundOn) {
  // Times of the two limits on a shared machine: 2.10 and 1.79 ms in one hour, and 2.42 and 3.12 ms
  // half an hour later.
  const HostStates states =
      states_of({stream("nt_page", then(around(2.10, 12), around(2.42, 10, 2))),
                 stream("nt", then(around(1.79, 12, 3), around(3.12, 10, 4)))});
  ASSERT_TRUE(states.change);
  EXPECT_EQ(states.change->round, 12);
  EXPECT_EQ(states.change->limit, "stream 1:4 nt_page");
  EXPECT_EQ(states.change->other, "stream 1:4 nt");
  EXPECT_NEAR(states.change->before, 2.10 / 1.79, 0.01);
  EXPECT_NEAR(states.change->after, 2.42 / 3.12, 0.01);
}

TEST(HostStates, AreTwoWhereTheyComeAndGo) {
  const auto changed = [](auto is_other) {
    std::vector<double> rounds = around(2, 22);
    for (int i = 0; i < 22; ++i)
      if (is_other(i)) rounds[static_cast<std::size_t>(i)] *= 1.3;
    return states_of({stream("nt", rounds), stream("nt_page", around(2.4, 22, 3))}).change;
  };
  const auto block = changed([](int i) { return i >= 7 && i < 15; });
  ASSERT_TRUE(block);
  EXPECT_FALSE(block->round);
  EXPECT_EQ(block->rounds, 8);
  EXPECT_TRUE(changed([](int i) { return i % 2 == 1; }));
  EXPECT_TRUE(changed([](int i) { return i < 4; }));
  EXPECT_TRUE(changed([](int i) { return i >= 18; }));
  EXPECT_FALSE(changed([](int i) { return i == 5 || i == 9; }));  // two slow rounds are outliers
}

TEST(HostStates, AreRarelyTwoWhereRoundsOnlyScatter) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> scatter(0, 0.03);
    std::vector<double> a, b;
    for (int i = 0; i < 22; ++i) {
      a.push_back(2 * std::exp(scatter(random)));
      b.push_back(2.2 * std::exp(scatter(random)));
    }
    found += states_of({stream("nt", a), stream("nt_page", b)}).change.has_value();
  }
  EXPECT_LE(found, 25);
}

TEST(HostStates, BothSlowerIsTheSameState) {
  const HostStates states =
      states_of({stream("nt", then(around(2, 12), around(3, 10, 2))),
                 stream("nt_page", then(around(2.4, 12, 3), around(3.6, 10, 4)))});
  EXPECT_TRUE(states.are_enough);
  EXPECT_FALSE(states.change);
}

TEST(HostStates, AChangeOfLessThanThreePercentIsNone) {
  EXPECT_FALSE(states_of({stream("nt", then(around(2, 12), around(2.02, 10, 2))),
                          stream("nt_page", around(2.4, 22, 3))})
                   .change);
}

TEST(HostStates, OfAFormThatIsNeverTheFastestAreNone) {
  EXPECT_FALSE(states_of({stream("temporal", then(around(4, 12), around(5, 10, 2))),
                          stream("nt_page", around(2.4, 22, 3))})
                   .change);
}

TEST(HostStates, AreNotToldByFewRounds) {
  const HostStates states =
      states_of({stream("nt", then(around(1, 3), around(3, 3))), stream("nt_page", around(2, 6))});
  EXPECT_EQ(states.rounds, 6);
  EXPECT_FALSE(states.are_enough);
  EXPECT_FALSE(states.change);
}

TEST(HostStates, AreOfStreamsOfTheSameBytesPastTheCache) {
  CaseResult resident = stream("nt", around(1, 22));
  resident.resident = true;
  CaseResult other_threads = stream("nt", around(1, 22));
  other_threads.threads = 2;
  CaseResult other_bytes = stream("nt", around(1, 22));
  other_bytes.result_bytes += 64;
  EXPECT_EQ(states_of({stream("nt_page", then(around(1, 11), around(2, 11))), resident,
                       other_threads, other_bytes})
                .rounds,
            0);
}

}  // namespace
}  // namespace normbench::host_states_test
