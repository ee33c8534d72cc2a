#include <gmock/gmock.h>

#include "analysis/compare_document.h"
#include "analysis/compare_findings.h"
#include "compared.h"

namespace normbench::compare_case_test {
namespace {

using examples::timed_run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The findings of the only case, when `change` is made to it.
std::vector<CaseFinding> findings_of(void (*change)(CaseResult&)) {
  const std::vector<Results> base{timed_run({{"fused", {1000, 1000, 1000}}})};
  std::vector<Results> now = base;
  change(now[0].groups[0].cases[0]);
  return case_findings(match_cases(base, now).both.at(0));
}

TEST(CompareFindings, WhatDoesNotChangeIsNone) {
  EXPECT_THAT(findings_of([](CaseResult& c) { c.first_call_ns = 7; }), IsEmpty());
}

TEST(CompareFindings, Bytes) {
  EXPECT_THAT(
      findings_of([](CaseResult& c) {
        c.stages[0].link_bytes = 59'000'000;
        c.stages[0].bytes = 21'000'000;
      }),
      ElementsAre(CaseFinding{"link_bytes", 0, 59'000'000, "59.0 MB over the link, was 0 B"},
                  CaseFinding{"bytes", 5'000'000, 21'000'000, "21.0 MB moved, was 5.00 MB"}));
}

TEST(CompareFindings, AnErrorMustDoubleAndMatter) {
  const CaseFinding grown{"max_error", 1e-7, 3e-7, "max error 3e-07, was 1e-07 (bound 1e-05)"};
  EXPECT_THAT(findings_of([](CaseResult& c) { c.check.max_abs_error = 3e-7; }), ElementsAre(grown));
  EXPECT_THAT(findings_of([](CaseResult& c) { c.check.max_abs_error = 2e-7; }), IsEmpty());
  EXPECT_THAT(findings_of([](CaseResult& c) {
                c.check.max_abs_error = 3e-7;
                c.check.bound = 1e-4;  // 1 % of it is more
              }),
              IsEmpty());
}

TEST(CompareFindings, KernelsAndThreads) {
  EXPECT_THAT(findings_of([](CaseResult& c) {
                c.stages[0].kernel = "lut";
                c.threads = 4;
              }),
              ElementsAre(CaseFinding{"kernels", "normalize fused", "normalize lut",
                                      "runs normalize lut, was normalize fused"},
                          CaseFinding{"threads", 1, 4, "4 threads, was 1"}));
}

TEST(CompareFindings, FaultsMustDifferByATenthAndByOne) {
  const auto with_faults = [](std::int64_t faults) {
    std::vector<Results> runs{timed_run({{"fused", {1000, 1000, 1000}}})};
    for (Round& round : runs[0].groups[0].cases[0].rounds) round.counters.minor_faults = faults;
    return runs;
  };
  const auto findings = [&](std::int64_t before, std::int64_t after) {
    const auto base = with_faults(before), now = with_faults(after);
    return case_findings(match_cases(base, now).both.at(0));
  };
  EXPECT_THAT(findings(0, 1),
              ElementsAre(CaseFinding{"faults", 0.0, 1.0, "1 page faults a batch, was 0"}));
  EXPECT_THAT(findings(43'200, 0), ElementsAre(CaseFinding{"faults", 43'200.0, 0.0,
                                                           "0 page faults a batch, was 43,200"}));
  EXPECT_THAT(findings(90, 100), IsEmpty());  // a tenth of the larger
  EXPECT_EQ(findings(89, 100).size(), 1u);
}

TEST(CompareMatch, TheOrderOfAxesIsNoDifference) {
  std::vector<Results> base{timed_run({{"fused", {1000}}})}, now = base;
  base[0].groups[0].point = {{"batch", 8}, {"size", {2, 3}}};
  now[0].groups[0].point = {{"size", {2, 3}}, {"batch", 8}};
  EXPECT_EQ(match_cases(base, now).both.size(), 1u);
  now[0].groups[0].point["batch"] = 9;
  EXPECT_EQ(match_cases(base, now).both.size(), 0u);
}

TEST(CompareMatch, OnlyKeepsWhatAGlobNames) {
  const auto kept = [](const std::vector<std::string>& globs) {
    Results results = timed_run({{"fused", {1000}}, {"eager [threads=1]", {1000}}});
    std::vector<std::string> names;
    if (!keep_cases(results, globs)) return names;
    for (const CaseResult& result : results.groups[0].cases) names.push_back(result.variant);
    return names;
  };
  EXPECT_THAT(kept({}), ElementsAre("fused", "eager [threads=1]"));
  EXPECT_THAT(kept({"form"}), ElementsAre("fused", "eager [threads=1]"));
  EXPECT_THAT(kept({"eager [threads=1]"}), ElementsAre("eager [threads=1]"));
  EXPECT_THAT(kept({"form/f*"}), ElementsAre("fused"));
  EXPECT_THAT(kept({"nothing"}), IsEmpty());
}

/// What is wrong with `text`, or "".
std::string mistake(const std::string& text) {
  try {
    read_compared("new.json", text);
    return "";
  } catch (const BadInput& bad) {
    return bad.what();
  }
}

TEST(CompareDocument, OursIsReadBack) {
  const Results results = timed_run({{"fused", {1000}}});
  EXPECT_EQ(read_compared("new.json", to_json(results).dump()), results);
}

TEST(CompareDocument, MistakesSayWhatTheFileIs) {
  const std::string whole = to_json(timed_run({{"fused", {1000}}})).dump();
  EXPECT_THAT(mistake(whole.substr(0, whole.size() / 2)), HasSubstr("(it seems to be cut off)"));
  EXPECT_THAT(mistake("results"), HasSubstr("new.json: line 1, column 1"));
  EXPECT_EQ(mistake("[]"),
            "new.json: is no results document of normbench (expected a results.json)");
  EXPECT_EQ(mistake(R"({"context": {}, "benchmarks": []})"),
            "new.json: is no results document; it seems to be Google Benchmark's output");
  EXPECT_EQ(mistake(R"({"meta": {}, "devices": [], "benchmarks": []})"),
            "new.json: is no results document; it seems to be nvbench's output");
  EXPECT_EQ(mistake(R"({"results": [{"command": "ls", "mean": 1}]})"),
            "new.json: is no results document; it seems to be hyperfine's output");
  EXPECT_EQ(
      mistake(R"({"schema": 2, "tool": {"name": "normbench"}, "groups": []})"),
      "new.json: this version reads schema 1; the document has 2: a newer normbench wrote it");
  EXPECT_EQ(mistake(R"({"schema": 1, "tool": {"name": "other"}, "groups": []})"),
            "new.json: /tool/name: not a document of normbench (expected \"normbench\")");
  EXPECT_THAT(mistake(R"({"schema": 1, "experiments": []})"), HasSubstr("a config of normbench"));
}

TEST(CompareDocument, EveryCaseThatIsThereTwiceIsNamed) {
  Results results = timed_run({{"a", {1000}}, {"b", {1000}}, {"a", {1000}}, {"b", {1000}}});
  EXPECT_EQ(mistake(to_json(results).dump()),
            "new.json:/groups/0/cases/2: form, a is there twice, first at /groups/0/cases/0 "
            "(expected every case once)\n"
            "new.json:/groups/0/cases/3: form, b is there twice, first at /groups/0/cases/1 "
            "(expected every case once)");
}

}  // namespace
}  // namespace normbench::compare_case_test
