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

/// Returns a map from the label of each stage of the case to a share: the least time that the
/// machine needs for the stage, divided by the time that the stage took. A stage is left out if
/// another stage has the same label.
LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant);

/// Returns `profile.sort_by` and `profile.row_limit` of the document's config, by default
/// "cpu_time_total" and 10.
TableOptions table_options(const Results& results);

/// Returns the tables of all profiles.
/// - In text and Markdown, each table is below its title, and has at most as many rows as the
///   config sets in `profile.row_limit`.
/// - CSV and JSON have all rows, with experiment, point and variant in front. If `names` is not
///   empty, it must have a name for each document, and this name comes before the experiment.
std::string profile_report(std::span<const Analysed> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format);
std::string profile_report(const Analysed& analysed, TableKind kind, TableFormat format);

/// Returns the profile that a terminal shows, as text, or "" if nothing was profiled.
/// - If the experiment has one point, this is the profile of the baseline. For a sweep, it is the
///   profile of the winner at the last point. If there is no winner, it is the profile of the
///   baseline at the last point. If that profile is missing, another profile of the same point is
///   shown.
/// - The table fits the screen. It has as many rows as fit in `most_lines` lines, but at least 3
///   and at most 8, and never more than `profile.row_limit` of the config.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines, const Screen& screen = {});

}  // namespace normbench
