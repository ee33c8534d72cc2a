/// Tests the sentences about cases that peers (processes of other programs) run.
#include <gmock/gmock.h>

#include "example_results.h"
#include "report/cause_text.h"
#include "report/comparison_words.h"
#include "report/verdict_text.h"

namespace normbench::peers_text_test {
namespace {

using examples::make_case;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> shown(const CaseResult& a, const CaseResult& b) {
  std::vector<std::string> texts;
  for (const Factor& factor : factors(a, b)) texts.push_back(factor_text(factor));
  return texts;
}

CaseResult by(const std::string& peer, CaseResult result) {
  result.peer = peer;
  result.peer_version = peer.empty() ? "" : peer + " 1.0";
  for (StageResult& stage : result.stages) stage.kernel = "";
  return result;
}

CaseResult chain(OutputPolicy output = OutputPolicy::Reuse) {
  return make_case({"chain", 1, DType::Float32, {{"sub", DType::Float32, output}, {"div"}}});
}

std::string verdict_text(const Results& results) {
  std::string text;
  const GroupResult& group = results.groups[0];
  for (const std::string& line : normbench::verdict_text(group, analyse(group, results), results))
    text += line + "\n";
  return text;
}

const CaseAnalysis& analysis_of(const GroupResult& group, const GroupAnalysis& analysis,
                                std::string_view variant) {
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (group.cases[i].variant == variant) return analysis.cases[i];
  throw std::out_of_range(std::string(variant));
}

TEST(PeerFactors, WhoRunsItIsOne) {
  EXPECT_THAT(shown(chain(), by("torch", chain())), ElementsAre("peer (normbench, torch)"));
  EXPECT_THAT(shown(by("numpy", chain()), by("torch", chain())),
              ElementsAre("peer (numpy, torch)"));
  EXPECT_THAT(shown(by("torch", chain()), by("torch", chain())), ElementsAre());
}

TEST(PeerFactors, ItsKernelsAreNoneOfTheirOwn) {
  CaseResult forced = chain();
  forced.stages[1].forced = true;
  forced.stages[1].kernel = "plain";
  EXPECT_THAT(shown(forced, by("torch", chain())), ElementsAre("peer (normbench, torch)"));
  CaseResult theirs = by("torch", chain());
  theirs.stages[1].forced = true;
  theirs.stages[1].kernel = "jit";
  EXPECT_THAT(shown(by("torch", chain()), theirs), ElementsAre("kernel of div (, jit)"));
}

TEST(PeerFactors, OthersStandBesideIt) {
  CaseResult theirs = by("torch", chain(OutputPolicy::Fresh));
  theirs.threads = 2;
  EXPECT_THAT(shown(chain(), theirs), ElementsAre("output of sub (reuse, fresh)",
                                                  "peer (normbench, torch)", "threads (1, 2)"));
}

TEST(PeerFactors, ItsFaultsSayHowItAllocates) {
  CaseResult theirs = by("torch", make_case({"v", 1, DType::Float32, {{"sub"}, {"div"}}, 54'000}));
  EXPECT_THAT(shown(chain(), theirs),
              ElementsAre("outputs (reuse, fresh)", "peer (normbench, torch)"));
  const CaseResult fresh = make_case({"v",
                                      1,
                                      DType::Float32,
                                      {{"sub", DType::Float32, OutputPolicy::Fresh},
                                       {"div", DType::Float32, OutputPolicy::Fresh}}});
  EXPECT_THAT(shown(fresh, theirs), ElementsAre("peer (normbench, torch)"));
  for (Round& round : theirs.rounds) round.counters.minor_faults = 3;
  EXPECT_THAT(shown(chain(), theirs), ElementsAre("peer (normbench, torch)"));
}

TEST(PeerFactors, AnAxisThatShowsNowhereElseIsOne) {
  CaseResult ours = chain(), theirs = by("torch", chain());
  ours.axes = {{"regime", {{"name", "reused"}, {"ours", "reuse"}, {"theirs", "torch"}}}};
  theirs.axes = {{"regime", {{"name", "stock"}, {"ours", "fresh"}, {"theirs", "torch"}}}};
  EXPECT_THAT(shown(theirs, ours),
              ElementsAre("peer (torch, normbench)", "regime (stock, reused)"));
  EXPECT_THAT(shown(chain(OutputPolicy::Fresh), theirs),
              ElementsAre("output of sub (fresh, reuse)", "peer (normbench, torch)"));
}

TEST(PeerFactors, AnAxisThatNamesThePeerIsNoneOfItsOwn) {
  CaseResult a = by("numpy", chain()), b = by("torch", chain());
  a.axes = {{"library", "numpy"}};
  b.axes = {{"library", "torch"}};
  EXPECT_THAT(shown(a, b), ElementsAre("peer (numpy, torch)"));
  a.axes = {{"library", {{"peer", "numpy"}, {"allocator", "malloc"}}}};
  b.axes = {{"library", {{"peer", "torch"}, {"allocator", "arena"}}}};
  EXPECT_THAT(shown(a, b), ElementsAre("peer (numpy, torch)"));
}

TEST(PeerAnalysis, FaultsExplainAPeerAsTheyDoACase) {
  EXPECT_THAT(verdict_text(examples::peers()),
              HasSubstr("Why \"torch: cast, sub, div\" is slow: page faults. 81,003 a batch at "));
}

TEST(PeerAnalysis, NothingIsSaidOfWhatItMoves) {
  Results results = examples::peers();
  for (CaseResult& result : results.groups[0].cases)
    for (Round& round : result.rounds) round.counters = {};
  EXPECT_THAT(verdict_text(results), Not(HasSubstr("extra passes")));
  results.groups[0].cases[2].peer = "";
  EXPECT_THAT(verdict_text(results), HasSubstr("extra passes"));
}

TEST(PeerAnalysis, HasLimitsOfItsBytesButNoFloor) {
  const Results results = examples::peers();
  const GroupResult& group = results.groups[0];
  const GroupAnalysis analysis = analyse(group, results);
  const CaseAnalysis& theirs = analysis_of(group, analysis, "torch: cast, sub, div");
  EXPECT_EQ(theirs.limit, "stream 27.6:110.6 MB nt, 1 thread");
  EXPECT_FALSE(theirs.floor_ns);
  EXPECT_FALSE(theirs.bytes_moved);
  EXPECT_FALSE(theirs.switches);
  EXPECT_EQ(theirs.faults, 81'003);
  const CaseAnalysis& ours = analysis_of(group, analysis, "ours");
  EXPECT_TRUE(ours.floor_ns);
  EXPECT_TRUE(ours.switches);
}

TEST(PeerAnalysis, ItsLaunchesAreNotOurs) {
  Results results = examples::make_results("small", {});
  GroupResult& group = results.groups.emplace_back();
  group.cases = {by("torch", make_case({"torch", 3, DType::UInt8})),
                 make_case({"ours", 3, DType::UInt8})};
  group.limits = {examples::make_limit("stream", 0.1, DType::UInt8),
                  examples::make_limit("launch", 2.9, DType::UInt8)};
  group.limits[1].stages[0].op = "launch";
  for (auto* list : {&group.cases, &group.limits})
    for (CaseResult& result : *list) result.stages[0].place = Place::Cuda;
  const GroupAnalysis analysis = analyse(group, results);
  EXPECT_EQ(analysis.cases[0].limit, "stream");
  EXPECT_EQ(analysis.cases[1].limit, "launch");
}

TEST(PeerAnalysis, CpuTimeIsKnownWhereItIsTold) {
  CaseResult result = by("torch", make_case({"torch", 2}));
  EXPECT_TRUE(cpu_seconds_per_image(result));
  for (Round& round : result.rounds) round.cpu_ns = 0;
  EXPECT_FALSE(cpu_seconds_per_image(result));
}

TEST(PeerFindings, AnotherVersionIsOne) {
  CaseResult before = by("torch", make_case({"torch", 2})), now = before;
  now.peer_version = "torch 2.0";
  MatchedCase matched{.name = {},
                      .base = {{.results = nullptr, .result = &before}},
                      .now = {{.results = nullptr, .result = &now}}};
  const std::vector<CaseFinding> findings = case_findings(matched);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(finding_text(findings[0]), "runs torch 2.0: normalize, was torch 1.0: normalize");
}

}  // namespace
}  // namespace normbench::peers_text_test
