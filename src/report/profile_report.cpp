#include "report/profile_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
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

std::vector<Found> all_profiles(const Analysed& analysed) {
  std::vector<Found> all;
  for (const Experiment& experiment : analysed.experiments())
    for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
      const GroupResult& group = *experiment.groups[g];
      for (const CaseProfile& profile : group.profile)
        all.push_back(
            {&group, &profile, limit_shares(group, experiment.analyses[g], profile.variant)});
    }
  return all;
}

/// Returns `values` with the members document, experiment, point and variant in front. If there is
/// only one document, `document` is "" and its member is left out.
Json titled(const std::string& document, const Found& found, const Json& values) {
  Json json = Json::object();
  if (!document.empty()) json["document"] = document;
  json["experiment"] = found.group->experiment;
  json["point"] = point_text(found.group->point);
  json["variant"] = found.profile->variant;
  json.update(values);
  return json;
}

/// Returns a sentence which says that nothing was profiled. If cases failed, it also says why.
std::string nothing_profiled(const Results& results) {
  const std::string failures = failures_text(results.groups);
  return wrapped(failures.empty() ? "Nothing was profiled."
                                  : fmt::format("Nothing was profiled: {}.", failures),
                 0);
}

/// Returns the profiler tables of `all`, each below its title.
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

std::string profile_report(std::span<const Analysed> documents, std::span<const std::string> names,
                           TableKind kind, TableFormat format) {
  std::string lines;
  std::vector<Json> values;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    TableOptions options = table_options(documents[i].results());
    if (format == TableFormat::Text || format == TableFormat::Markdown) {
      const std::vector<Found> all = all_profiles(documents[i].visible());
      const bool none = all.empty() && format == TableFormat::Text;
      lines += none ? nothing_profiled(documents[i].visible().results())
                    : text(all, kind, format, options);
      continue;
    }
    options.row_limit = -1;
    const std::vector<Found> all = all_profiles(documents[i]);
    const std::string name = names.empty() ? "" : names[i];
    for (const Found& found : all)
      if (format == TableFormat::Json)
        values.push_back(
            titled(name, found, profile_json(*found.profile, found.limits, kind, options)));
      else
        for (const Json& row : profile_values(*found.profile, found.limits, kind, options))
          values.push_back(titled(name, found, row));
  }
  if (format == TableFormat::Csv) return csv_text(values);
  return format == TableFormat::Json ? json_text(Json(values)) : lines;
}

std::string profile_report(const Analysed& analysed, TableKind kind, TableFormat format) {
  return profile_report({&analysed, 1}, {}, kind, format);
}

}  // namespace normbench
