/// The tables of a group's cases and stages in table.txt, nothing left out.
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace normbench {

/// One row per case: status, times, ratio, limit, counters; then published figures.
std::string case_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// One row per stage of every case: kernel, place, output, bytes, time, share, limit. Of a GPU
/// stage the time on the device, and beside it the host's time in its calls: these overlap.
std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench
