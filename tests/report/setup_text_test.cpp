#include <gmock/gmock.h>

#include "compared.h"
#include "report/comparison_words.h"

namespace normbench::setup_text_test {
namespace {

using examples::timed_run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A difference between setups in words: its name, the values of both sides, and whether it forbids
/// a comparison.
struct Shown {
  std::string what, base, now;
  bool forbids = false;

  bool operator==(const Shown&) const = default;
};

std::vector<Shown> shown(const std::vector<Results>& base, const std::vector<Results>& now) {
  std::vector<Shown> list;
  for (const SetupDifference& difference : setup_differences(base, now)) {
    const auto [what, was, is] = difference_text(difference);
    list.push_back({what, was, is, difference.forbids()});
  }
  return list;
}

Results plain(int minute = 0) {
  Results results = timed_run({{"fused", {1000}}}, minute);
  results.environment["host"] = "runner-1";
  return results;
}

TEST(CompareSetup, TheSameMachineBuildAndConfigDoNotDiffer) {
  Results now = plain(30);
  now.tool["revision"] = "def5678";
  now.tool["version"] = "2.0";
  now.config["about"] = "somebody explained it";
  now.environment["load"] = {0.9, 0.5, 0.5};
  EXPECT_THAT(shown({plain()}, {now}), IsEmpty());
}

struct ChangedFact {
  std::string name;
  void (*make)(Results&);
  Shown expected;
};

class Differences : public testing::TestWithParam<ChangedFact> {};

TEST_P(Differences, AreNamedWithBothValues) {
  Results now = plain();
  GetParam().make(now);
  EXPECT_THAT(shown({plain()}, {now}), ElementsAre(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    CompareSetup, Differences,
    testing::Values(
        ChangedFact{"gpu",
                    [](Results& r) {
                      r.environment["gpu"] = {{"name", "NVIDIA H100"}};
                    },
                    {"GPU", "none", "NVIDIA H100", true}},
        ChangedFact{"host",
                    [](Results& r) { r.environment["host"] = "runner-2"; },
                    {"host", "runner-1", "runner-2", true}},
        ChangedFact{"cpu",
                    [](Results& r) { r.environment["cpu"]["model"] = "Other CPU"; },
                    {"CPU", "Example CPU", "Other CPU", true}},
        ChangedFact{"features",
                    [](Results& r) {
                      r.environment["cpu"]["flags"] = {"avx", "amx"};
                    },
                    {"CPU features", "also avx2", "also amx", true}},
        ChangedFact{
            "scaled",
            [](Results& r) {
              r.groups[0].scaled_from = 1024;
              r.groups[0].cases[0].source.emplace().shape = {129, 3, 256, 256};
            },
            {"images a batch, scaled down to fit", "no more", R"(also {"form":129})", true}},
        ChangedFact{"threads",
                    [](Results& r) { r.environment["available_threads"] = 8; },
                    {"threads", "2", "8", true}},
        ChangedFact{"build",
                    [](Results& r) { r.tool["build"] = "Debug"; },
                    {"build type", "Release", "Debug", true}},
        ChangedFact{"compiler",
                    [](Results& r) { r.tool["compiler"] = "GNU 13"; },
                    {"compiler", "GNU 12", "GNU 13", true}},
        ChangedFact{"sanitizers",
                    [](Results& r) { r.tool["sanitizers"] = "address"; },
                    {"sanitizers", "", "address", true}},
        ChangedFact{"clock",
                    [](Results& r) { r.clock = DecidingClock::Device; },
                    {"clock", "wall", "device", true}},
        ChangedFact{
            "cache", [](Results& r) { r.cache = Cache::Hot; }, {"cache", "cold", "hot", true}},
        ChangedFact{"quick", [](Results& r) { r.quick = true; }, {"quick", "false", "true", true}},
        ChangedFact{
            "traced", [](Results& r) { r.traced = true; }, {"traced", "false", "true", true}},
        ChangedFact{"config",
                    [](Results& r) {
                      r.config["measure"] = {{"precision", 0.1}};
                    },
                    {"config /measure", "absent", "{\"precision\":0.1}", true}}),
    [](const auto& info) { return info.param.name; });

TEST(CompareSetup, AForcedInstructionSetForbidsUnlessADocumentIsOlderThanThat) {
  Results base = plain(), now = plain();
  now.environment["simd"] = "AVX2";
  EXPECT_THAT(shown({base}, {now}), IsEmpty());
  base.environment["simd"] = "AVX3";
  EXPECT_THAT(shown({base}, {now}), ElementsAre(Shown{"instruction set", "AVX3", "AVX2", true}));
}

TEST(CompareSetup, SomeFactsOnlyDeserveAWord) {
  Results base = plain(), now = plain();
  base.tool["flags"] = "-O3";
  now.tool["flags"] = "-O2";
  base.environment["kernel"] = "Linux 6";
  now.environment["kernel"] = "Linux 7";
  base.environment["cpu"]["microcode"] = "0x1";
  now.environment["cpu"]["microcode"] = "0x2";
  EXPECT_THAT(shown({base}, {now}), ElementsAre(Shown{"compiler flags", "-O3", "-O2", false},
                                                Shown{"kernel", "Linux 6", "Linux 7", false},
                                                Shown{"microcode", "0x1", "0x2", false}));
}

TEST(CompareSetup, CachesAreSaidInWords) {
  const auto with = [](std::int64_t l3, int count) {
    Results results = plain();
    results.environment["cpu"]["caches"] = {{{"level", 1}, {"bytes", 32768}, {"count", 2}},
                                            {{"level", 2}, {"bytes", 2097152}, {"count", 2}},
                                            {{"level", 3}, {"bytes", l3}, {"count", count}}};
    return results;
  };
  const std::int64_t mib = 1 << 20;
  EXPECT_THAT(shown({with(260 * mib, 1)}, {with(32 * mib, 1)}),
              ElementsAre(Shown{"CPU caches", "L1d 32 KiB, L2 2 MiB, L3 260 MiB",
                                "L1d 32 KiB, L2 2 MiB, L3 32 MiB", true}));
  EXPECT_THAT(shown({with(32 * mib, 1)}, {with(32 * mib, 2)}),
              ElementsAre(Shown{"CPU caches", "L1d 2 x 32 KiB, L2 2 x 2 MiB, L3 1 x 32 MiB",
                                "L1d 2 x 32 KiB, L2 2 x 2 MiB, L3 2 x 32 MiB", true}));
}

TEST(CompareSetup, MemoryDiffersFromOnePercentOn) {
  const auto with = [](std::int64_t bytes) {
    Results results = plain();
    results.environment["memory"]["total_bytes"] = bytes;
    return results;
  };
  EXPECT_THAT(shown({with(25'276'502'016)}, {with(25'276'493'824)}), IsEmpty());
  EXPECT_THAT(shown({with(100'000'000'000)}, {with(98'900'000'000)}),
              ElementsAre(Shown{"memory", "100 GB", "98.9 GB", false}));
  EXPECT_THAT(shown({with(100'000'000'000)}, {with(100'000'000'000), with(50'000'000'000)}),
              ElementsAre(Shown{"memory", "100 GB", "100 GB or 50.0 GB", false}));
}

TEST(CompareSetup, BothMachinesAreNamedWhereTheyDiffer) {
  Comparison comparison;
  comparison.name = "example";
  comparison.base =
      comparison.now = {.runs = 1, .tool = plain().tool, .environment = plain().environment};
  EXPECT_EQ(comparison_setting(comparison),
            "example · BASE: 1 run of 1.0 (abc1234) · NEW: 1 run of 1.0 (abc1234) · Example CPU, 2 "
            "cores · margin: the least that counts");
  comparison.now.environment["cpu"]["model"] = "Other CPU";
  EXPECT_EQ(comparison_setting(comparison),
            "example · BASE: 1 run of 1.0 (abc1234) on Example CPU, 2 cores · NEW: 1 run of 1.0 "
            "(abc1234) on Other CPU, 2 cores · margin: the least that counts");
}

TEST(CompareSetup, WhatADocumentDoesNotSayIsNotCompared) {
  Results old = plain();
  old.environment = Json::object();
  old.tool.erase("sanitizers");
  EXPECT_THAT(shown({old}, {plain()}), IsEmpty());
}

TEST(CompareSetup, RunsOfOneSideMustAgreeToo) {
  Results other = plain();
  other.environment["cpu"]["model"] = "Other CPU";
  EXPECT_THAT(shown({plain(), other}, {plain(), plain()}),
              ElementsAre(Shown{"CPU", "Example CPU or Other CPU", "Example CPU", true}));
}

TEST(CompareSetup, ATracedPairIsNotCompared) {
  Results traced = plain();
  traced.traced = true;
  EXPECT_THAT(shown({traced}, {traced}), ElementsAre(Shown{"traced", "true", "true", true}));
}

TEST(CompareConfig, DifferencesArePointersWhateverTheOrderOfKeys) {
  const Json a = Json::parse(
      R"({"about": "x", "a/b": 1, "list": [1, {"y": 2, "z": 3}], "longer": [1], "gone": 1})");
  const Json b = Json::parse(
      R"({"longer": [1, 2], "list": [1, {"z": 4, "y": 2, "about": "x"}], "a/b": 2, "more": 1})");
  EXPECT_THAT(config_differences(a, b),
              ElementsAre("/a~1b", "/list/1/z", "/longer", "/gone", "/more"));
  EXPECT_THAT(config_differences(a, a), IsEmpty());
}

TEST(CompareConfig, WhatIsSaidOfResultsDecidesNothing) {
  const auto with = [](const Json& members) {
    Json experiment = {{"name", "e"}, {"variants", {{"claims", {"normalize"}}}}};
    experiment.update(members);
    return Json{{"experiments", Json::array({experiment})}};
  };
  const Json said = {{"question", "Why?"},
                     {"ids", {"A1"}},
                     {"claims", Json::array({{{"text", "it is fast"}}})},
                     {"published", Json::array({1})}};
  EXPECT_THAT(config_differences(with(Json::object()), with(said)), IsEmpty());
  EXPECT_THAT(config_differences(with(said), with({{"name", "f"}})),
              ElementsAre("/experiments/0/name"));
  EXPECT_THAT(config_differences(with(said), with({{"variants", {{"claims", {"cast"}}}}})),
              ElementsAre("/experiments/0/variants/claims/0"));
}

TEST(CompareConfig, LongValuesAreCutBetweenCharacters) {
  EXPECT_EQ(value_text("short"), "short");
  EXPECT_EQ(value_text(Json()), "absent");
  EXPECT_EQ(value_text(std::string(59, 'x') + "µµ"), std::string(59, 'x') + "…");
}

TEST(CompareRuns, TurnsAreReadFromTheDates) {
  const auto runs = [](std::vector<int> minutes) {
    std::vector<Results> side;
    for (const int minute : minutes) side.push_back(plain(minute));
    return side;
  };
  EXPECT_TRUE(took_turns(runs({0, 3, 4, 7}), runs({1, 2, 5, 6})));   // in order of time: ABBAABBA
  EXPECT_FALSE(took_turns(runs({0, 1, 2, 3}), runs({4, 5, 6, 7})));  // in order of time: AAAABBBB
  EXPECT_TRUE(took_turns(runs({0, 0, 0, 0}), runs({0, 0, 0, 0})));   // same minute: order unknown
  EXPECT_TRUE(took_turns(runs({0}), runs({59})));
  std::vector<Results> undated = runs({0, 1, 2, 3});
  undated[0].environment.erase("date");
  EXPECT_TRUE(took_turns(undated, runs({4, 5, 6, 7})));
}

TEST(CompareRuns, WarningsSayWhatIsDoubtful) {
  std::vector<Results> base(3, plain(0)), now(4, plain(9));
  base[1].interrupted = true;
  for (Results& results : now) results.environment["load"] = {3.5, 1, 1};
  std::vector<std::string> texts;
  for (const Caution& caution : setup_cautions(base, now)) texts.push_back(caution_text(caution));
  EXPECT_THAT(
      texts,
      ElementsAre("BASE has 3 runs and NEW 4: those beyond 3 have no partner",
                  "1 of 3 runs of BASE ended early: cases may be missing",
                  HasSubstr("did not take turns"),
                  "the machine was busier for NEW: 0.2 tasks a thread for BASE, 1.8 for NEW"));
}

TEST(CompareRuns, TheMarginIsTheLargestThatIsKnown) {
  std::vector<Results> base(6, plain(0)), now(6, plain(0));
  EXPECT_DOUBLE_EQ(margin_of(base, now, true).value, 0.02);
  EXPECT_DOUBLE_EQ(margin_of(base, now, false).value, 0.05);
  base[3].precision = 0.03;
  EXPECT_DOUBLE_EQ(margin_of(base, now, true).value, 0.03);
  now[5].config["measure"] = {{"precision", 0.035}};
  now[5].quick = true;
  now[5].precision = 0.1;  // the quick run's precision is not used
  EXPECT_DOUBLE_EQ(margin_of(base, now, true).value, 0.035);
  now[5].calibration = {{"between", 0.04}};
  EXPECT_DOUBLE_EQ(margin_of(base, now, true).value, 0.04);
  EXPECT_EQ(margin_reason(margin_of(base, now, true)),
            "what identical code differs by between processes here (calibrated)");
  // If pairs of runs are not compared (`false`), a calibration without "between_differences" is not
  // enough for a margin below 0.05, although its "between" is 0.04.
  EXPECT_DOUBLE_EQ(margin_of(base, now, false).value, 0.05);
  now[5].calibration["between_differences"] = 5;
  EXPECT_EQ(margin_of(base, now, false).reason, Margin::Reason::TooFewRuns);
  now[5].calibration["between_differences"] = 6;
  EXPECT_DOUBLE_EQ(margin_of(base, now, false).value, 0.04);  // six differences are enough
  now[5].calibration["between_differences"] = 2;
  now[5].calibration["between"] = 0.08;  // above 0.05, the number of differences does not matter
  EXPECT_DOUBLE_EQ(margin_of(base, now, false).value, 0.08);
  EXPECT_DOUBLE_EQ(margin_of(base, std::vector<Results>(6, plain(1)), true).value, 0.05);
}

}  // namespace
}  // namespace normbench::setup_text_test
