#include <fmt/format.h>

#include "core/units.h"
#include "report/calibration_text.h"
#include "report/document_text.h"
#include "report/evidence_tables.h"
#include "report/report.h"
#include "report/sweep_text.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Returns a line for each value in the object and in its nested objects.
std::string facts_text(const Json& object) {
  std::string text;
  for (const Fact& fact : facts_of(object))
    text += fmt::format("  {:<32}  {}\n", fact.path, fact.value);
  return text;
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string head(const Results& results) {
  std::string text =
      fmt::format("normbench {} · {}\n", text_at(results.tool, "/version", "?"), results.name);
  if (!results.about.empty()) text += results.about + "\n";
  text += fmt::format(
      "cache {}, clock {}, precision {}, seed {}, quick {}, traced {}, interrupted {}{}\n",
      name_of(results.cache), name_of(results.clock), format_percent(results.precision),
      results.seed, yes_no(results.quick), yes_no(results.traced),
      yes_no(results.interrupted && !results.unkept),
      results.unkept ? ", ended early: its journal could not be written" : "");
  text += calibration_line(results.calibration);
  return text + "\nTool\n" + facts_text(results.tool) + "\nEnvironment\n" +
         facts_text(results.environment);
}

std::string section(const TitledTable& table) { return "\n" + table.title + "\n" + table.body; }

std::string group_text(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results) {
  std::string title = group.experiment;
  if (!group.point.empty()) title += " at " + point_text(group.point);
  std::string text = "\n" + std::string(100, '=') + "\n" + title + "\n";
  if (!group.question.empty()) text += group.question + "\n";
  if (group.cache || group.precision)
    text += fmt::format("cache {}, precision {}\n", name_of(cache_of(group, results)),
                        format_percent(precision_of(group, results)));
  for (const TitledTable& table : titled_tables(group, analysis, results)) text += section(table);
  return text + profile_tables(group, analysis, results);
}

/// Returns the tables about all points of a sweep together, or "" if no axis is numeric.
std::string sweep_text(const Experiment& experiment) {
  std::string sections;
  for (const TitledTable& table :
       {TitledTable{"Where a variant is beyond doubt faster than the baseline",
                    crossover_table(experiment)},
        TitledTable{"Time as a + bytes/b (least squares of the medians' relative residuals)",
                    fit_table(experiment)}})
    if (!table.body.empty()) sections += section(table);
  if (sections.empty()) return "";
  return "\n" + std::string(100, '=') + "\n" + experiment.groups[0]->experiment +
         " along its axes\n" + sections;
}

}  // namespace

std::string table(const Analysed& analysed) {
  const Results& results = analysed.visible().results();
  std::string text = head(results);
  for (const Experiment& experiment : analysed.visible().experiments()) {
    for (std::size_t g = 0; g < experiment.groups.size(); ++g)
      text += group_text(*experiment.groups[g], experiment.analyses[g], results);
    text += sweep_text(experiment);
  }
  return text;
}

}  // namespace normbench
