/// The profiler tables of a whole document, and the profiler table that a terminal shows.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

/// Returns a title like "Profile of \"send u8, GPU fused\", batch=10".
std::string profile_title(const GroupResult& group, const CaseProfile& profile);

/// Returns how much of its limit each stage of the case reaches, by the name of the stage's row. A
/// stage is left out if another stage has the same label.
LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant);

/// Returns `profile.sort_by` and `profile.row_limit` of the document's config.
TableOptions table_options(const Results& results);

/// Returns all profiles of all groups. In text and Markdown, each table stands below its title and
/// has the rows that the config asks for. CSV and JSON have all rows, with experiment, point and
/// variant in front. If `names` is not empty, the document's name is in front of the experiment.
std::string profile_report(std::span<const Analysed> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format);
std::string profile_report(const Analysed& analysed, TableKind kind, TableFormat format);

/// Returns the profile that a terminal shows. For one point this is the baseline's profile, for a
/// sweep the winner's at the last point. If this profile is missing, another one at the same point
/// is taken. The text is as wide as the screen. It has at most `most_lines` lines, but at least 3
/// rows. Returns "" if nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen = {});

}  // namespace normbench
