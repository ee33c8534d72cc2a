#include "report/profile_report.h"

#include <algorithm>

#include "core/units.h"
#include "report/document_text.h"
#include "report/words.h"

namespace normbench {
namespace {

struct Found {
  const GroupResult* group;
  const CaseProfile* profile;
  LimitShares limits;
};

std::vector<Found> all_profiles(const Results& results) {
  std::vector<Found> all;
  for (const GroupResult& group : results.groups) {
    if (group.profile.empty()) continue;
    const GroupAnalysis analysis = analyse(group, results);
    for (const CaseProfile& profile : group.profile)
      all.push_back({&group, &profile, limit_shares(group, analysis, profile.variant)});
  }
  return all;
}

/// `values` behind what they are of.
Json titled(const Found& found, const Json& values) {
  Json json = {{"experiment", found.group->experiment},
               {"point", point_text(found.group->point)},
               {"variant", found.profile->variant}};
  json.update(values);
  return json;
}

/// Each below its title.
std::string text(const std::vector<Found>& all, TableKind kind, TableFormat format,
                 const TableOptions& options) {
  std::string lines;
  for (const Found& found : all) {
    const std::string title =
        found.group->experiment + ": " + profile_title(*found.group, *found.profile);
    lines += lines.empty() ? "" : "\n";
    lines +=
        format == TableFormat::Markdown ? "### " + escaped_markdown(title) + "\n\n" : title + "\n";
    lines += profile_table(*found.profile, found.limits, kind, format, options);
  }
  return lines;
}

std::string csv(const std::vector<Found>& all, TableKind kind, const TableOptions& options) {
  std::vector<Json> rows;
  for (const Found& found : all)
    for (const Json& values : profile_values(*found.profile, found.limits, kind, options))
      rows.push_back(titled(found, values));
  return csv_text(rows);
}

std::string json(const std::vector<Found>& all, TableKind kind, const TableOptions& options) {
  Json list = Json::array();
  for (const Found& found : all)
    list.push_back(titled(found, profile_json(*found.profile, found.limits, kind, options)));
  return json_text(list);
}

}  // namespace

std::string profile_title(const GroupResult& group, const CaseProfile& profile) {
  std::string title = "Profile of " + spoken(profile.variant);
  if (!group.point.empty()) title += ", " + point_text(group.point);
  return title;
}

LimitShares limit_shares(const GroupResult& group, const GroupAnalysis& analysis,
                         const std::string& variant) {
  LimitShares shares;
  const int index = index_of(group, variant);
  if (index < 0) return shares;
  const auto& of_case = group.cases[index].stages;
  const auto& stages = analysis.cases[index].stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::string& label = of_case[s].label;
    if (std::ranges::count(of_case, label, &StageResult::label) == 1 && stages[s].of_limit)
      shares.emplace(label, stages[s].of_limit->value);
  }
  return shares;
}

TableOptions table_options(const Results& results) {
  return {.sort_by = text_at(results.config, "/profile/sort_by", "cpu_time_total"),
          .row_limit = integer_at(results.config, "/profile/row_limit", 10)};
}

std::string profile_report(const Results& results, TableKind kind, TableFormat format) {
  const std::vector<Found> all = all_profiles(results);
  TableOptions options = table_options(results);
  if (all.empty() && format == TableFormat::Text) return "Nothing was profiled.\n";
  if (format == TableFormat::Text || format == TableFormat::Markdown)
    return text(all, kind, format, options);
  options.row_limit = -1;
  return format == TableFormat::Csv ? csv(all, kind, options) : json(all, kind, options);
}

}  // namespace normbench
