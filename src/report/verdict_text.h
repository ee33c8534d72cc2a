/// Texts about the verdict of one group: all measured variants at one point of a sweep.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// The variant of a case, and its first output.
struct NamedOutput {
  std::string variant;
  TensorDesc desc;
};
/// Returns a sentence that tells why two variants are not ranked against each other: their outputs
/// have these `differences`.
std::string unlike_text(const NamedOutput& a, const NamedOutput& b,
                        const std::vector<Difference>& differences);

/// Returns a sentence about the outcome, like "Fastest: fused, 34.0x (33.6-34.4) the baseline, at
/// ...".
std::string headline(const GroupResult& group, const GroupAnalysis& analysis,
                     const Results& results);
/// Returns how much faster than the baseline all of the fastest cases are, like "; both are at
/// least 8.54x the baseline". Returns "" if no such factor is certain, or if they are less than 1 %
/// faster.
std::string lead_text(const Verdict& verdict);
/// Returns a text like "34.0x (33.6-34.4) the baseline, at 97 % of the memory limit", or "" if
/// there is no winner.
std::string advantage_text(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns sentences about what bounds the fastest case, why a slow case is slow, whether pinning
/// or preparing files pays, which cases are faster than their limits, and what the times leave out.
std::vector<std::string> reasons(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns all sentences about the group: the headline, the reasons, and the claims.
std::vector<std::string> verdict_text(const GroupResult& group, const GroupAnalysis& analysis,
                                      const Results& results);

/// Returns why a claim has its outcome, like "A is 1.40x faster than B", "claimed 3.69x, here 1.66x
/// (1.62-1.70)" or "no GPU".
std::string judgement_detail(const GroupResult& group, const Claim& claim,
                             const Judgement& judgement, double precision);
/// Returns the size that a claim states, like "3.69x", "3.50-4.00x", "within 1.0 %" or "grows", or
/// "" if it states none.
std::string claimed_text(const Claim& claim);
/// Returns a ratio with its interval, like "3.69x (3.62-3.75)".
std::string times_text(const Interval& ratio);

/// Returns how precise a group's measurements are, like "machine quiet: ratios +-1.1 %". For a
/// noisy machine, what disturbed it follows. Returns "" if nothing was measured.
std::string quality_text(const GroupAnalysis& analysis);

}  // namespace normbench
