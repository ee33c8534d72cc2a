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

/// "cpu.model  AMD EPYC", one line per value, objects opened.
void add_values(const std::string& path, const Json& value, std::string& text) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      add_values(path.empty() ? key : path + "." + key, member, text);
    return;
  }
  const std::string shown = value.is_string() ? value.get<std::string>()
                            : value.is_null() ? path == "gpu" ? "none" : "cannot be read here"
                                              : value.dump();
  text += fmt::format("  {:<32}  {}\n", path, shown);
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
  text += "\nTool\n";
  add_values("", results.tool, text);
  text += "\nEnvironment\n";
  add_values("", results.environment, text);
  return text;
}

void add_table(const std::string& title, const std::string& body, std::string& text) {
  if (!body.empty()) text += "\n" + title + "\n" + body;
}

std::string group_text(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results) {
  std::string title = group.experiment;
  if (!group.point.empty()) title += " at " + point_text(group.point);
  std::string text = "\n" + std::string(100, '=') + "\n" + title + "\n";
  if (!group.question.empty()) text += group.question + "\n";
  if (group.cache || group.precision)
    text += fmt::format("cache {}, precision {}\n", name_of(cache_of(group, results)),
                        format_percent(precision_of(group, results)));
  add_table("Cases (per iteration; baseline: " + group.baseline + ")",
            case_table(group, analysis, results), text);
  std::string verdict;
  for (const std::string& line : verdict_text(group, analysis, results))
    verdict += "  " + line + "\n";
  if (const std::string line = quality_text(analysis); !line.empty()) verdict += "  " + line + "\n";
  if (group.stop) verdict += fmt::format("  stopped by: {}\n", name_of(*group.stop));
  verdict += fmt::format("  largest lag-1 autocorrelation of the log ratios: {:.2f}\n",
                         analysis.autocorrelation);
  add_table("Verdict", verdict, text);
  add_table("Stages", stage_table(group, analysis), text);
  add_table("Lanes (per item)", lane_table(group, analysis), text);
  add_table("GPU before and after the rounds", condition_table(group), text);
  if (const std::string line = device_states_text(analysis.device); !line.empty())
    add_table("GPU at the turns' ends", "  " + line + "\n", text);
  add_table("Limits", limit_table(group, results), text);
  add_table("Pairs (level 1 - 0.05/number of pairs)", pair_table(group, analysis, results), text);
  add_table("Noise (context switches and faults over all rounds)", noise_table(group, analysis),
            text);
  add_table("Files that are loaded", dataset_table(group), text);
  add_table("Outputs against the reference in double", check_table(group), text);
  add_table("Counters of the profiled steps (cycles and instructions: user space only)",
            counter_table(group), text);
  return text + profile_tables(group, analysis, results);
}

/// What a swept experiment's points say together; "" where no axis is numeric.
std::string sweep_text(const Experiment& experiment) {
  std::string sections;
  add_table("Where a variant is beyond doubt faster than the baseline", crossover_table(experiment),
            sections);
  add_table("Time as a + bytes/b (least squares of the medians' relative residuals)",
            fit_table(experiment), sections);
  if (sections.empty()) return "";
  return "\n" + std::string(100, '=') + "\n" + experiment.groups[0]->experiment +
         " along its axes\n" + sections;
}

}  // namespace

std::string table(const Results& results) {
  std::string text = head(results);
  for (const Experiment& experiment : experiments(results)) {
    for (std::size_t g = 0; g < experiment.groups.size(); ++g)
      text += group_text(*experiment.groups[g], experiment.analyses[g], results);
    text += sweep_text(experiment);
  }
  return text;
}

}  // namespace normbench
