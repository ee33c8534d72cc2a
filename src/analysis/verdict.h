/// Who is fastest, by how much, why, and which claims hold.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// The verdict of one group; `analysis` has cases and pairs filled.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// The group's claims held against its pairs.
std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results);

/// One sentence per claim text: what was said, and what each of its judgements is.
std::vector<std::string> claim_lines(const std::vector<Judgement>& judgements);

/// What the link would carry with the leanest and the richest of the cases that were skipped here;
/// "" when none of them uses the link or all carry the same.
std::string link_arithmetic(const GroupResult& group);

}  // namespace normbench
