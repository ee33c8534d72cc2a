/// The profiler tables of a whole document, and the one that a terminal shows.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

/// "Profile of \"send u8, GPU fused\", batch=10".
std::string profile_title(const GroupResult& group, const CaseProfile& profile);

/// The shares of their limits that the case's stages reach, by the names of their rows. A stage has
/// none if another has the same label.
LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant);

/// `profile.sort_by` and `profile.row_limit` of the document's config.
TableOptions table_options(const Results& results);

/// All profiles of all groups. Text and Markdown are as the config says, each below its title. CSV
/// and JSON have all rows, with experiment, point and variant in front. Several documents make one,
/// with their names in front of that (if `names` is not empty).
std::string profile_report(std::span<const Analysed> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format);
std::string profile_report(const Analysed& analysed, TableKind kind, TableFormat format);

/// The profile that a terminal shows: the baseline's for one point, the winner's at the last point
/// of a sweep, or any there if that has none. It is as wide as the screen, and cut to `most_lines`
/// in all (but not below 3 rows); "" when nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen = {});

}  // namespace normbench
