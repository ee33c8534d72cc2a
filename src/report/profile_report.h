/// The profiler tables of a whole document, and the one that a terminal shows.
#pragma once

#include <span>
#include <string>

#include "analysis/sweep/sweep.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

/// "Profile of \"send u8, GPU fused\", batch=10".
std::string profile_title(const GroupResult& group, const CaseProfile& profile);

/// What the case's stages reach of their limits, by the names of their rows; none for a stage that
/// another of the case has the label of.
LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant);

/// `profile.sort_by` and `profile.row_limit` of the document's config.
TableOptions table_options(const Results& results);

/// All profiles of all groups. Text and Markdown as the config says, each below its title; CSV and
/// JSON with all rows, and with experiment, point and variant in front; those of several documents
/// are one, with the names of these (none: not shown) in front of that.
std::string profile_report(std::span<const Results> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format);
std::string profile_report(const Results& results, TableKind kind, TableFormat format);

/// The baseline's profile for one point, the winner's at the last point of a sweep (any that there
/// is where that one has none), narrowed to the screen and cut so that all takes `most_lines` (but
/// not below 3 rows); "" when nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen = {});

}  // namespace normbench
