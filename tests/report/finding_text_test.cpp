#include <gmock/gmock.h>

#include "compared.h"
#include "report/comparison_words.h"

namespace normbench::finding_text_test {
namespace {

using examples::timed_run;
using testing::ElementsAre;
using testing::IsEmpty;

using Shown = std::pair<std::string, std::string>;  // kind and text of a finding

std::vector<Shown> shown(const MatchedCase& matched) {
  std::vector<Shown> list;
  for (const CaseFinding& finding : case_findings(matched))
    list.emplace_back(name_of(finding.kind), finding_text(finding));
  return list;
}

/// Compares a case with itself after `change`. Returns the findings.
std::vector<Shown> findings_of(void (*change)(CaseResult&)) {
  const std::vector<Results> base{timed_run({{"fused", {1000, 1000, 1000}}})};
  std::vector<Results> now = base;
  change(now[0].groups[0].cases[0]);
  return shown(match_cases(base, now).both.at(0));
}

TEST(CompareCase, SaysWhyTheMachineMayHaveChangedIt) {
  ComparedCase one;
  one.ratio = Interval{.value = 1.5, .low = 1.4, .high = 1.6};
  one.drift = 0.42;
  one.why = NoVerdict::LimitsChanged;
  EXPECT_EQ(why_text(one), "the limits beside it changed by up to 42 %: this may be the machine");
  one.why = NoVerdict::Preempted;
  EXPECT_EQ(why_text(one),
            "other work had the processor in a typical turn of NEW: this may be the machine");
  one.ratio = Interval{.value = 0.5, .low = 0.4, .high = 0.6};
  EXPECT_EQ(why_text(one),
            "other work had the processor in a typical turn of BASE: this may be the machine");
}

TEST(CompareCase, SaysWhichSideIsFasterThanItsLimit) {
  ComparedCase one;
  one.why = NoVerdict::AboveLimit;
  one.change = Change::Failed;
  EXPECT_EQ(why_text(one), "NEW is faster than its own limit: limit or case is measured wrongly");
  one.change = Change::Inconclusive;
  EXPECT_EQ(why_text(one), "BASE is faster than its own limit: limit or case is measured wrongly");
}

TEST(CompareFindings, WhatDoesNotChangeIsNone) {
  EXPECT_THAT(findings_of([](CaseResult& c) { c.first_call_ns = 7; }), IsEmpty());
}

TEST(CompareFindings, Bytes) {
  EXPECT_THAT(findings_of([](CaseResult& c) {
                c.stages[0].link_bytes = 59'000'000;
                c.stages[0].bytes = 21'000'000;
              }),
              ElementsAre(Shown{"link_bytes", "59.0 MB over the link, was 0 B"},
                          Shown{"bytes", "21.0 MB moved, was 5.00 MB"}));
}

TEST(CompareFindings, AnErrorMustDoubleAndMatter) {
  const Shown grown{"max_error", "max error 3e-07, was 1e-07 (bound 1e-05)"};
  EXPECT_THAT(findings_of([](CaseResult& c) { c.check.max_abs_error = 3e-7; }), ElementsAre(grown));
  EXPECT_THAT(findings_of([](CaseResult& c) { c.check.max_abs_error = 2e-7; }), IsEmpty());
  EXPECT_THAT(findings_of([](CaseResult& c) {
                c.check.max_abs_error = 3e-7;
                c.check.bound = 1e-4;  // the error is less than 1 % of the bound
              }),
              IsEmpty());
}

TEST(CompareFindings, KernelsAndThreads) {
  EXPECT_THAT(findings_of([](CaseResult& c) {
                c.stages[0].kernel = "lut";
                c.threads = 4;
              }),
              ElementsAre(Shown{"kernels", "runs normalize lut, was normalize fused"},
                          Shown{"threads", "4 threads, was 1"}));
}

TEST(CompareFindings, FaultsMustDifferByATenthAndByOne) {
  const auto with_faults = [](std::int64_t faults) {
    std::vector<Results> runs{timed_run({{"fused", {1000, 1000, 1000}}})};
    for (Round& round : runs[0].groups[0].cases[0].rounds) round.counters.minor_faults = faults;
    return runs;
  };
  const auto findings = [&](std::int64_t before, std::int64_t after) {
    const auto base = with_faults(before), now = with_faults(after);
    return shown(match_cases(base, now).both.at(0));
  };
  EXPECT_THAT(findings(0, 1), ElementsAre(Shown{"faults", "1 page faults a batch, was 0"}));
  EXPECT_THAT(findings(43'200, 0),
              ElementsAre(Shown{"faults", "0 page faults a batch, was 43,200"}));
  EXPECT_THAT(findings(90, 100), IsEmpty());  // a change of at most a tenth
  EXPECT_EQ(findings(89, 100).size(), 1u);
}

}  // namespace
}  // namespace normbench::finding_text_test
