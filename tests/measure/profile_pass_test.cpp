#include "measure/profile_pass.h"

#include "measure/fake_perf_events.h"
#include "measure/fake_root.h"
#include "measure/run_fixture.h"

namespace normbench {
namespace {

using testing::ElementsAre;

/// "NNWWRRR…": what the schedule does, step by step.
std::string schedule(const ProfileOptions& options, std::int64_t steps) {
  std::string text;
  for (std::int64_t step = 0; step < steps; ++step)
    text += "NWR"[static_cast<int>(action_of_step(options, step))];
  return text;
}

TEST(ProfileSchedule, IsThatOfTorch) {
  EXPECT_EQ(schedule({.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2}, 17),
            "NNNWWRRRNWWRRRNNN");
  EXPECT_EQ(schedule({.wait = 0, .warmup = 0, .active = 2}, 4), "RRNN");
  EXPECT_EQ(schedule_steps({.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2}),
            14);
  EXPECT_EQ(schedule_steps({.wait = 1, .warmup = 1, .active = 3, .repeat = 0}), 5);
}

/// What there is without counters and meters.
ProfileCounters uncounted() {
  ProfileCounters counters{};
  counters.hardware_missing = counters.energy_missing = "not looked for";
  return counters;
}

struct ProfileTest : RunTest {
  ProfileTest() {
    plan.measure.max_seconds_per_group = 0;
    plan.profile = {.wait = 1, .warmup = 1, .active = 2};
    on_profile = [this](ProfileTrace trace) {
      traces.push_back(std::move(trace));
      return std::vector<ProfileRow>{{.name = "row", .place = "cpu", .shapes = "", .calls = 2}};
    };
    fake->rows[0].cost_ns = 2'000'000;
    fake->rows[1].cost_ns = 3'000'000;
    two_steps = make_case("two steps", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}});
  }
  /// Name, depth, duration of each slice.
  static std::vector<std::string> slices(const ProfileTrace& trace) {
    std::vector<std::string> found;
    for (const ThreadLog& log : trace.threads)
      for (const Slice& slice : log.slices)
        found.push_back(fmt::format("{} {} {} {}", slice.depth, slice.name,
                                    slice.end_ns - slice.start_ns, slice.bytes));
    return found;
  }

  Case two_steps;
  std::vector<ProfileTrace> traces;
};

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
  EXPECT_EQ(traces[1].variant, "other");
  const CaseProfile expected{.variant = "two steps",
                             .steps = 2,
                             .counters = uncounted(),
                             .overhead = 1,
                             .rows = {{.name = "row", .place = "cpu", .shapes = "", .calls = 2}}};
  CaseProfile other = expected;
  other.variant = "other";
  EXPECT_THAT(group.profile, ElementsAre(expected, other));
  EXPECT_FALSE(recorder.enabled());
}

TEST_F(ProfileTest, RepeatsKeepEveryCycle) {
  plan.profile.repeat = 2;
  add_group({cast_case("cast", 0)});
  run_plan();
  EXPECT_THAT(
      slices(traces.at(0)),
      ElementsAre("1 cast 2000000 600", "0 ProfilerStep#2 2000000 0", "1 cast 2000000 600",
                  "0 ProfilerStep#3 2000000 0", "1 cast 2000000 600", "0 ProfilerStep#6 2000000 0",
                  "1 cast 2000000 600", "0 ProfilerStep#7 2000000 0"));
}

TEST_F(ProfileTest, CountsTheRecordedStepsAndNothingElse) {
  FakePerfEvents events;
  perf_events = &events;
  plan.profile.repeat = 2;
  fake->rows[0].faults = 5;
  fake->rows[0].then = [&](const FakeCall&) { ++clock.counts.voluntary_switches; };
  add_group({cast_case("cast", 0)});
  const auto counters = run_plan().groups[0].profile.at(0).counters;
  ProfileCounters expected = uncounted();
  expected.software = {.minor_faults = 20, .voluntary_switches = 4};
  expected.cycles = 107 + 108;
  expected.instructions = 207 + 208;
  expected.cache_misses = 307 + 308;
  expected.hardware_missing = "";
  EXPECT_EQ(counters, expected);
  std::string switches;  // of the first thread's group, around four steps
  for (const auto& [leader, on] : events.switches)
    if (leader == 3) switches += on ? '+' : '-';
  EXPECT_EQ(switches, "+-+-+-+-");
  EXPECT_EQ(events.closed.size(), 6u);
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
  add_group({cast_case("cast", 0)});
  const auto counters = run_plan().groups[0].profile.at(0).counters;
  ASSERT_TRUE(counters.has_value());
  EXPECT_EQ(counters->cpu_joules, 4 * 0.25);
  EXPECT_EQ(counters->gpu_joules, std::nullopt);
  EXPECT_EQ(counters->energy_missing, "");
}

TEST_F(ProfileTest, ProfilesAfterAllGroupsAreMeasured) {
  add_group({cast_case("first", 0)});
  add_group({cast_case("second", 1)});
  std::vector<std::size_t> groups_told;
  on_profile = [&](ProfileTrace) {
    groups_told.push_back(observer.told.size());
    return std::vector<ProfileRow>{};
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
    on_profile = [&](ProfileTrace trace) {
      interrupted = true;
      return with_rows(std::move(trace));
    };
    const Results results = run_plan();
    EXPECT_TRUE(results.interrupted);
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
}  // namespace normbench
