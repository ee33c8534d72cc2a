// Tests how the stage labels and the named ranges of a config appear in recorded traces.
#include "measure/contender.h"
#include "measure/profile_fixture.h"

namespace normbench::named_ranges_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using Strings = std::vector<std::string>;

/// A case with the stages `cast`, `sub` and `div`. The range "outer" contains `sub` and `div`. The
/// range "inner{i}" contains only `div`.
class NamedProfileTest : public ProfileTest {
 protected:
  NamedProfileTest() {
    plan.profile = {.wait = 1, .warmup = 1, .active = 2};
    planned = make_case(
        "named", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}, {.op = Div{.std = {1}}}});
    planned.stages[0].label = "to float {i}";
    planned.stages[1].ranges = {"outer"};
    planned.stages[2].ranges = {"outer", "inner{i}"};
  }
  Case planned;
};

TEST_F(NamedProfileTest, StepsNumberThem) {
  add_group({planned});
  EXPECT_EQ(run_plan().groups[0].cases[0].notes, Strings());
  EXPECT_THAT(slices(traces.at(0)),
              ElementsAre("1 to float 2 2000000 600", "2 sub 3000000 960", "3 div 2000000 960",
                          "2 inner2 2000000 0", "1 outer 5000000 0", "0 ProfilerStep#2 7000000 0",
                          "1 to float 3 2000000 600", "2 sub 3000000 960", "3 div 2000000 960",
                          "2 inner3 2000000 0", "1 outer 5000000 0", "0 ProfilerStep#3 7000000 0"));
  for (const Slice& slice : traces[0].threads.at(0).slices)
    EXPECT_EQ(slice.kind == RangeKind::Range,
              slice.name == "outer" || slice.name.starts_with("inner"))
        << slice.name;
}

TEST_F(NamedProfileTest, WhatIsKnownOfAStageIsOfItsLabel) {
  fake->rows[0].faults = 5;
  add_group({planned});
  run_plan();
  EXPECT_THAT(traces.at(0).labels,
              ElementsAre(Pair("inner2", "inner{i}"), Pair("inner3", "inner{i}"),
                          Pair("to float 2", "to float {i}"), Pair("to float 3", "to float {i}")));
  EXPECT_THAT(traces[0].faults,
              ElementsAre(Pair("div", 10), Pair("sub", 0), Pair("to float {i}", 10)));
  EXPECT_EQ(traces[0].shapes.at("to float {i}"), "[[2, 3, 4, 5]]");
}

TEST_F(NamedProfileTest, TheDocumentHasLabelsAndRanges) {
  add_group({planned});
  const CaseResult result = run_plan().groups[0].cases[0];
  EXPECT_EQ(result.stages[0].label, "to float {i}");
  EXPECT_THAT(result.stages[0].ranges, IsEmpty());
  EXPECT_THAT(result.stages[2].ranges, ElementsAre("outer", "inner{i}"));
}

TEST_F(NamedProfileTest, TurnsHaveNoNumbers) {
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  std::mt19937_64 random(1);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  recorder.take();
  recorder.enable(true);
  take_turn(prepared, {.iterations = 1, .marks = true, .warmup_ns = 0}, random);
  recorder.enable(false);
  Strings names;
  const std::vector<ThreadLog> threads = recorder.take();
  for (const Slice& slice : threads.at(0).slices) names.emplace_back(slice.name);
  EXPECT_THAT(names, ElementsAre("warmup", "to float {i}", "sub", "div", "inner{i}", "outer"));
}

TEST_F(NamedProfileTest, TurnsWithoutMarksHaveNoRanges) {
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  std::mt19937_64 random(1);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  recorder.take();
  recorder.enable(true);
  take_turn(prepared, {.iterations = 2, .warmup_ns = 0}, random);
  recorder.enable(false);
  const std::vector<ThreadLog> logs = recorder.take();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].slices.size(), 1u);  // the slice of the warm-up
}

TEST_F(NamedProfileTest, StagesAreWaitedForAsEver) {
  plan.profile = {.wait = 0, .warmup = 0, .active = 1};
  planned.wait = Wait::Stage;
  GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
  std::mt19937_64 random(1);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  fake->log.clear();
  prepared.iterate({.ranges = true});
  EXPECT_THAT(fake->log, ElementsAre("row 0", "drain", "row 1", "drain", "row 0", "drain"));
}

/// A case with four stages. One graph launches the second and the third stage.
class NamedGraphTest : public DeviceProfileTest {
 protected:
  NamedGraphTest() {
    plan.profile = {.wait = 0, .warmup = 0, .active = 1};
    planned = make_case("graph", {on_device(H2d{}, 0), on_device(Cast{}, 1), on_device(Copy{}, 2),
                                  on_device(D2h{}, 0)});
    planned.graph = true;
  }
  /// Puts the stages `first` to `last` into one range and profiles the case. Returns the names of
  /// the recorded slices.
  Strings recorded(std::size_t first, std::size_t last) {
    for (std::size_t s = first; s <= last; ++s) planned.stages[s].ranges = {"range"};
    add_group({planned});
    notes = run_plan().groups[0].cases[0].notes;
    Strings names;
    for (const Slice& slice : traces.at(0).threads.at(0).slices) names.emplace_back(slice.name);
    return names;
  }
  Case planned;
  Strings notes;
  const std::string note =
      "range \"range\" is without stages that a graph launches together with others outside it";
};

TEST_F(NamedGraphTest, ARangeAroundAWholeGraphIsAroundItsLaunch) {
  EXPECT_THAT(recorded(1, 2),
              ElementsAre("h2d", "graph (cast, copy)", "range", "d2h", "ProfilerStep#0"));
  EXPECT_EQ(notes, Strings());
}

TEST_F(NamedGraphTest, ARangeThatEndsInAGraphEndsBeforeIt) {
  EXPECT_THAT(recorded(0, 1),
              ElementsAre("h2d", "range", "graph (cast, copy)", "d2h", "ProfilerStep#0"));
  EXPECT_THAT(notes, ElementsAre(note));
}

TEST_F(NamedGraphTest, ARangeThatBeginsInAGraphBeginsAfterIt) {
  EXPECT_THAT(recorded(2, 3),
              ElementsAre("h2d", "graph (cast, copy)", "d2h", "range", "ProfilerStep#0"));
  EXPECT_THAT(notes, ElementsAre(note));
}

TEST_F(NamedGraphTest, ARangeWithinAGraphIsNotThere) {
  EXPECT_THAT(recorded(1, 1), ElementsAre("h2d", "graph (cast, copy)", "d2h", "ProfilerStep#0"));
  EXPECT_THAT(notes, ElementsAre(note));
}

TEST_F(NamedGraphTest, ARangeAroundMoreIsWhole) {
  EXPECT_THAT(recorded(0, 2),
              ElementsAre("h2d", "graph (cast, copy)", "range", "d2h", "ProfilerStep#0"));
  EXPECT_EQ(notes, Strings());
}

TEST_F(NamedGraphTest, AGraphHasTheNumbersOfItsStages) {
  planned.stages[1].label = "cast{i}";
  recorded(3, 3);
  EXPECT_THAT(traces[0].labels, ElementsAre(Pair("cast0", "cast{i}"),
                                            Pair("graph (cast0, copy)", "graph (cast{i}, copy)")));
  EXPECT_THAT(records(traces[0]), Contains(StartsWith("stage graph (cast0, copy) ")));
}

}  // namespace
}  // namespace normbench::named_ranges_test
