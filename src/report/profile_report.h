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

/// Returns the share of its limit that each stage of the case reaches, by the label of the stage. A
/// stage is left out if another stage has the same label.
LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant);

/// Returns `profile.sort_by` and `profile.row_limit` of the document's config, by default
/// "cpu_time_total" and 10.
TableOptions table_options(const Results& results);

/// Returns the tables of all profiles. In text and Markdown, each table is below its title and has
/// the rows that the config asks for. CSV and JSON have all rows, with experiment, point and
/// variant in front. `names` are the names of `documents`; if not empty, CSV and JSON have them,
/// too.
std::string profile_report(std::span<const Analysed> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format);
std::string profile_report(const Analysed& analysed, TableKind kind, TableFormat format);

/// Returns the profile that a terminal shows. For one point this is the baseline's. For a sweep it
/// is the winner's at the last point, or the baseline's if there is no winner. If this profile is
/// missing, another one at the same point is taken. The text is as wide as the screen. It has as
/// many rows as fit in `most_lines` lines, but 3 at least and 8 at most, and not more than the
/// config asks for. Returns "" if nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen = {});

}  // namespace normbench
