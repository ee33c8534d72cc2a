#include "measure/calibration.h"

#include <gmock/gmock.h>

#include "measure/run_fixture.h"

namespace normbench::calibration_test {
namespace {

using testing::ElementsAre;

class CalibrationTest : public RunTest {
 protected:
  /// Returns a plan with one group for each of `kinds`. A group is a pair of cases of this kind.
  /// The kernel of a case takes 1 ms, but in a pair of kind Slowed, the kernel of the second case
  /// takes 2 ms.
  Plan pairs_plan(Cache cache, const std::vector<PairKind>& kinds) {
    plan.groups.clear();
    plan.measure.cache = cache;
    for (const PairKind kind : kinds) {
      const int second = kind == PairKind::Slowed ? 1 : 0;
      Group& group =
          add_group({cast_case("one", 0), cast_case("other", second)}, {cast_case("a limit", 2)});
      group.experiment = name_of(kind);
    }
    return plan;
  }

  CalibrationStudy make_study() {
    fake->rows[1].cost_ns = 2'000'000;
    CalibrationStudy study{
        .cold = pairs_plan(Cache::Cold, {PairKind::Identical, PairKind::Slowed}),
        .hot = pairs_plan(Cache::Hot, {PairKind::Cached}),
        .pairs = 0,
        .seed = 100,
        .fresh_process =
            [this](PairKind kind, std::int64_t) {
              order.push_back(std::string("fresh ") + std::string(name_of(kind)));
              return std::optional<GroupResult>(GroupResult{});
            },
        .on_pair =
            [this](const MeasuredPair& pair) {
              if (!pair.fresh_process) order.push_back(std::string(name_of(pair.kind)));
              measured.push_back(pair);
            }};
    return study;
  }

  bool run_study(CalibrationStudy& study) {
    RunContext context{.backends = backends,
                       .clock = clock,
                       .recorder = recorder,
                       .watchdog = *watchdog,
                       .observer = observer,
                       .interrupted = interrupted,
                       .cache_bytes = cache_bytes,
                       .on_profile = {}};
    return calibrate(study, context);
  }

  std::vector<std::string> order;
  std::vector<MeasuredPair> measured;
};

TEST_F(CalibrationTest, PairsOfEachKindTakeTurns) {
  CalibrationStudy study = make_study();
  study.pairs = 3;
  EXPECT_TRUE(run_study(study));
  EXPECT_THAT(order, ElementsAre("identical", "cached", "slowed", "fresh identical",  //
                                 "identical", "cached", "slowed", "fresh cached",     //
                                 "identical", "cached", "slowed", "fresh identical"));
}

TEST_F(CalibrationTest, EachGroupHasItsOwnSeedAndNoLimits) {
  CalibrationStudy study = make_study();
  study.pairs = 1;
  EXPECT_TRUE(run_study(study));
  ASSERT_EQ(measured.size(), 4u);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(measured[i].seed, 100 + 16 * i);
  EXPECT_TRUE(measured[3].fresh_process);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(measured[i].group.stop, Stop::Precision);
    EXPECT_THAT(measured[i].group.limits[0].rounds, testing::IsEmpty());
  }
  EXPECT_NE(measured[0].group.order, measured[1].group.order);
  EXPECT_EQ(fake->rows[2].calls, 0);
}

TEST_F(CalibrationTest, TheSecondVariantOfASlowedPairTakesLonger) {
  CalibrationStudy study = make_study();
  study.pairs = 1;
  EXPECT_TRUE(run_study(study));
  const GroupResult& slowed = measured[2].group;
  EXPECT_EQ(slowed.cases[0].rounds[0].wall_ns, 1'000'000);
  EXPECT_EQ(slowed.cases[1].rounds[0].wall_ns, 2'000'000);
}

TEST_F(CalibrationTest, LargePairsShareOneMemory) {
  CalibrationStudy study = make_study();
  study.pairs = 1;
  EXPECT_TRUE(run_study(study));
  const auto allocations = std::ranges::count_if(
      fake->log, [](const std::string& line) { return line.starts_with("allocate"); });
  study.pairs = 5;
  fake->log.clear();
  EXPECT_TRUE(run_study(study));
  EXPECT_EQ(std::ranges::count_if(
                fake->log, [](const std::string& line) { return line.starts_with("allocate"); }),
            allocations);
}

TEST_F(CalibrationTest, NoCycleBeginsAfterTheTime) {
  CalibrationStudy study = make_study();
  study.max_seconds = 1e-9;
  EXPECT_TRUE(run_study(study));
  EXPECT_EQ(measured.size(), 4u);  // the first cycle always completes
  const std::int64_t start_ns = clock.time_ns;
  measured.clear();
  EXPECT_TRUE(run_study(study));
  const double cycle_seconds = static_cast<double>(clock.time_ns - start_ns) * 1e-9;
  measured.clear();
  study.max_seconds = 2.5 * cycle_seconds;
  EXPECT_TRUE(run_study(study));
  EXPECT_EQ(std::ranges::count_if(measured, [](const auto& pair) { return !pair.fresh_process; }),
            9);
}

TEST_F(CalibrationTest, AnInterruptEndsIt) {
  CalibrationStudy study = make_study();
  study.pairs = 3;
  observer.on_round = [this](int) { interrupted = measured.size() == 2; };
  EXPECT_FALSE(run_study(study));
  EXPECT_EQ(measured.size(), 2u);
}

TEST_F(CalibrationTest, AtMost40FreshProcesses) {
  CalibrationStudy study = make_study();
  study.pairs = 90;
  EXPECT_TRUE(run_study(study));
  EXPECT_EQ(std::ranges::count_if(measured, [](const auto& pair) { return pair.fresh_process; }),
            40);
}

TEST_F(CalibrationTest, AKindWithoutAGroupIsAMistake) {
  EXPECT_THAT([&] { group_of(plan, PairKind::Slowed); },
              testing::ThrowsMessage<Invalid>("no experiment \"slowed\" to calibrate with"));
}

}  // namespace
}  // namespace normbench::calibration_test
