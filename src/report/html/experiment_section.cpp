#include "report/html/experiment_section.h"

#include <fmt/format.h>

#include "report/evidence_tables.h"
#include "report/experiment_lines.h"
#include "report/html/charts.h"
#include "report/html/page.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace normbench::html {
namespace {

Markup preformatted(std::string_view label, std::string_view text) {
  return Element{
      "pre",
      {{"role", "region"}, {"aria-label", std::string(label)}, {"tabindex", "0"}}}(words(text));
}

/// Returns all tables of the group as text, as in table.txt.
Markup text_tables(const GroupResult& group, const GroupAnalysis& analysis,
                   const Results& results) {
  Markup tables;
  for (const TitledTable& table : titled_tables(group, analysis, results))
    tables += Element{"h3"}(words(table.title)) + preformatted(table.title, table.body);
  if (const std::string profiles = profile_tables(group, analysis, results); !profiles.empty())
    tables += Element{"h3"}(words("Profiles")) + preformatted("Profiles", profiles);
  return folded(
      "All tables of " + (group.point.empty() ? group.experiment : point_text(group.point)),
      tables);
}

/// Returns the drawings of a group, which is one point of a sweep.
Markup group_charts(const GroupResult& group, const GroupAnalysis& analysis,
                    const Results& results) {
  return ratio_table(group, analysis, results) + flow_chart(group, analysis) +
         lane_chart(group, analysis) + stage_chart(group, analysis) +
         bytes_chart(group, analysis, results) + published_chart(group, analysis) +
         wrong_outputs(group);
}

/// Returns the drawings that show all points of a sweep together.
Markup sweep_charts(const Experiment& experiment) {
  constexpr std::size_t most_open = 2;
  Markup open = winner_map(experiment), more;
  std::size_t drawn = 0;
  for (const AxisLine& line : axis_lines(experiment)) {
    const Markup chart = sweep_chart(experiment, line);
    if (chart.empty()) continue;
    (drawn++ < most_open ? open : more) += chart;
  }
  if (drawn == 0) open += points_table(experiment);
  return open + (more.empty() ? more : folded("Along the other axes", more));
}

}  // namespace

std::string experiment_id(std::size_t index) { return fmt::format("e{}", index + 1); }

std::string experiment_title(const Experiment& experiment) {
  const GroupResult& first = *experiment.groups.front();
  return first.question.empty() ? first.experiment : first.question;
}

Markup experiment_section(const Experiment& experiment, std::size_t index, const Results& results,
                          Detail detail, std::size_t most_bytes) {
  const ExperimentLines lines = experiment_lines(experiment, results);
  Markup content = paragraphs(lines.verdict) + paragraphs(lines.trust) + paragraphs(lines.beside);
  const bool is_swept = experiment.groups.size() > 1;
  if (detail != Detail::Words && is_swept) content += sweep_charts(experiment);
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    if (content.source().size() > most_bytes) break;
    const GroupResult& group = *experiment.groups[g];
    const GroupAnalysis& analysis = experiment.analyses[g];
    Markup all;
    if (detail != Detail::Words) all += group_charts(group, analysis, results);
    if (detail != Detail::Words) all += noise_ledger(group, analysis);
    if (detail == Detail::Rounds) all += text_tables(group, analysis, results);
    content += is_swept ? folded("At " + point_text(group.point), all) : all;
  }
  return section(experiment_id(index), experiment_title(experiment), content);
}

}  // namespace normbench::html
