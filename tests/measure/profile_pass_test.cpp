#include "measure/profile_pass.h"

#include "machine/fake_perf_events.h"
#include "machine/fake_root.h"
#include "measure/profile_fixture.h"

namespace normbench::profile_pass_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Returns the ProfileCounters of a profile that read neither hardware counters nor energy meters.
ProfileCounters uncounted() {
  ProfileCounters counters{};
  counters.hardware_missing = counters.energy_missing = "not looked for";
  return counters;
}

TEST_F(ProfileTest, RecordsTheActiveStepsOfEachCaseAndNothingElse) {
  add_group({two_steps, cast_case("other", 2)}, {cast_case("limit", 3)});
  const GroupResult group = run_plan().groups[0];
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].variant, "two steps");
  EXPECT_EQ(traces[0].experiment, "place");
  EXPECT_EQ(traces[0].point, plan.groups[0].point);
  EXPECT_THAT(slices(traces[0]),
              ElementsAre("1 cast 2000000 600", "1 sub 3000000 960", "0 ProfilerStep#2 5000000 0",
                          "1 cast 2000000 600", "1 sub 3000000 960", "0 ProfilerStep#3 5000000 0"));
  EXPECT_THAT(traces[0].devices, IsEmpty());
  EXPECT_EQ(traces[1].variant, "other");
  const CaseProfile expected{.variant = "two steps",
                             .steps = 2,
                             .discarded = 1,
                             .counters = uncounted(),
                             .overhead = 1,
                             .rows = rows};
  CaseProfile other = expected;
  other.variant = "other";
  EXPECT_THAT(group.profile, ElementsAre(expected, other));
  EXPECT_FALSE(recorder.enabled());
}

TEST_F(ProfileTest, RepeatsKeepEveryCycleAndCountWhatTheyThrowAway) {
  plan.profile = {.skip_first = 1, .wait = 1, .warmup = 2, .active = 2, .repeat = 2};
  const CaseProfile profile = profiled(cast_case("cast", 0));
  EXPECT_THAT(
      slices(traces.at(0)),
      ElementsAre("1 cast 2000000 600", "0 ProfilerStep#4 2000000 0", "1 cast 2000000 600",
                  "0 ProfilerStep#5 2000000 0", "1 cast 2000000 600", "0 ProfilerStep#9 2000000 0",
                  "1 cast 2000000 600", "0 ProfilerStep#10 2000000 0"));
  EXPECT_EQ(profile.steps, 4);
  EXPECT_EQ(profile.discarded, 4);
}

TEST_F(ProfileTest, CyclesThatFollowEachOtherAtOnceAreKeptToo) {
  plan.profile = {.wait = 0, .warmup = 0, .active = 1, .repeat = 2};
  const CaseProfile profile = profiled(cast_case("cast", 0));
  EXPECT_THAT(slices(traces.at(0)),
              ElementsAre("1 cast 2000000 600", "0 ProfilerStep#0 2000000 0", "1 cast 2000000 600",
                          "0 ProfilerStep#1 2000000 0"));
  EXPECT_EQ(profile.steps, 2);
  EXPECT_EQ(profile.discarded, 0);
}

TEST_F(ProfileTest, TheFirstCycleWaitsOnlyIfItIsToldTo) {
  plan.profile = {.wait = 3, .warmup = 1, .active = 1, .skip_first_wait = 1};
  profiled(cast_case("cast", 0));
  EXPECT_THAT(slices(traces.at(0)),
              ElementsAre("1 cast 2000000 600", "0 ProfilerStep#1 2000000 0"));
}

TEST_F(ProfileTest, CountsTheRecordedStepsAndNothingElse) {
  FakePerfEvents events;
  perf_events = &events;
  plan.profile.repeat = 2;
  fake->rows[0].faults = 5;
  fake->rows[0].then = [&](const FakeCall&) { ++clock.counts.voluntary_switches; };
  const auto counters = profiled(cast_case("cast", 0)).counters;
  ProfileCounters expected = uncounted();
  expected.software = {.minor_faults = 20, .voluntary_switches = 4};
  expected.cycles = 107 + 108;
  expected.instructions = 207 + 208;
  expected.cache_misses = 307 + 308;
  expected.hardware_missing = "";
  EXPECT_EQ(counters, expected);
  std::string switches;  // of the first thread's counters: '+' is on, '-' is off
  for (const auto& [leader, on] : events.switches)
    if (leader == 3) switches += on ? '+' : '-';
  EXPECT_EQ(switches, "+-+-+-+-");
  EXPECT_EQ(events.closed.size(), 6u);
}

TEST_F(ProfileTest, PageFaultsAreThoseOfTheStagesInRecordedSteps) {
  plan.profile.repeat = 2;
  fake->rows[0].faults = 5;
  fake->rows[1].then = [&](const FakeCall&) { ++clock.counts.major_faults; };
  add_group({two_steps, make_case("twice the same", {{.op = Cast{}}, {.op = Cast{}}})});
  run_plan();
  EXPECT_THAT(traces.at(0).faults, ElementsAre(Pair("cast", 4 * 5), Pair("sub", 4)));
  EXPECT_THAT(traces.at(1).faults, ElementsAre(Pair("cast", 4 * 2 * 5)));
}

TEST_F(ProfileTest, ShapesAreThoseOfTheInputsInTheOrderOfMemory) {
  Case nhwc = cast_case("nhwc", 0);
  nhwc.stages[0].label = "cast of nhwc";
  nhwc.stages[0].signature.in[0].layout = Layout::Nhwc;
  nhwc.stages[0].signature.in.push_back(nhwc.stages[0].signature.out[0]);
  add_group({two_steps, nhwc});
  run_plan();
  EXPECT_THAT(traces.at(0).shapes,
              ElementsAre(Pair("cast", "[[2, 3, 4, 5]]"), Pair("sub", "[[2, 3, 4, 5]]")));
  EXPECT_THAT(traces.at(1).shapes,
              ElementsAre(Pair("cast of nhwc", "[[2, 4, 5, 3], [2, 3, 4, 5]]")));
}

TEST_F(ProfileTest, ReadsTheEnergyOfWholeStretches) {
  FakeRoot root;
  const std::string folder = "sys/class/powercap/intel-rapl:0/";
  std::int64_t used_uj = 0;
  root.file(folder + "name", "package-0")
      .file(folder + "energy_uj", "0")
      .file(folder + "max_energy_range_uj", "1000000000");
  const Rapl found(root);
  rapl = &found;
  plan.profile.repeat = 2;
  fake->rows[0].cost_ns = 30'000'000;
  fake->rows[0].then = [&](const FakeCall&) {
    root.file(folder + "energy_uj", std::to_string(used_uj += 250'000));
  };
  const auto counters = profiled(cast_case("cast", 0)).counters;
  ASSERT_TRUE(counters.has_value());
  EXPECT_EQ(counters->cpu_joules, 4 * 0.25);
  EXPECT_EQ(counters->gpu_joules, std::nullopt);
  EXPECT_EQ(counters->energy_missing, "");
}

TEST_F(ProfileTest, ProfilesAfterAllGroupsAreMeasured) {
  add_group({cast_case("first", 0)});
  add_group({cast_case("second", 1)});
  std::vector<std::size_t> groups_told;
  on_profile = [&](const ProfileTrace&, CaseProfile&) {
    groups_told.push_back(observer.told.size());
  };
  run_plan();
  EXPECT_THAT(groups_told, ElementsAre(4, 4));
}

TEST_F(ProfileTest, FailedCasesHaveNoneAndAFailureHereIsANote) {
  fake->rows[1].compute = false;
  fake->rows[2].then = [&](const FakeCall&) {
    if (recorder.enabled()) throw std::runtime_error("no more files");
  };
  add_group({cast_case("good", 0), cast_case("wrong", 1), cast_case("breaks", 2)});
  const GroupResult group = run_plan().groups[0];
  ASSERT_EQ(group.profile.size(), 1u);
  EXPECT_EQ(group.profile[0].variant, "good");
  EXPECT_EQ(group.cases[2].status, Status::Ok);
  EXPECT_THAT(group.cases[2].notes, ElementsAre("not profiled: no more files"));
  EXPECT_FALSE(recorder.enabled());
}

TEST_F(ProfileTest, AResumedRunProfilesGroupsWithoutAProfile) {
  const std::string path = testing::TempDir() + "profile.jsonl";
  std::remove(path.c_str());
  add_group({cast_case("first", 0)});
  add_group({cast_case("second", 1)});
  {
    Journal kept = Journal::create(path, Json::object());
    journal = &kept;
    const auto with_rows = on_profile;
    on_profile = [&](ProfileTrace trace, CaseProfile& profile) {
      interrupted = true;
      with_rows(std::move(trace), profile);
    };
    const Results results = run_plan();
    EXPECT_TRUE(results.interrupted);
    EXPECT_EQ(results.missing, std::vector<MissingGroup>());
    EXPECT_EQ(results.groups.size(), 2u);
    on_profile = with_rows;
  }
  interrupted = false;
  traces.clear();
  Results results;
  {
    Journal kept = Journal::resume(path);
    journal = &kept;
    results = run_plan();
  }
  EXPECT_THAT(observer.told, ElementsAre("start 0", "finish 0", "start 1", "finish 1"));
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].variant, "second");
  EXPECT_EQ(Journal::resume(path).content().groups.at(1), results.groups[1]);
  EXPECT_EQ(results.groups[1].profile.size(), 1u);
}

}  // namespace
}  // namespace normbench::profile_pass_test
