#include "report/verdict_text.h"

#include <gmock/gmock.h>

#include "example_results.h"
#include "report/cause_text.h"
#include "report/report.h"
#include "report/sweep_text.h"

namespace normbench::verdict_text_test {
namespace {

constexpr int kHost = 0, kFused = 2;  // indices of the GPU example's cases

GroupAnalysis analysed(const Results& results) { return analyse(results.groups[0], results); }

std::vector<std::string> reasons_of(const Results& results) {
  return reasons(results.groups[0], analysed(results));
}

CauseText link_cause_of(const Results& results, int index) {
  const GroupResult& group = results.groups[0];
  const CaseAnalysis analysis = analyse_case({group, results}, index);
  return cause_text(link_cause({group, analysis, index, results}));
}

std::string judged(const std::string& left, Relation relation, const std::string& right) {
  Results results = examples::tie();
  results.groups[0].claims = {{"it", left, relation, right}};
  return verdict_text(results.groups[0], analysed(results), results).back();
}

TEST(Verdict, PageFaultsAreNamedOnlyWhereTheyHappen) {
  const auto reasons = [](const Results& results) {
    return normbench::reasons(results.groups[0], analysed(results));
  };
  EXPECT_THAT(
      reasons(examples::constants()),
      testing::Contains("Why \"per call: sub, div in place\" is slow: page faults. 27,000 a "
                        "batch at 1.5 us or less = at most 82 % of its time. It differs from the "
                        "fastest in 3 factors: constants, output of sub, output of div."));
  const Results reused = examples::constants_reused();
  for (const std::string& line : verdict_text(reused.groups[0], analysed(reused), reused))
    EXPECT_THAT(line, testing::Not(testing::AnyOf(testing::HasSubstr("fault"),
                                                  testing::HasSubstr("fresh"))));
}

TEST(Verdict, TheOnlyFactorIsNamed) {
  const Results results = examples::pinning();
  EXPECT_THAT(
      reasons_of(results),
      testing::Contains("Why h2d from pageable memory is slow: the link. Its copies take 99 "
                        "% of the time. Only memory of the source (pageable, pinned) "
                        "differs from the fastest."));
}

TEST(Verdict, WithoutACauseThereIsNoWhy) {
  Results results = examples::make_results("peers", {GroupResult{}});
  GroupResult& group = results.groups[0];
  group.cases = {examples::make_case({"theirs", 9}), examples::make_case({"ours", 5})};
  group.cases[0].peer = "torch";
  group.baseline = "theirs";
  const GroupAnalysis analysis = analysed(results);
  ASSERT_TRUE(analysis.verdict.slow);
  EXPECT_FALSE(analysis.verdict.slow->cause);
  EXPECT_THAT(reasons_of(results), testing::IsEmpty());
}

TEST(Verdict, FasterThanTheLimitIsAnError) {
  Results results = examples::blog();
  results.groups[0].limits[0].rounds = examples::make_rounds(3.2, 7);  // the case takes 2.9 ms
  results.groups[0].limits[1].rounds = examples::make_rounds(3.6, 8);
  EXPECT_THAT(reasons_of(results),
              testing::Contains(testing::StartsWith(
                  "Error: \"uint8: normalize (fused)\" is faster than its limit (110 %")));
}

TEST(Verdict, InconclusiveSaysWhatTheNoiseHides) {
  Results results = examples::inconclusive();
  const auto said = [&] { return headline(results.groups[0], analysed(results), results); };
  const auto seen = [&] { return analysed(results).verdict.visible; };
  EXPECT_NEAR(seen(), 0.093, 0.0005);
  EXPECT_EQ(said(),
            "Inconclusive between one and other: differences below 9.3 % cannot be seen here.");
  EXPECT_EQ(document(Analysed(results))["groups"][0]["verdict"]["visible"], seen());
  EXPECT_FALSE(document(Analysed(examples::blog()))["groups"][0]["verdict"].contains("visible"));
}

TEST(Claims, AreJudgedByPairs) {
  EXPECT_EQ(judged("one", Relation::Less, "slow"),
            "Claim \"it\": confirmed (one is 1.80x faster than slow).");
  EXPECT_EQ(judged("slow", Relation::Less, "one"),
            "Claim \"it\": contradicted (slow is 1.80x slower than one).");
  EXPECT_EQ(judged("slow", Relation::More, "one"),
            "Claim \"it\": confirmed (slow is 1.80x slower than one).");
  EXPECT_THAT(judged("one", Relation::Equal, "other"),
              testing::StartsWith("Claim \"it\": confirmed (no difference larger than "));
  EXPECT_THAT(judged("one", Relation::Less, "other"),
              testing::StartsWith("Claim \"it\": contradicted (no difference larger than "));
  EXPECT_EQ(judged("one", Relation::Less, "gone"), "Claim \"it\": not testable here.");
}

TEST(Claims, OfASizeSayBothNumbers) {
  const auto said = [](ClaimedRatio ratio, const std::string& right = "slow") {
    Results results = examples::tie();
    results.groups[0].claims = {{"it", "one", Relation::Less, right}};
    results.groups[0].claims[0].ratio = ratio;
    return verdict_text(results.groups[0], analysed(results), results).back();
  };
  EXPECT_THAT(said({30, 30}),
              testing::MatchesRegex("Claim \"it\": direction only \\(claimed 30.0x, here 1.80x "
                                    "\\(1.7[0-9]-1.8[0-9]\\)\\)."));
  EXPECT_THAT(said({1.7, 1.9}),
              testing::StartsWith("Claim \"it\": confirmed (claimed 1.70-1.90x, here 1.80x ("));
  EXPECT_THAT(said({1.8, 1.8}, "other"),
              testing::StartsWith("Claim \"it\": contradicted (claimed 1.80x, here 1.00x ("));
}

// Successive claims with the same text share a line. The claim `elsewhere` is about another point
// of the sweep, so it has no line here. The claims `here` come after it and have its text "b", but
// they must begin a line of their own instead of continuing the line of claim "a".
TEST(Claims, OfAnotherPointLeaveTheirLine) {
  Results results = examples::tie();
  GroupResult& group = results.groups[0];
  group.point = {{"threads", 2}};
  const Claim first{.text = "a", .left = "one", .relation = Relation::Less, .right = "slow"};
  Claim elsewhere{.text = "b", .left = "slow", .relation = Relation::Less, .right = "one"};
  elsewhere.point = {{"threads", 1}};
  const Claim here{.text = "b", .left = "slow", .relation = Relation::Less, .right = "one"};
  group.claims = {first, elsewhere, here, here};
  const std::vector<std::string> lines = verdict_text(group, analysed(results), results);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[lines.size() - 2], "Claim \"a\": confirmed (one is 1.80x faster than slow).");
  EXPECT_EQ(lines.back(),
            "Claim \"b\": contradicted (slow is 1.80x slower than one); contradicted (slow is "
            "1.80x slower than one).");
}

TEST(Claims, SayWhatIsMissing) {
  const Results skipped = examples::skipped_gpu();
  EXPECT_EQ(verdict_text(skipped.groups[0], analysed(skipped), skipped).back(),
            "Claim \"send uint8\": not testable here (no GPU).");
  Results failed = examples::failed();
  failed.groups[0].claims = {{"it", "right", Relation::Less, "wrong"}};
  EXPECT_EQ(verdict_text(failed.groups[0], analysed(failed), failed).back(),
            "Claim \"it\": failed (wrong output: error 3.2, bound 1e-06).");
}

TEST(Claims, OfOnePointOrOfATrend) {
  const std::string threads = "fused, 2 threads [memory=pageable_huge]";
  Claim at{.text = "at 8", .left = threads, .relation = Relation::Less, .right = "fused"};
  at.point = {{"batch", 8}};
  at.ratio = ClaimedRatio{.low = 9, .high = 9};
  Claim trend{.text = "grows", .left = threads, .relation = Relation::Less, .right = "fused"};
  trend.across = ClaimedTrend{.axis = "batch", .trend = Trend::Grows};
  const auto lines = [&](std::vector<std::size_t> points) {
    Results results = examples::swept();
    std::vector<GroupResult> groups;
    for (const std::size_t point : points) {
      groups.push_back(results.groups[point]);
      groups.back().claims = {at, trend};
    }
    results.groups = groups;
    std::vector<std::string> claims;
    for (const std::string& line : verdict_lines(experiments(results)[0], results))
      if (line.starts_with("Claim")) claims.push_back(line);
    return claims;
  };
  EXPECT_THAT(
      lines({1, 2}),
      testing::ElementsAre(
          testing::StartsWith("Claim \"at 8\": direction only at batch=8 (batch=8: claimed 9.00x, "
                              "here 1.25x ("),
          testing::MatchesRegex("Claim \"grows\": confirmed \\(from 1.25x \\(1.2[0-9]-1.2[0-9]\\) "
                                "at batch=8 to 1.60x \\(1.[56][0-9]-1.6[0-9]\\) at batch=64\\).")));
  EXPECT_THAT(lines({0, 2}),
              testing::Contains("Claim \"at 8\": not testable here (batch=8 was not measured)."));
  EXPECT_THAT(lines({0}),
              testing::ElementsAre(
                  "Claim \"at 8\": not testable here (batch=8 was not measured).",
                  "Claim \"grows\": not testable here (needs both sides at two values of batch)."));
  EXPECT_THAT(lines({1})[0], testing::StartsWith("Claim \"at 8\": direction only ("));
}

TEST(Busy, DoesNotBlameOthersForThreadsOfItsOwn) {
  Results results = examples::busy();
  CaseResult& slow = results.groups[0].cases[0];
  slow.threads = 8;
  results.environment["available_threads"] = 2;
  const auto said = [&] { return headline(results.groups[0], analysed(results), results); };
  EXPECT_EQ(
      said(),
      "Busy: slow has more threads than there are CPUs, which waited for one another for 80 % of "
      "the time; too few rounds are left to rank anything by.");
  EXPECT_EQ(document(Analysed(results))["groups"][0]["busy"]["more_threads_than_cpus"],
            Json::array({"slow"}));
  results.environment["available_threads"] = 8;
  EXPECT_THAT(said(),
              testing::StartsWith(
                  "Busy: other programs had the processors for 80 % of the time of slow; "));
}

TEST(DeviceClock, SaysWhatItLeavesOut) {
  Results results = examples::gpu_device_clock();
  EXPECT_THAT(reasons_of(results),
              testing::Contains("Device time leaves out the host stages of \"CPU normalize, send "
                                "f32\": \"clock\": \"wall\" counts all."));
  results.groups[0].cases[kHost].stages.pop_back();
  for (Round& round : results.groups[0].cases[kHost].rounds) round.device_ns = 0;
  EXPECT_THAT(reasons_of(results),
              testing::Contains("The times of \"CPU normalize, send f32\" are wall times: no "
                                "device was used."));
  for (const std::string& reason : reasons_of(examples::gpu()))
    EXPECT_THAT(reason, testing::Not(testing::HasSubstr("wall")));
}

TEST(LinkCause, IsMostOfTheTimeOrTheLimitReached) {
  Results results = examples::gpu();
  EXPECT_EQ(link_cause_of(results, kFused).sentence(),
            "the link. 86 % of its time is the copy, so a faster kernel gains at most 14 %.");
  EXPECT_EQ(link_cause_of(results, kHost).name, "");  // the link takes 41 %; normalising takes more
  EXPECT_EQ(link_cause_of(examples::tie(), 0).name, "");

  CaseResult& fused = results.groups[0].cases[kFused];
  fused.stages.pop_back();  // only the copy is left
  EXPECT_EQ(link_cause_of(results, kFused).sentence(),
            "the link. 27.6 MB at 87 % of its limit: only fewer bytes over it would be faster.");
  results.groups[0].limits.clear();
  EXPECT_EQ(link_cause_of(results, kFused).sentence(),
            "the link. Its copies take 86 % of the time.");
}

TEST(Explain, WhichResourceTakesTheTime) {
  const Results results = examples::gpu();
  const GroupAnalysis analysis = analysed(results);
  EXPECT_EQ(
      cause_text(explain(results.groups[0], analysis.cases[kHost], kHost, results)).sentence(),
      "the CPU. 59 % of its time is normalize, so a faster link gains at most 41 %.");
  EXPECT_THAT(reasons_of(results),
              testing::Contains("Bound by the link: 86 % of its time is the copy, so a faster "
                                "kernel gains at most 14 %."));
}

TEST(Explain, SaysWhatThePipelinesLanesDoNot) {
  Results results = examples::pipelines();
  for (Round& round : results.groups[0].cases[1].rounds) round.wall_ns *= 3;
  EXPECT_EQ(
      cause_text(explain(results.groups[0], analysed(results).cases[1], 1, results)).bound(),
      "Bound by load: alone, load takes 12.0 ms, 32 % of its time. The lanes do not explain the "
      "rest: on average 0.50 of 2 cores worked, so it waited, or other programs had them. With "
      "images already in memory it is 6.10x as fast: no loader can gain more.");
}

TEST(VerdictText, OfManyThatMayBeTheFastestIsABound) {
  Results results = examples::many(1, 100);
  results.precision = 1e-3;
  for (std::size_t i = 0; i < 100; ++i)
    results.groups[0].cases[i].rounds = examples::make_rounds(1, i);
  const GroupAnalysis analysis = analysed(results);
  ASSERT_EQ(analysis.verdict.outcome, Outcome::Inconclusive);
  EXPECT_THAT(verdict_text(results.groups[0], analysis, results).at(0),
              testing::MatchesRegex("Inconclusive between v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 "
                                    "and 90 others: compared through v[0-9]+, differences below "
                                    "[0-9.]+ % cannot be ruled out\\..*"));
}

CaseResult gpu_case(int index) { return examples::gpu().groups[0].cases[index]; }

TEST(GainAtMost, IsWhatTheOthersTake) {
  EXPECT_EQ(gain_text(*gain_beside(gpu_case(2), Resource::Link)),
            "86 % of its time is the copy, so a faster kernel gains at most 14 %.");
  EXPECT_EQ(gain_text(*gain_beside(gpu_case(0), Resource::Cpu)),
            "59 % of its time is normalize, so a faster link gains at most 41 %.");
  EXPECT_EQ(gain_text(*gain_beside(examples::decoding().groups[0].cases[0], Resource::Decode)),
            "90 % of its time is loading the images, so a faster stage on the CPU gains at most 10 "
            "%.");
}

}  // namespace
}  // namespace normbench::verdict_text_test
