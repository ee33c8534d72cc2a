/// Tests how often confidence intervals contain the true ratio of two cases' times, in simulated
/// groups of cases. A turn is the timed iterations of one case in a round. In some groups, the
/// turns of cases that load files are shortened to keep the time limit. In other groups, there are
/// so many cases that a Latin square of turns (as many rounds as cases) would take too many rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "document/statistics.h"
#include "image_files.h"
#include "measure/budget.h"
#include "measure/measure_group.h"
#include "measure/run_fixture.h"
#include "measure/stop_rule.h"

namespace normbench::coverage_test {
namespace {

namespace fs = std::filesystem;

/// A world is a simulated disk with random load times. The interval of 12 rounds contains the true
/// ratio with a probability of 96.1 %. So it should do so in 96.1 % of the 400 worlds, with a
/// standard error of 1 %. `least_coverage` is two standard errors below that.
constexpr double least_coverage = 0.94;
constexpr double true_ratio = 1.07;
constexpr int worlds = 400;

std::vector<double> times(const CaseResult& result) {
  std::vector<double> values;
  for (const Round& round : result.rounds) values.push_back(static_cast<double>(round.wall_ns));
  return values;
}

/// Returns true if the interval of the ratio between the two cases' times contains `truth`.
bool covers(const CaseResult& numerator, const CaseResult& denominator, double truth) {
  const Interval ratio = paired_ratio(times(numerator), times(denominator), decision_level);
  return ratio.low <= truth && truth <= ratio.high;
}

/// A simulated disk: the times to load files of random sizes.
struct Disk {
  std::vector<double> seconds;  // of the first loader, for each file
  std::vector<double> ratios;   // time of the second loader over that of the first, for each file

  /// `spread`: the standard deviation of the logarithms of the ratios.
  Disk(std::size_t files, double spread, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < files; ++i) {
      seconds.push_back(0.1 * std::exp(0.5 * normal(random)));
      ratios.push_back(true_ratio * std::exp(spread * normal(random)));
    }
  }
};

/// A folder of 100 images of one pixel each, and a group of two cases that load one image per item.
struct ShortenedTurns : testing::Test {
  ShortenedTurns() {
    fs::create_directories(folder);
    for (int i = 0; i < files; ++i)
      write_file((folder / fmt::format("{:03}.png", i)).string(), png_file({10, 20, 30}, 1, 1));
  }
  ~ShortenedTurns() override { fs::remove_all(folder); }

  Plan plan_of(double limit) {
    PlanOptions options;
    options.images_dir = folder;
    return make_plan("coverage.json",
                     fmt::format(R"({{"schema": 1, "name": "coverage",
        "measure": {{"cache": "hot", "max_seconds_per_group": {}}},
        "experiments": [{{"name": "e", "load": {{"batch": 1, "size": [1, 1]}}, "variants": {{
          "a": [{{"op": "cast", "to": "float32"}}], "b": [{{"op": "cast", "to": "float32"}}]}}}}]}})",
                                 limit),
                     backends, options);
  }

  /// Measures the group with a fake clock that advances only while files are loaded.
  GroupResult measured(Plan& plan, const Disk& disk, std::mt19937_64& random) {
    FakeClock clock;
    Recorder recorder{clock};
    std::vector<Kernel> rows;
    plan.groups.front().limits.clear();  // limits do not advance the clock and would never warm up
    std::vector<Case>& cases = plan.groups.front().cases;
    std::normal_distribution<double> noise(0, 0.05);
    std::vector<Launch> wrapped;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Stage& stage = cases[i].stages.front();
      rows.push_back(*stage.kernel);
      wrapped.push_back([&, i, real = stage.kernel->prepare(stage.op, stage.signature)](
                            Queue& queue, std::span<const View> in, std::span<const View> out,
                            View scratch) {
        real(queue, in, out, scratch);
        const auto file = static_cast<std::size_t>(queue.item) % disk.seconds.size();
        const double ratio = i == 0 ? 1 : disk.ratios[file];
        clock.time_ns += std::llround(disk.seconds[file] * ratio * std::exp(noise(random)) * 1e9);
      });
    }
    static std::vector<Launch>* prepared;  // `prepare` is a function pointer: no captures
    prepared = &wrapped;
    rows[0].prepare = [](const Op&, const Signature&) { return (*prepared)[0]; };
    rows[1].prepare = [](const Op&, const Signature&) { return (*prepared)[1]; };
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].stages.front().kernel = &rows[i];
    RunContext context{
        .backends = backends,
        .clock = clock,
        .recorder = recorder,
        .watchdog = watchdog,
        .observer = observer,
        .interrupted = interrupted,
        .cache_bytes = 1 << 10,
        .on_profile = {},
        .on_round = [&](const GroupResult& now) { kept.push_back(now.order.size()); }};
    kept.clear();
    GroupResult group = *measure_group(plan, 0, context, 0);
    taken_seconds = static_cast<double>(clock.time_ns) * 1e-9;
    return group;
  }

  /// Returns the share of worlds in which the interval contains the true ratio. Also expects that
  /// all turns are shortened to one item (one image).
  double coverage(double spread) {
    std::mt19937_64 random(1);
    int covered = 0;
    const Plan made = plan_of(2);
    for (int world = 0; world < worlds; ++world) {
      const Disk disk(files, spread, random);
      Plan plan = made;
      const GroupResult group = measured(plan, disk, random);
      for (const CaseResult& result : group.cases) {
        EXPECT_EQ(result.status, Status::Ok) << result.reason;
        EXPECT_EQ(result.iterations, 1) << world;
      }
      EXPECT_GE(group.cases[0].rounds.size(), std::size_t{StopRule::fewest_rounds});
      covered += covers(group.cases[1], group.cases[0], true_ratio) ? 1 : 0;
    }
    return static_cast<double>(covered) / worlds;
  }

  static constexpr int files = 100;
  const fs::path folder =
      fs::path(testing::TempDir()) /
      fmt::format("coverage_{}", testing::UnitTest::GetInstance()->current_test_info()->name());
  Backends backends = make_backends();
  Watchdog watchdog{600, nullptr};
  FakeObserver observer;
  std::atomic<bool> interrupted = false;
  double taken_seconds = 0;       // fake time of the latest measured()
  std::vector<std::size_t> kept;  // number of rounds in each call of RunContext::on_round
};

TEST_F(ShortenedTurns, CoverTheRatioThatAllFilesHave) { EXPECT_GE(coverage(0), least_coverage); }

TEST_F(ShortenedTurns, CoverTheMedianWhereEachFileHasItsOwnRatio) {
  EXPECT_GE(coverage(0.2), least_coverage);
}

/// The first file loads 20 times as fast as the others. If only the first file decided the number
/// of items per turn, a turn would have 16 items and exceed the time limit.
TEST_F(ShortenedTurns, AreNotJudgedByTheFirstFile) {
  constexpr double limit = 2;
  std::mt19937_64 random(1);
  Disk disk(files, 0, random);
  disk.seconds.assign(files, 0.02);
  disk.seconds.front() = 0.001;
  Plan plan = plan_of(limit);
  const GroupResult group = measured(plan, disk, random);
  EXPECT_EQ(group.cases[0].status, Status::Ok) << group.cases[0].reason;
  EXPECT_GE(group.cases[0].rounds.size(), std::size_t{StopRule::fewest_rounds});
  EXPECT_LT(taken_seconds, most_of_limit * limit);
  ASSERT_TRUE(observer.forecast);
  EXPECT_LT(taken_seconds, 1.25 * observer.forecast->seconds());
}

/// The first file loads 50 times as slowly as the others, and the warm-up before each turn loads
/// it. The forecast of the time must include these warm-ups.
TEST_F(ShortenedTurns, AreForeseenWithTheirWarmUp) {
  std::mt19937_64 random(1);
  Disk disk(files, 0, random);
  disk.seconds.assign(files, 0.02);
  disk.seconds.front() = 1;
  Plan plan = plan_of(2);
  const GroupResult group = measured(plan, disk, random);
  EXPECT_EQ(group.cases[0].status, Status::Ok) << group.cases[0].reason;
  ASSERT_TRUE(observer.forecast);
  EXPECT_LT(taken_seconds, 1.25 * observer.forecast->seconds());
  EXPECT_GT(taken_seconds, 24.0);  // 12 rounds with two warm-ups of 1 s each
}

/// The first 8 files load ten times as fast as the others. A number of items per turn that fits
/// these files makes turns too long when the other files are loaded, so it must be chosen again.
TEST_F(ShortenedTurns, AreFittedAnewWhereRoundsTakeLonger) {
  constexpr double limit = 2;
  std::mt19937_64 random(1);
  Disk disk(files, 0, random);
  disk.seconds.assign(files, 0.04);
  for (std::size_t i = 0; i < 8; ++i) disk.seconds[i] = 0.004;
  Plan plan = plan_of(limit);
  const GroupResult group = measured(plan, disk, random);
  for (const CaseResult& result : group.cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_LE(result.iterations, 2);
    EXPECT_EQ(result.rounds.size(), group.order.size());
    EXPECT_EQ(result.stages[0].rounds_ns.size(), group.order.size());
    const std::string note = fmt::format("a turn is {} of 16 iterations long", result.iterations);
    EXPECT_EQ(std::ranges::count_if(result.notes,
                                    [&](const std::string& one) { return one.starts_with(note); }),
              1);
    EXPECT_EQ(
        std::ranges::count_if(result.notes,
                              [](const std::string& one) { return one.starts_with("a turn is"); }),
        1);
    for (const Round& round : result.rounds) EXPECT_LT(round.wall_ns, 100'000'000);
  }
  EXPECT_TRUE(group.cut_order.empty() ||
              group.order.size() >= std::size_t{StopRule::fewest_rounds});
  EXPECT_LT(taken_seconds, most_of_limit * limit);
  // A call on_round(0) reports that the rounds were dropped. After it, the rounds are counted from
  // 1.
  const auto dropped = std::ranges::find(kept, 0u);
  ASSERT_NE(dropped, kept.end());
  EXPECT_EQ(*std::next(dropped), 1u);
  EXPECT_GE(kept.back(), group.order.size());  // rounds of a block that was cut are not in `order`
}

/// Groups of 30 cases on a machine whose kernel times rise and fall by a fifth, six times per
/// round.
struct ManyContenders : RunTest {};

TEST_F(ManyContenders, AreCoveredInBlocksOfTwelveRounds) {
  constexpr std::size_t contenders = 30;
  constexpr int groups = 60;
  constexpr double seconds = 0.005, period = contenders * seconds / 3;  // a turn takes 2 * seconds
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  plan.measure.max_seconds_per_group = 2;
  for (int row : {0, 1}) {
    const double ratio = row == 0 ? 1 : true_ratio;
    fake->rows[static_cast<std::size_t>(row)].cost_ns = 0;
    fake->rows[static_cast<std::size_t>(row)].then = [&, ratio](const FakeCall&) {
      const double phase =
          2 * std::numbers::pi * static_cast<double>(clock.time_ns) * 1e-9 / period;
      const double speed = 1 + 0.2 * std::sin(phase);
      clock.time_ns += std::llround(seconds * ratio * speed * std::exp(noise(random)) * 1e9);
    };
  }
  for (int i = 0; i < groups; ++i) {
    std::vector<Case> cases;
    for (std::size_t c = 0; c < contenders; ++c)
      cases.push_back(cast_case(fmt::format("case {}", c), c % 2 == 0 ? 0 : 1));
    add_group(std::move(cases));
  }
  const Results results = run_plan();
  int covered = 0, ratios = 0;
  for (const GroupResult& group : results.groups) {
    EXPECT_EQ(group.cases[0].rounds.size() % StopRule::fewest_rounds, 0u);
    EXPECT_LT(group.cases[0].rounds.size(), contenders);
    for (std::size_t c = 1; c < contenders; ++c, ++ratios)
      covered += covers(group.cases[c], group.cases[0], c % 2 == 0 ? 1 : true_ratio) ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(covered) / ratios, least_coverage);
}

}  // namespace
}  // namespace normbench::coverage_test
