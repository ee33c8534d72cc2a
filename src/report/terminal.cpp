#include <fmt/format.h>

#include <algorithm>

#include "report/experiment_lines.h"
#include "report/profile_report.h"
#include "report/report.h"
#include "report/sweep_text.h"
#include "report/text.h"

namespace normbench {
namespace {

constexpr std::ptrdiff_t kMostLines = 40;

std::string section(const Experiment& experiment, const Results& results) {
  const GroupResult& first = *experiment.groups[0];
  std::string text = "\n" + wrapped(first.question.empty() ? first.experiment : first.question, 0);
  text += experiment_table(experiment, results);
  const ExperimentLines lines = experiment_lines(experiment, results);
  for (const auto& part : {lines.beside, lines.verdict, lines.trust})
    for (const std::string& line : part) text += wrapped(line, 2);
  return text;
}

}  // namespace

std::string terminal(const Results& results) { return terminal(results, TableKind::Torch); }

std::string terminal(const Results& results, TableKind profile_kind) {
  const std::vector<Experiment> list = experiments(results);
  std::string text = wrapped(machine_line(results), 0) + wrapped(run_line(results, list), 0);
  for (const Experiment& experiment : list) text += section(experiment, results);
  // A blank line, the app's own line and, when there was an interruption, another stand around it.
  const auto room = kMostLines - std::ranges::count(text, '\n') - 3;
  for (const Experiment& experiment : list)
    if (const std::string profile = shown_profile(experiment, results, profile_kind, room);
        !profile.empty()) {
      text += "\n" + profile;
      break;
    }
  if (results.interrupted)
    text += fmt::format(
        "{}: groups that were not finished are missing.\n",
        results.unkept ? "Ended early, its journal could not be written" : "Interrupted");
  return text;
}

}  // namespace normbench
